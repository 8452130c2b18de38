//! The cost of a relay: `cargo bench -p nri-adaptation --bench relay`, or with a number for more
//! rounds.
//!
//! | line | what it measures |
//! | --- | --- |
//! | relay | PostStartContainer from an adaptation to a plugin on the stub, each in its own process |
//! | messages | the same request between two processes that block in read and write: one encodes it and decodes the answer, the other decodes it and encodes the answer |
//! | raw | the same number of bytes between two such processes, which neither encode nor decode |
//!
//! `CPU us` is the CPU time of both processes per round trip, `switches` is how often they waited.
//! The three take turns, so that a change of the machine's pace hits all of them. What a relay
//! costs beyond `messages` is the work of this crate: headers, deadlines, order, dispatch and
//! outcomes, and that of tokio.

use std::hint::black_box;
use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use nri::api::{PostStartContainerRequest, PostStartContainerResponse};
use nri::codec::Message as _;
use nri::prelude::*;
use nri::stub::Stub;
use nri_adaptation::Adaptation;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Round trips measured in a row before the other side takes its turn.
const TURN: usize = 500;

/// Bytes around a request: mux and ttrpc headers, service, method, timeout.
const ENVELOPE: usize = 18 + 75;

#[derive(NriPlugin)]
#[nri(name = "bench", index = "10")]
struct Silent;

impl PostStartContainer for Silent {
    async fn post_start_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        _: Container,
    ) -> nri::Result<()> {
        Ok(())
    }
}

fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args().collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match arguments.get(1).map(String::as_str) {
        Some("plugin") => Ok(runtime.block_on(async {
            let stub = Stub::builder(Silent).name("bench").index("10");
            stub.socket(&arguments[2]).no_reconnect().run().await
        })?),
        Some("echo") => echo(&arguments[2], arguments[3].parse()?, arguments[4].parse()?),
        _ => runtime.block_on(measure(&arguments)),
    }
}

async fn measure(arguments: &[String]) -> Result<()> {
    let rounds: usize = arguments.iter().find_map(|arg| arg.parse().ok()).unwrap_or(20_000);
    let folder = tempfile::tempdir()?;
    let socket = folder.path().join("nri.sock");
    let adaptation = Adaptation::builder("bench", "v1").listen(&socket).start().await?;
    let plugin = Process::start(&["plugin", &socket.display().to_string()])?;
    while adaptation.plugins().is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let (pod, container) = subject();
    let request =
        PostStartContainerRequest { pod: Some(pod.clone()), container: Some(container.clone()) };
    let bytes = ENVELOPE + request.encoded_len();
    let mut raw = Raw::connect(&folder.path().join("raw.sock"), bytes, None)?;
    let mut messages = Raw::connect(&folder.path().join("messages.sock"), bytes, Some(request))?;
    let mut lines = [
        Line::new("relay", &plugin),
        Line::new("messages", &messages.echo),
        Line::new("raw", &raw.echo),
    ];
    let [relayed, with_messages, raws] = &mut lines;
    for _ in 0..rounds.div_ceil(TURN) {
        let begun = relayed.usage();
        for _ in 0..TURN {
            let start = Instant::now();
            adaptation.post_start_container(&pod, &container).await?;
            relayed.times.push(start.elapsed());
        }
        relayed.add(begun);
        with_messages.turn(|| messages.round_trip())?;
        raws.turn(|| raw.round_trip())?;
    }
    println!("{bytes} bytes, {} round trips", relayed.times.len());
    println!("                 p50 us   p99 us   CPU us switches");
    let [of_relay, of_messages, of_raw] = lines.map(Line::print);
    for (name, other) in [("relay/messages", of_messages), ("relay/raw", of_raw)] {
        println!("{name:14} {:>8.2} {:>8.2}", of_relay.0 / other.0, of_relay.1 / other.1);
    }
    Ok(())
}

/// The measurements of one kind of round trip.
struct Line {
    name: &'static str,
    times: Vec<Duration>,
    /// This process and its peer.
    processes: [u32; 2],
    used: Usage,
}

impl Line {
    fn new(name: &'static str, peer: &Process) -> Self {
        Line {
            name,
            times: Vec::new(),
            processes: [std::process::id(), peer.0.id()],
            used: Usage::default(),
        }
    }

    /// Returns what both processes have used so far.
    fn usage(&self) -> Usage {
        let [one, other] = self.processes.map(Usage::of);
        Usage { nanos: one.nanos + other.nanos, switches: one.switches + other.switches }
    }

