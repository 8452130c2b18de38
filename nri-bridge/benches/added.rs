//! Measures the time that the bridge adds to an event: `cargo bench -p nri-bridge`, or with a
//! number for more rounds.
//!
//! `direct` is RunPodSandbox from an adaptation that falls back to StateChange, `bridged` the same
//! from one that never sends StateChange, through the bridge. The plugin knows nothing but
//! StateChange. Runtime, bridge and plugin are three processes, and both take turns, so that a
//! change of the machine's pace hits both. The last line is how much memory the bridge has gained,
//! measured after the first and after the last turn.

use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use bytes::Bytes;
use nri::api::{ConfigureResponse, Event, EventMask, PodSandbox, RegisterPluginRequest};
use nri::codec::Message as _;
use nri::wire::{Channels, Connection, Limits, Request, Service, Status};
use nri_adaptation::{Adaptation, Builder};
use nri_bridge::modes::{Listening, listen};
use nri_bridge::relay::Options;
use nri_bridge::state::State;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Round trips measured in a row before the other side takes its turn.
const TURN: usize = 500;

/// A plugin of NRI v0.11.
struct Old;

impl Service for Old {
    async fn call(&self, request: Request) -> std::result::Result<Bytes, Status> {
        match request.method.as_str() {
            "Configure" => {
                let events = EventMask::EMPTY.with(Event::RunPodSandbox).bits();
                let answer = ConfigureResponse { events, ..ConfigureResponse::default() };
                Ok(answer.encode_to_vec().into())
            }
            "Synchronize" | "Shutdown" | "StateChange" => Ok(Bytes::new()),
            other => Err(Status::unknown_method(&request.service, other)),
        }
    }
}

fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args().collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match arguments.get(1).map(String::as_str) {
        Some("plugin") => runtime.block_on(plugin(Path::new(&arguments[2]))),
        Some("bridge") => runtime.block_on(bridge(&arguments[2], &arguments[3])),
        _ => runtime.block_on(measure(&arguments)),
    }
}

async fn bridge(runtime: &str, plugins: &str) -> Result<()> {
    let listening = Listening { runtime: runtime.into(), plugins: plugins.into() };
    Ok(listen(&listening, &Options::default(), &State::default()).await?)
}

async fn plugin(socket: &Path) -> Result<()> {
    let stream = nri::stub::connect(socket).await?;
    let (connection, caller) = Connection::new(stream, Channels::PLUGIN, Limits::default());
    let register = RegisterPluginRequest {
        plugin_name: "old".to_owned(),
        plugin_idx: "10".to_owned(),
        ..RegisterPluginRequest::default()
    };
    let (service, method) = ("nri.pkg.api.v1alpha1.Runtime", "RegisterPlugin");
    let registering = caller.call(service, method, register.encode_to_vec(), None);
    let (served, registered) = tokio::join!(connection.serve(&Old), registering);
    registered?;
    served?;
    Ok(())
}

async fn measure(arguments: &[String]) -> Result<()> {
    let rounds: usize = arguments.iter().find_map(|arg| arg.parse().ok()).unwrap_or(20_000);
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    let direct = Side::start(&at("direct"), &at("direct"), |builder| builder).await?;
    let (runtime, bridge) = (at("runtime").display().to_string(), at("bridge"));
    let process = Process::start(&["bridge", &runtime, &bridge.display().to_string()])?;
    let bridged = Side::start(&at("runtime"), &bridge, Builder::without_state_change).await?;
    let mut measured = [Vec::new(), Vec::new()];
    let mut memory = None;
    for _ in 0..rounds.div_ceil(TURN) {
        for (side, times) in [&direct, &bridged].into_iter().zip(&mut measured) {
            side.turn(times).await?;
        }
        memory = memory.or_else(|| process.memory());
    }
    println!("{} round trips each   p50 us   p99 us", measured[0].len());
    let results = measured.map(percentiles);
    for (name, times) in ["direct", "bridged"].into_iter().zip(results) {
        let [p50, p99] = times.map(|time| time.as_secs_f64() * 1e6);
        println!("{name:22} {p50:>8.1} {p99:>8.1}");
    }
    let [[direct_p50, _], [bridged_p50, _]] = results;
    let added = bridged_p50.saturating_sub(direct_p50);
    println!("added, p50 {:>20.1}", added.as_secs_f64() * 1e6);
    if let (Some(before), Some(after)) = (memory, process.memory()) {
        println!("memory of the bridge: {before} KiB, then {after} KiB");
    }
    Ok(())
}

/// Returns the median and the 99th percentile.
fn percentiles(mut times: Vec<Duration>) -> [Duration; 2] {
    times.sort();
    [times[times.len() / 2], times[times.len() * 99 / 100]]
}

/// A runtime with the plugin.
struct Side {
    adaptation: Adaptation,
    _plugin: Process,
}

impl Side {
    /// Starts a runtime at a socket, and the plugin, which connects to another one or the same.
    async fn start(
        runtime: &Path,
        plugin: &Path,
        settings: fn(Builder) -> Builder,
    ) -> Result<Self> {
        let builder = settings(Adaptation::builder("bench", "v1"));
        let adaptation = builder.listen(runtime).start().await?;
        while !plugin.exists() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let process = Process::start(&["plugin", &plugin.display().to_string()])?;
        while adaptation.plugins().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(Self { adaptation, _plugin: process })
    }

    async fn turn(&self, times: &mut Vec<Duration>) -> Result<()> {
        let pod = PodSandbox {
            id: "a".repeat(64),
            name: "pod".to_owned(),
            namespace: "default".to_owned(),
            ..PodSandbox::default()
        };
        for _ in 0..TURN {
            let start = Instant::now();
            self.adaptation.run_pod_sandbox(&pod).await?;
            times.push(start.elapsed());
        }
        Ok(())
    }
}

/// A process of this program, which ends with the value.
struct Process(Child);

impl Process {
    fn start(arguments: &[&str]) -> Result<Self> {
        Ok(Self(Command::new(std::env::current_exe()?).args(arguments).spawn()?))
    }

    /// Returns its resident memory in KiB.
    fn memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.split_whitespace().next()?.parse().ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
