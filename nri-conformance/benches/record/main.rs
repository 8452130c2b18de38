//! Measures the cost of recording and the speed of replays. Run by `tests/bench/record.sh`, which
//! builds the prerequisites.
//!
//!     record [ROUNDS]                      round trips of CreateContainer
//!     record replay LOGGER [EVENTS]        replays to the example `logger`
//!
//! Each round trip goes from an adaptation to a plugin on the stub, each in its own process:
//!
//! | line | the connection |
//! | --- | --- |
//! | direct | leads to the plugin |
//! | forwarded | leads through a proxy that does not record |
//! | recorded | leads through a proxy that records to a file, redacted |
//! | observed | leads to the plugin, and to an observing plugin that records to a file |
//! | two plugins | leads to the plugin, and to a second one that subscribes to the same events as the observing one |
//!
//! They alternate, so that a change in the speed of the machine affects all of them. `CPU us` is
//! the CPU time per round trip of all processes except the thread that writes the recording;
//! `writer us` is the time of that thread.

use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use nri::api::ValidateContainerAdjustmentRequest;
use nri::prelude::*;
use nri::stub::Stub;
use nri::wire::Socket;
use nri_adaptation::Adaptation;
use nri_conformance::record::{Options, Proxy, create_file, observe};
use tokio::io::copy_bidirectional;
use tokio::net::{UnixListener, UnixStream};

mod replays;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The number of consecutive round trips of each kind.
const TURN: usize = 500;

/// A plugin that marks each container.
#[derive(NriPlugin)]
#[nri(name = "bench", index = "10")]
struct Marker;

impl CreateContainer for Marker {
    async fn create_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        _: Container,
    ) -> nri::Result<Adjustment> {
        Ok(Adjustment::new().annotation("bench.example.com/marked", "yes"))
    }
}

/// A plugin that subscribes to the same events as the observing plugin, and receives two requests
/// per container.
#[derive(NriPlugin)]
#[nri(name = "second", index = "99")]
struct Second;

impl CreateContainer for Second {
    async fn create_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        _: Container,
    ) -> nri::Result<Adjustment> {
        Ok(Adjustment::default())
    }
}

impl ValidateContainerAdjustment for Second {
    async fn validate_container_adjustment(
        &self,
        _: &EventContext,
        _: ValidateContainerAdjustmentRequest,
    ) -> nri::Result<Verdict> {
        Ok(Verdict::Accept)
    }
}

fn main() -> Result<()> {
    // Cargo adds `--bench`.
    let words: Vec<_> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let arguments: Vec<_> = words.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        match arguments.as_slice() {
            ["plugin", socket] => {
                let stub = Stub::builder(Marker).socket(socket);
                Ok(stub.no_reconnect().run().await?)
            }
            ["second", socket] => {
                let stub = Stub::builder(Second).socket(socket);
                Ok(stub.no_reconnect().run().await?)
            }
            ["forward", listen, socket] => forward(&UnixListener::bind(listen)?, socket).await,
            ["proxy", listen, socket, file] => record(listen, socket, file).await,
            ["observe", socket, file] => {
                let output = create_file(Path::new(file))?;
                let stop = std::future::pending();
                observe(Path::new(socket), "99", output, Options::default(), stop).await?;
                Ok(())
            }
            ["replay", logger] => replays::measure(logger, 100_000).await,
            ["replay", logger, events] => replays::measure(logger, events.parse()?).await,
            other => {
                let rounds = other.iter().find_map(|argument| argument.parse().ok());
                measure(rounds.unwrap_or(20_000)).await
            }
        }
    })
}

/// Forwards connections to the runtime without recording them, as the baseline.
async fn forward(listener: &UnixListener, runtime: &str) -> Result<()> {
    loop {
        let mut plugin = Socket::new(listener.accept().await?.0)?;
        let mut runtime = Socket::new(UnixStream::connect(runtime).await?)?;
        tokio::spawn(async move { copy_bidirectional(&mut plugin, &mut runtime).await });
    }
}

async fn record(listen: &str, socket: &str, file: &str) -> Result<()> {
    let output = create_file(Path::new(file))?;
    let proxy = Proxy::bind(listen, socket)?;
    let stop = std::future::pending();
    proxy.record(output, Options::default(), stop).await?;
    Ok(())
}

async fn measure(rounds: usize) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut lines = [
        Line::start("direct", folder.path()).await?,
        Line::start("forwarded", folder.path()).await?,
        Line::start("recorded", folder.path()).await?,
        Line::start("observed", folder.path()).await?,
        Line::start("two plugins", folder.path()).await?,
    ];
    let (pod, container) = subject();
    for _ in 0..rounds.div_ceil(TURN) {
        for line in &mut lines {
            line.turn(&pod, &container).await?;
        }
    }
    println!("{} round trips", rounds.div_ceil(TURN) * TURN);
    println!("               p50 us   p99 us   CPU us  writer us");
    let [direct, forwarded, recorded, observed, two] = lines.map(Line::print);
    for (name, one, other) in [
        ("forwarded/direct", forwarded, direct),
        ("recorded/forwarded", recorded, forwarded),
        ("recorded/direct", recorded, direct),
        ("observed/two plugins", observed, two),
    ] {
        println!("{name:22} {:.2}", one / other);
    }
    Ok(())
}