    /// Adds what both processes have used since then.
    fn add(&mut self, since: Usage) {
        let now = self.usage();
        self.used.nanos += now.nanos - since.nanos;
        self.used.switches += now.switches - since.switches;
    }

    fn turn(&mut self, mut round_trip: impl FnMut() -> Result<Duration>) -> Result<()> {
        let begun = self.usage();
        for _ in 0..TURN {
            self.times.push(round_trip()?);
        }
        self.add(begun);
        Ok(())
    }

    /// Prints the line. Returns the percentiles.
    fn print(self) -> (f64, f64) {
        let count = self.times.len() as f64;
        let (p50, p99) = percentiles(self.times);
        let cpu = self.used.nanos as f64 / 1000.0 / count;
        let switches = self.used.switches as f64 / count;
        let name = self.name;
        println!("{name:14} {p50:>8.2} {p99:>8.2} {cpu:>8.2} {switches:>8.2}");
        (p50, p99)
    }
}

/// The resources that the main thread of a process has used.
#[derive(Default)]
struct Usage {
    /// CPU time in nanoseconds.
    nanos: u64,
    /// The number of times that it waited.
    switches: u64,
}

impl Usage {
    fn of(process: u32) -> Self {
        let read = |file: &str| std::fs::read_to_string(format!("/proc/{process}/{file}"));
        let scheduled = read("schedstat").unwrap_or_default();
        let status = read("status").unwrap_or_default();
        let switches =
            status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        let number = |text: Option<&str>| text.and_then(|text| text.trim().parse().ok());
        Usage {
            nanos: number(scheduled.split(' ').next()).unwrap_or(0),
            switches: number(switches).unwrap_or(0),
        }
    }
}

/// Returns a pod and a container with ten labels each.
fn subject() -> (PodSandbox, Container) {
    let pod = PodSandbox {
        id: "0123456789abcdef".repeat(4),
        name: "pod".to_owned(),
        namespace: "default".to_owned(),
        labels: labels("pod").collect(),
        ..PodSandbox::default()
    };
    let container = Container {
        id: "fedcba9876543210".repeat(4),
        pod_sandbox_id: pod.id.clone(),
        name: "container".to_owned(),
        labels: labels("container").collect(),
        ..Container::default()
    };
    (pod, container)
}

/// Returns ten labels of a pod or a container.
fn labels(of: &'static str) -> impl Iterator<Item = (String, String)> {
    (0..10).map(move |nth| (format!("{of}.example.com/label-{nth}"), "value".to_owned()))
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
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends messages of one size and gets empty answers.
struct Raw {
    stream: UnixStream,
    message: Vec<u8>,
    /// Encoded anew for each round trip, at the end of the message.
    request: Option<PostStartContainerRequest>,
    echo: Process,
}

/// The size of an answer without content: mux and ttrpc headers.
const ANSWER: usize = 18;

impl Raw {
    fn connect(
        socket: &Path,
        bytes: usize,
        request: Option<PostStartContainerRequest>,
    ) -> std::io::Result<Self> {
        let listener = UnixListener::bind(socket)?;
        let (path, size) = (socket.display().to_string(), bytes.to_string());
        let decodes = request.is_some().to_string();
        let echo = Process::start(&["echo", &path, &size, &decodes])?;
        Ok(Raw { stream: listener.accept()?.0, message: vec![1; bytes], request, echo })
    }

    fn round_trip(&mut self) -> Result<Duration> {
        let start = Instant::now();
        if let Some(request) = &self.request {
            self.message.truncate(ENVELOPE);
            request.encode(&mut self.message);
        }
        self.stream.write_all(&self.message)?;
        self.stream.read_exact(&mut [0; ANSWER])?;
        if self.request.is_some() {
            PostStartContainerResponse::decode(&[][..])?;
        }
        Ok(start.elapsed())
    }
}

/// Answers messages of `bytes` until there are no more. Decodes them if they are requests.
fn echo(socket: &str, bytes: usize, decodes: bool) -> Result<()> {
    let mut stream = UnixStream::connect(socket)?;
    let mut message = vec![0; bytes];
    while stream.read_exact(&mut message).is_ok() {
        if decodes {
            drop(black_box(PostStartContainerRequest::decode(&message[ENVELOPE..])?));
        }
        stream.write_all(&[0; ANSWER])?;
    }
    Ok(())
}

fn percentiles(mut times: Vec<Duration>) -> (f64, f64) {
    times.sort_unstable();
    let at = |part: usize| {
        let index = (times.len() * part / 100).min(times.len() - 1);
        times[index].as_nanos() as f64 / 1000.0
    };
    (at(50), at(99))
}
