//! Measures the cost of hostile plugins for a runtime and its honest plugins:
//! `cargo bench -p nri-adaptation --bench hostile`, or with words for the cases whose names contain
//! one of them. Plugins log to standard error.
//!
//! With `--go=PROGRAM`, the runtime of `tests/bench/hostile` over the reference adaptation takes
//! its turn in each case; `tests/bench/adaptation.sh hostile` builds it.
//!
//! Each case has a runtime in a process of its own, with three honest plugins. It creates a
//! container every 20 ms while the hostile plugins attack. The columns are the peak resident memory
//! of the runtime, the slowest and the median creation, the honest plugins that are connected at
//! the end, and the attacks that were made; the last is the ratio of our peak to that of Go.

mod attack;
mod runtime;

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use nri::api::{Container, PodSandbox};
use nri::prelude::*;
use nri::stub::Stub;
use tokio::task::JoinHandle;

use attack::{Attack, CREATE_UPDATE, HOOK, attack};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const HONEST: usize = 3;

/// How long the honest plugins have to connect.
const CONNECTING: Duration = Duration::from_secs(60);

/// One line of the table.
struct Case {
    name: &'static str,
    plugins: usize,
    attack: Attack,
    /// The requests of each plugin that are on their way at the same time.
    in_flight: usize,
    /// The time that the runtime takes to apply updates.
    callback: Duration,
}

fn cases() -> Vec<Case> {
    vec![
        case("no attack", 0, Attack::Updates, 1, 0),
        case("updates, one plugin", 1, Attack::Updates, 1, 0),
        case("updates, one plugin, four in flight", 1, Attack::Updates, 4, 0),
        case("updates, two plugins, four in flight, callback of 3 s", 2, Attack::Updates, 4, 3),
        case("Synchronize, one plugin", 1, Attack::Synchronize, 1, 0),
        case("Synchronize, six plugins", 6, Attack::Synchronize, 1, 0),
        case("updates in answers to CreateContainer", 1, Attack::Create(CREATE_UPDATE), 1, 0),
        case("hooks in answers to CreateContainer", 1, Attack::Create(HOOK), 1, 0),
        case("hooks of three plugins", 3, Attack::Create(HOOK), 1, 0),
    ]
}

fn case(
    name: &'static str,
    plugins: usize,
    attack: Attack,
    in_flight: usize,
    seconds: u64,
) -> Case {
    Case { name, plugins, attack, in_flight, callback: Duration::from_secs(seconds) }
}

/// The measurements of a runtime in a case.
struct Measured {
    /// Its peak resident memory in MiB.
    peak: u64,
    /// The slowest and the median creation in milliseconds.
    worst: u64,
    median: u64,
    /// The honest plugins that are connected at the end.
    honest: usize,
    attacks: usize,
}

fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    if let [runs, socket, callback] = &arguments[..]
        && runs == "runtime"
    {
        return runtime.block_on(runtime::serve(socket, Duration::from_secs(callback.parse()?)));
    }
    let go = arguments.iter().find_map(|word| word.strip_prefix("--go="));
    let words: Vec<_> = arguments.iter().filter(|word| !word.starts_with("--")).collect();
    print_head(go.is_some());
    for case in cases() {
        if words.is_empty() || words.iter().any(|word| case.name.contains(word.as_str())) {
            runtime.block_on(turns(&case, go))?;
        }
    }
    Ok(())
}

fn print_head(has_go: bool) {
    let columns =
        format!("{:>9} {:>9} {:>6} {:>7} {:>7}", "MiB", "worst ms", "ms", "honest", "attacks");
    let go = if has_go { format!(" | Go: {columns} | {:>6}", "ratio") } else { String::new() };
    println!("{:54} {columns}{go}", "");
}

/// Measures a case with our runtime, then with that of Go.
async fn turns(case: &Case, go: Option<&str>) -> Result<()> {
    let ours = run(case, Command::new(std::env::current_exe()?).arg("runtime")).await?;
    print!("{:54} {}", case.name, ours.columns());
    if let Some(program) = go {
        let theirs = run(case, &mut Command::new(program)).await?;
        print!(" |     {} | {:6.2}", theirs.columns(), ours.peak as f64 / theirs.peak as f64);
    }
    println!();
    Ok(())
}

