//! The cost of a relay: `cargo bench -p nri --features adaptation --bench relay`, or with a number for more rounds.
//!
//! PostStartContainer from an adaptation to a plugin on the stub, each in its own process, beside a ping-pong of the
//! same number of bytes between two processes that block in read and write. That is the limit: it decodes nothing
//! and has no timeout. In microseconds; the two take turns, so that a change of the machine's pace hits both.

use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use nri::adaptation::Adaptation;
use nri::api::{Container, PodSandbox};
use nri::prelude::*;
use nri::stub::Stub;

/// Round trips measured in a row before it is the other's turn.
const TURN: usize = 500;

/// Bytes around a request: mux and ttrpc headers, service, method, timeout.
const ENVELOPE: usize = 18 + 75;

#[derive(NriPlugin)]
#[nri(name = "bench", index = "10")]
struct Silent;

impl PostStartContainer for Silent {
    async fn post_start_container(
        &self,
        _: &Context,
        _: PodSandbox,
        _: Container,
    ) -> nri::Result<()> {
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<_> = std::env::args().collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    match arguments.get(1).map(String::as_str) {
        Some("plugin") => Ok(runtime.block_on(async {
            let stub = Stub::builder(Silent).name("bench").index("10");
            stub.socket(&arguments[2]).no_reconnect().run().await
        })?),
        Some("echo") => echo(&arguments[2], arguments[3].parse()?),
        _ => runtime.block_on(measure(&arguments)),
    }
}

async fn measure(arguments: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let rounds = arguments.iter().find_map(|arg| arg.parse().ok());
    let rounds: usize = rounds.unwrap_or(20_000);
    let folder = tempfile::tempdir()?;
    let socket = folder.path().join("nri.sock");
    let adaptation = Adaptation::builder("bench", "v1")
        .listen(&socket)
        .start()
        .await?;
    let _plugin = Process::start(&["plugin", &socket.display().to_string()])?;
    while adaptation.plugins().is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let (pod, container) = subject();
    let bytes = ENVELOPE + nri_size(&pod, &container);
    let mut raw = Raw::connect(&folder.path().join("raw.sock"), bytes)?;
    let (mut relayed, mut raws) = (Vec::new(), Vec::new());
    for _ in 0..rounds.div_ceil(TURN) {
        for _ in 0..TURN {
            let start = Instant::now();
            adaptation.post_start_container(&pod, &container).await?;
            relayed.push(start.elapsed());
        }
        for _ in 0..TURN {
            raws.push(raw.round_trip()?);
        }
    }
    println!("{bytes} bytes, {} round trips (p50/p99 us)", relayed.len());
    let (relayed, raws) = (percentiles(relayed), percentiles(raws));
    println!("relay     {:>8.1} {:>8.1}", relayed.0, relayed.1);
    println!("raw       {:>8.1} {:>8.1}", raws.0, raws.1);
    println!(
        "relay/raw {:>8.2} {:>8.2}",
        relayed.0 / raws.0,
        relayed.1 / raws.1
    );
    Ok(())
}

/// Returns a pod and a container with ten labels each.
fn subject() -> (PodSandbox, Container) {
    let labels = |of: &'static str| {
        (0..10).map(move |nth| (format!("{of}.example.com/label-{nth}"), "value".to_owned()))
    };
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

fn nri_size(pod: &PodSandbox, container: &Container) -> usize {
    use prost::Message as _;
    pod.encoded_len() + container.encoded_len()
}

/// A process that this one started from itself.
struct Process(Child);

impl Process {
    fn start(arguments: &[&str]) -> std::io::Result<Self> {
        let program = std::env::current_exe()?;
        Command::new(program).args(arguments).spawn().map(Process)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends messages of `bytes` and gets empty answers.
struct Raw {
    stream: UnixStream,
    message: Vec<u8>,
    _echo: Process,
}

/// The size of an answer without content: mux and ttrpc headers.
const ANSWER: usize = 18;

impl Raw {
    fn connect(socket: &Path, bytes: usize) -> std::io::Result<Self> {
        let listener = UnixListener::bind(socket)?;
        let echo = Process::start(&["echo", &socket.display().to_string(), &bytes.to_string()])?;
        Ok(Raw {
            stream: listener.accept()?.0,
            message: vec![1; bytes],
            _echo: echo,
        })
    }

    fn round_trip(&mut self) -> std::io::Result<Duration> {
        let start = Instant::now();
        self.stream.write_all(&self.message)?;
        self.stream.read_exact(&mut [0; ANSWER])?;
        Ok(start.elapsed())
    }
}

/// Answers messages of `bytes` until there are no more.
fn echo(socket: &str, bytes: usize) -> Result<(), Box<dyn std::error::Error>> {
    let mut stream = UnixStream::connect(socket)?;
    let mut message = vec![0; bytes];
    while stream.read_exact(&mut message).is_ok() {
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
