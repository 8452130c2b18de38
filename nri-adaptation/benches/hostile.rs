//! What hostile plugins cost a runtime and its honest plugins:
//! `cargo bench -p nri-adaptation --bench hostile`, or with words for the cases whose names contain
//! one of them. Plugins log to standard error.
//!
//! Each case has a runtime in a process of its own, with three honest plugins. It creates a
//! container every 20 ms while the hostile plugins attack. The columns are the peak resident memory
//! of the runtime, the slowest and the median creation, the honest plugins that are connected at
//! the end, and the attacks that were made.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use nri::api::{ConfigureResponse, Container, EventMask, PodSandbox, RegisterPluginRequest};
use nri::codec::Message as _;
use nri::prelude::*;
use nri::stub::Stub;
use nri::wire::{
    CallError, Caller, Channels, Connection, Limits, Request, Service, Socket, Status,
};
use nri_adaptation::{Adaptation, Requested, RuntimeCallbacks, State};
use tokio::net::UnixStream;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const RUNTIME: &str = "nri.pkg.api.v1alpha1.Runtime";

/// The size of an attack, just below the limit of 4 MiB.
const LARGE: usize = (4 << 20) - 1024;

/// How long the plugins attack.
const ATTACK: Duration = Duration::from_secs(5);

const HONEST: usize = 3;

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

#[derive(Clone, Copy)]
enum Attack {
    /// Unsolicited updates.
    Updates,
    /// The answer to Synchronize, after which the plugin connects again.
    Synchronize,
    /// Answers to CreateContainer with this field full of empty elements.
    Create(&'static [u8]),
}

/// `UpdateContainersRequest.update`, `SynchronizeResponse.update`, with nothing in it.
const UPDATE: &[u8] = &[0x0a, 0];
/// `CreateContainerResponse.update`.
const CREATE_UPDATE: &[u8] = &[0x12, 0];
/// `ContainerAdjustment.hooks.prestart`, below `adjust`.
const HOOK: &[u8] = &[0x0a, 0];

fn cases() -> Vec<Case> {
    let case = |name, plugins, attack, in_flight, seconds| {
        let callback = Duration::from_secs(seconds);
        Case { name, plugins, attack, in_flight, callback }
    };
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

fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    if let [runs, socket, callback] = &arguments[..]
        && runs == "runtime"
    {
        return runtime.block_on(serve(socket, Duration::from_secs(callback.parse()?)));
    }
    println!(
        "{:56} {:>9} {:>9} {:>9} {:>7} {:>7}",
        "", "MiB", "worst ms", "ms", "honest", "attacks"
    );
    for case in cases() {
        if arguments.is_empty() || arguments.iter().any(|word| case.name.contains(word.as_str())) {
            runtime.block_on(run(&case))?;
        }
    }
    Ok(())
}

async fn run(case: &Case) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("nri-hostile-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let socket = folder.join("nri.sock");
    let mut process = start(&socket, case.callback)?;
    let mut lines = BufReader::new(process.stdout.take().ok_or("no output")?).lines();
    lines.next().ok_or("the runtime did not start")??;
    for number in 0..HONEST {
        tokio::spawn(honest(socket.clone(), number));
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let attacks = Arc::new(AtomicUsize::new(0));
    let hostile: Vec<_> = (0..case.plugins)
        .map(|number| {
            tokio::spawn(attack(
                socket.clone(),
                number,
                case.attack,
                case.in_flight,
                Arc::clone(&attacks),
            ))
        })
        .collect();
    let result = tokio::task::spawn_blocking(move || lines.next()).await?;
    process.wait()?;
    hostile.iter().for_each(tokio::task::JoinHandle::abort);
    std::fs::remove_dir_all(&folder)?;
    let result = result.ok_or("the runtime ended early")??;
    let words: Vec<_> = result.split(' ').collect();
    let [peak, worst, median, honest] = words[..] else { return Err(result.into()) };
    let attacks = attacks.load(Ordering::Relaxed);
    println!("{:56} {peak:>9} {worst:>9} {median:>9} {honest:>7} {attacks:>7}", case.name);
    Ok(())
}

fn start(socket: &Path, callback: Duration) -> Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("runtime").arg(socket).arg(callback.as_secs().to_string());
    Ok(command.stdout(Stdio::piped()).spawn()?)
}

/// Takes updates, and its time for it.
struct Slow(Duration);

impl RuntimeCallbacks for Slow {
    async fn synchronize(&self, _: &mut State) -> nri::Result<()> {
        Ok(())
    }