impl Measured {
    fn columns(&self) -> String {
        let Self { peak, worst, median, honest, attacks } = self;
        format!("{peak:>9} {worst:>9} {median:>6} {honest:>7} {attacks:>7}")
    }
}

async fn run(case: &Case, runtime: &mut Command) -> Result<Measured> {
    let folder = std::env::temp_dir().join(format!("nri-hostile-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let socket = folder.join("nri.sock");
    let (mut process, lines) = start(runtime, &socket, case.callback)?;
    let measured = measure(case, &socket, &mut process, lines).await;
    // It ends with its standard input.
    drop(process.stdin.take());
    process.wait()?;
    std::fs::remove_dir_all(&folder)?;
    measured
}

type Output = Lines<BufReader<ChildStdout>>;

fn start(runtime: &mut Command, socket: &Path, callback: Duration) -> Result<(Child, Output)> {
    let runtime = runtime.arg(socket).arg(callback.as_secs().to_string());
    let mut process = runtime.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(process.stdout.take().ok_or("no output")?).lines();
    lines.next().ok_or("the runtime did not start")??;
    Ok((process, lines))
}

async fn measure(
    case: &Case,
    socket: &Path,
    process: &mut Child,
    mut lines: Output,
) -> Result<Measured> {
    let plugins = honest_plugins(socket).await?;
    let attacks = Arc::new(AtomicUsize::new(0));
    let hostile: Vec<_> = (0..case.plugins)
        .map(|number| {
            let attacks = Arc::clone(&attacks);
            tokio::spawn(attack(socket.to_owned(), number, case.attack, case.in_flight, attacks))
        })
        .collect();
    process.stdin.as_mut().ok_or("no input")?.write_all(b"attack\n")?;
    let result = tokio::task::spawn_blocking(move || lines.next()).await?;
    let honest = plugins.iter().filter(|plugin| !plugin.is_finished()).count();
    hostile.iter().for_each(JoinHandle::abort);
    let result = result.ok_or("the runtime ended early")??;
    let numbers: Vec<u64> =
        result.split(' ').map(str::parse).collect::<std::result::Result<_, _>>()?;
    let [peak, worst, median] = numbers[..] else { return Err(result.into()) };
    Ok(Measured { peak, worst, median, honest, attacks: attacks.load(Ordering::Relaxed) })
}

#[derive(NriPlugin)]
#[nri(name = "honest", index = "50")]
struct Honest {
    number: usize,
    creations: Arc<AtomicUsize>,
}

impl CreateContainer for Honest {
    async fn create_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        container: Container,
    ) -> nri::Result<Adjustment> {
        self.creations.fetch_add(1, Ordering::Relaxed);
        let key = format!("example.org/seen-{}", self.number);
        Ok(Adjustment::new().annotation(key, container.id))
    }
}

/// Starts the honest plugins, and waits until each has seen a container. They end with the runtime,
/// or when it closes their connection.
async fn honest_plugins(socket: &Path) -> Result<Vec<JoinHandle<()>>> {
    let mut plugins = Vec::new();
    let mut seen = Vec::new();
    for number in 0..HONEST {
        let creations = Arc::new(AtomicUsize::new(0));
        seen.push(Arc::clone(&creations));
        plugins.push(tokio::spawn(honest(socket.to_owned(), Honest { number, creations })));
    }
    let deadline = Instant::now() + CONNECTING;
    while seen.iter().any(|creations| creations.load(Ordering::Relaxed) == 0) {
        if Instant::now() > deadline {
            return Err("the honest plugins did not connect".into());
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(plugins)
}

async fn honest(socket: PathBuf, plugin: Honest) {
    let index = format!("{}", 50 + plugin.number);
    let stub = Stub::builder(plugin).index(index).socket(socket).no_reconnect();
    drop(stub.run().await);
}