/// The measurements of one kind of round trip.
struct Line {
    name: &'static str,
    adaptation: Adaptation,
    processes: Vec<Process>,
    times: Vec<Duration>,
    used: Used,
}

impl Line {
    async fn start(name: &'static str, folder: &Path) -> Result<Self> {
        let path = |kind: &str| folder.join(format!("{name}.{kind}").replace(' ', "-"));
        let (nri, listen, session) = (path("nri"), path("proxy"), path("session"));
        let adaptation = Adaptation::builder("bench", "v1").listen(&nri).start().await?;
        let [socket, proxy, file] = [&nri, &listen, &session].map(|it| it.display().to_string());
        let mut processes = Vec::new();
        let between: Option<&[&str]> = match name {
            "forwarded" => Some(&["forward", &proxy, &socket]),
            "recorded" => Some(&["proxy", &proxy, &socket, &file]),
            _ => None,
        };
        if let Some(arguments) = between {
            processes.push(Process::start(arguments)?);
            wait_until(|| listen.exists()).await;
        }
        let connect = if between.is_some() { &proxy } else { &socket };
        processes.push(Process::start(&["plugin", connect])?);
        match name {
            "observed" => processes.push(Process::start(&["observe", &socket, &file])?),
            "two plugins" => processes.push(Process::start(&["second", &socket])?),
            _ => {}
        }
        let plugins = if between.is_some() { 1 } else { processes.len() };
        wait_until(|| adaptation.plugins().len() == plugins).await;
        Ok(Line { name, adaptation, processes, times: Vec::new(), used: Used::default() })
    }

    async fn turn(&mut self, pod: &PodSandbox, container: &Container) -> Result<()> {
        let begun = self.used_so_far();
        for _ in 0..TURN {
            let start = Instant::now();
            self.adaptation.create_container(pod, container).await?;
            self.times.push(start.elapsed());
        }
        let now = self.used_so_far();
        self.used.work += now.work - begun.work;
        self.used.writing += now.writing - begun.writing;
        Ok(())
    }

    fn used_so_far(&self) -> Used {
        let ids = self.processes.iter().map(|process| process.0.id());
        let mut total = Used::default();
        for id in ids.chain([std::process::id()]) {
            let used = Used::of(id);
            total.work += used.work;
            total.writing += used.writing;
        }
        total
    }

    /// Prints the line. Returns the median in microseconds.
    fn print(mut self) -> f64 {
        self.times.sort_unstable();
        let count = self.times.len() as f64;
        let at = |share: f64| {
            let index = (count * share) as usize;
            self.times.get(index).map_or(0.0, Duration::as_secs_f64) * 1e6
        };
        let (p50, p99) = (at(0.5), at(0.99));
        let [cpu, writer] =
            [self.used.work, self.used.writing].map(|nanos| nanos as f64 / 1e3 / count);
        println!("{:12} {p50:>8.2} {p99:>8.2} {cpu:>8.2} {writer:>10.2}", self.name);
        p50
    }
}

/// CPU time of the threads of a process, in nanoseconds.
#[derive(Default)]
struct Used {
    work: u64,
    /// Of the thread that writes the recording.
    writing: u64,
}

impl Used {
    fn of(process: u32) -> Self {
        let mut used = Used::default();
        let tasks = std::fs::read_dir(format!("/proc/{process}/task"));
        for task in tasks.into_iter().flatten().flatten() {
            let read = |file| std::fs::read_to_string(task.path().join(file)).unwrap_or_default();
            let nanos = read("schedstat").split(' ').next().and_then(|text| text.parse().ok());
            if read("comm").trim() == "nri-recorder" {
                used.writing += nanos.unwrap_or(0);
            } else {
                used.work += nanos.unwrap_or(0);
            }
        }
        used
    }
}

/// A process that this one started from its own executable.
struct Process(Child);

impl Process {
    fn start(arguments: &[&str]) -> std::io::Result<Self> {
        let program = std::env::current_exe()?;
        Command::new(program).args(arguments).spawn().map(Process)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may already have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn wait_until(condition: impl Fn() -> bool) {
    while !condition() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Returns a pod and a container with ten labels, annotations and variables each.
fn subject() -> (PodSandbox, Container) {
    let pod = PodSandbox {
        id: "0123456789abcdef".repeat(4),
        name: "pod".to_owned(),
        namespace: "default".to_owned(),
        labels: ten("pod").collect(),
        annotations: ten("pod").collect(),
        ..PodSandbox::default()
    };
    let container = Container {
        id: "fedcba9876543210".repeat(4),
        pod_sandbox_id: pod.id.clone(),
        name: "container".to_owned(),
        labels: ten("container").collect(),
        env: (0..10).map(|nth| format!("VARIABLE_{nth}=value")).collect(),
        ..Container::default()
    };
    (pod, container)
}

/// Returns ten labels or annotations of a pod or a container.
fn ten(of: &'static str) -> impl Iterator<Item = (String, String)> {
    (0..10).map(move |nth| (format!("{of}.example.com/key-{nth}"), "value".to_owned()))
}