    async fn update_containers(&self, _: Requested) -> nri::Result<Vec<ContainerUpdate>> {
        tokio::time::sleep(self.0).await;
        Ok(Vec::new())
    }
}

/// The process of the runtime: prints a line when it listens, and the result at the end.
async fn serve(socket: &str, callback: Duration) -> Result<()> {
    let builder = Adaptation::builder("hostile", "1").listen(socket).callbacks(Slow(callback));
    let adaptation = builder.start().await?;
    println!("listens");
    let honest = || adaptation.plugins().iter().filter(|id| id.name == "honest").count();
    while honest() < HONEST {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let mut times = Vec::new();
    let end = Instant::now() + ATTACK + Duration::from_millis(500);
    let pod = PodSandbox { id: "p1".to_owned(), ..PodSandbox::default() };
    while Instant::now() < end {
        let id = format!("c{}", times.len());
        let container = Container { id, ..Container::default() };
        let start = Instant::now();
        // What hostile plugins answer may fail it.
        drop(adaptation.create_container(&pod, &container).await);
        times.push(start.elapsed());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    times.sort_unstable();
    let (worst, median) = (times[times.len() - 1].as_millis(), times[times.len() / 2].as_millis());
    println!("{} {worst} {median} {}", peak()?, honest());
    Ok(())
}

/// The peak of resident memory in MiB.
fn peak() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.split_whitespace().next().ok_or("no number")?.parse::<u64>()? >> 10)
}

#[derive(NriPlugin)]
#[nri(name = "honest", index = "50")]
struct Honest;

impl CreateContainer for Honest {
    async fn create_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        container: Container,
    ) -> nri::Result<Adjustment> {
        Ok(Adjustment::new().annotation("example.org/seen", container.id))
    }
}

async fn honest(socket: PathBuf, number: usize) {
    let index = format!("{}", 50 + number);
    let stub = Stub::builder(Honest).index(index).socket(socket).no_reconnect();
    // It ends with the runtime.
    drop(stub.run().await);
}

/// Connects and attacks until it is aborted.
async fn attack(
    socket: PathBuf,
    number: usize,
    attack: Attack,
    in_flight: usize,
    attacks: Arc<AtomicUsize>,
) {
    loop {
        let hostile = Hostile { attack, attacks: Arc::clone(&attacks) };
        let Ok(stream) = UnixStream::connect(&socket).await else { return };
        let Ok(socket) = Socket::new(stream) else { return };
        let (connection, caller) = Connection::new(socket, Channels::PLUGIN, Limits::default());
        let caller = Arc::new(caller);
        let calls = async {
            register(&caller, number).await;
            match attack {
                Attack::Updates => {
                    let calls = (0..in_flight)
                        .map(|_| tokio::spawn(update(Arc::clone(&caller), Arc::clone(&attacks))));
                    for call in calls.collect::<Vec<_>>() {
                        drop(call.await);
                    }
                }
                Attack::Create(_) => std::future::pending().await,
                // Long enough for the answer to Synchronize.
                Attack::Synchronize => tokio::time::sleep(Duration::from_millis(500)).await,
            }
        };
        tokio::select! {
            _ = connection.serve(&hostile) => {}
            () = calls => {}
        }
    }
}

async fn register(caller: &Caller, number: usize) {
    let request = RegisterPluginRequest {
        plugin_name: "hostile".to_owned(),
        plugin_idx: format!("{}", 10 + number),
        nri_version: "v0.12.5".to_owned(),
    };
    drop(caller.call(RUNTIME, "RegisterPlugin", request.encode_to_vec(), None).await);
}

async fn update(caller: Arc<Caller>, attacks: Arc<AtomicUsize>) {
    // The runtime takes no requests before the plugin has synchronized.
    tokio::time::sleep(Duration::from_millis(100)).await;
    loop {
        let request = UPDATE.repeat(LARGE / UPDATE.len());
        attacks.fetch_add(1, Ordering::Relaxed);
        if let Err(CallError::Closed) =
            caller.call(RUNTIME, "UpdateContainers", request, None).await
        {
            return;
        }
    }
}

struct Hostile {
    attack: Attack,
    attacks: Arc<AtomicUsize>,
}

impl Service for Hostile {
    async fn call(&self, request: Request) -> std::result::Result<Bytes, Status> {
        let large = match (&*request.method, self.attack) {
            ("Configure", attack) => return Ok(subscription(attack).encode_to_vec().into()),
            ("Synchronize", Attack::Synchronize) => UPDATE.repeat(LARGE / UPDATE.len()),
            ("CreateContainer", Attack::Create(CREATE_UPDATE)) => {
                CREATE_UPDATE.repeat(LARGE / CREATE_UPDATE.len())
            }
            ("CreateContainer", Attack::Create(hook)) => adjustment(hook),
            _ => return Ok(Bytes::new()),
        };
        self.attacks.fetch_add(1, Ordering::Relaxed);
        Ok(large.into())
    }
}

/// Returns the events that a hostile plugin wants: creations only if it attacks with its answers to
/// them. Any plugin may be late with its own answers.
fn subscription(attack: Attack) -> ConfigureResponse {
    let event = match attack {
        Attack::Updates | Attack::Synchronize => Event::StopPodSandbox,
        Attack::Create(_) => Event::CreateContainer,
    };
    let events = EventMask::EMPTY.with(event).bits();
    ConfigureResponse { events, ..ConfigureResponse::default() }
}

/// An answer to CreateContainer with hooks: `adjust` around `hooks` around the elements.
fn adjustment(hook: &[u8]) -> Vec<u8> {
    let hooks = hook.repeat(LARGE / hook.len());
    let hooks = delimited(HOOKS_FIELD, &hooks);
    delimited(1, &hooks)
}

/// The number of `ContainerAdjustment.hooks`.
const HOOKS_FIELD: u8 = 5;

fn delimited(field: u8, content: &[u8]) -> Vec<u8> {
    let mut encoded = vec![(field << 3) | 2];
    let mut len = content.len();
    while len > 0x7f {
        encoded.push((len & 0x7f) as u8 | 0x80);
        len >>= 7;
    }
    encoded.push(len as u8);
    encoded.extend(content);
    encoded
}
