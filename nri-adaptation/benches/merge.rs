//! Merging the adjustments of 20 plugins:
//! `cargo bench -p nri-adaptation --bench merge -- [MERGE_PEER]`.
//!
//! With the path of the Go peer `merge`, the reference adaptation merges the same answers,
//! alternating with ours.
//!
//! | line | meaning |
//! | --- | --- |
//! | request, builtin plugins | CreateContainer through 20 plugins in the process |
//! | merging | decoding 20 answers and merging them; for Go, the request minus the same request with 20 empty answers |

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use nri::api::{Container, CreateContainerRequest, CreateContainerResponse, Mount};
use nri::codec::Message as _;
use nri::prelude::*;
use nri_adaptation::Adaptation;
use nri_adaptation::merge::CreateCollector;
use serde_json::{Value, json};

const PLUGINS: usize = 20;

/// Requests in a row before the other side takes its turn.
const TURN: u32 = 200;

const ROUNDS: usize = 21;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let peer = std::env::args().skip(1).find(|arg| !arg.starts_with("--"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(measure(peer))
}

async fn measure(peer: Option<String>) -> Result<(), Failure> {
    let mut peer = peer.map(|program| Peer::start(&program)).transpose()?;
    let adaptation = Adaptation::builder("bench", "v1").start().await?;
    for nth in 0..PLUGINS {
        let plugin = Adjuster(answer(nth));
        adaptation.builtin_as(plugin, format!("{nth:02}-p{nth}").parse()?).await?;
    }
    let encoded: Vec<_> = (0..PLUGINS).map(|nth| answer(nth).encode_to_vec()).collect();
    let mut times = Times::default();
    for _ in 0..ROUNDS {
        times.request.push(request(&adaptation).await?);
        times.merging.push(merging(&encoded)?);
        if let Some(peer) = &mut peer {
            let whole = peer.nanos(&encoded)?;
            let empty = peer.nanos(&vec![Vec::new(); PLUGINS])?;
            times.go_request.push(whole);
            times.go_merging.push(whole - empty);
        }
    }
    times.print();
    adaptation.stop().await;
    Ok(())
}

/// Nanoseconds per request, one for each round.
#[derive(Default)]
struct Times {
    request: Vec<f64>,
    merging: Vec<f64>,
    go_request: Vec<f64>,
    go_merging: Vec<f64>,
}

impl Times {
    fn print(mut self) {
        let bytes: usize = (0..PLUGINS).map(|nth| answer(nth).encoded_len()).sum();
        println!("answers of {PLUGINS} plugins, {bytes} bytes; medians of {ROUNDS} rounds");
        for (name, ours, go) in [
            ("request, builtin plugins", &mut self.request, &mut self.go_request),
            ("merging", &mut self.merging, &mut self.go_merging),
        ] {
            let ours = median(ours);
            print!("{name:26} {:9.1} us", ours / 1e3);
            if go.is_empty() {
                println!();
            } else {
                let go = median(go);
                println!("   Go {:9.1} us   ratio {:.2}", go / 1e3, ours / go);
            }
        }
    }
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Gives the same answer to every CreateContainer.
#[derive(NriPlugin)]
struct Adjuster(CreateContainerResponse);

impl CreateContainer for Adjuster {
    async fn create_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        _: Container,
    ) -> nri::Result<Adjustment> {
        Ok(self.0.adjust.clone().unwrap_or_default().into())
    }
}

async fn request(adaptation: &Adaptation) -> Result<f64, Failure> {
    let (pod, container) = (PodSandbox::default(), container());
    let start = Instant::now();
    for _ in 0..TURN {
        adaptation.create_container(&pod, &container).await?;
    }
    Ok(start.elapsed().as_nanos() as f64 / f64::from(TURN))
}

fn merging(encoded: &[Vec<u8>]) -> Result<f64, Failure> {
    let names: Vec<Arc<str>> = (0..PLUGINS).map(|nth| format!("{nth:02}-p{nth}").into()).collect();
    let container = container();
    let start = Instant::now();
    for _ in 0..TURN {
        let mut collector = CreateCollector::new(container.clone());
        for (name, answer) in names.iter().zip(encoded) {
            collector.apply(name, CreateContainerResponse::decode(&**answer)?)?;
        }
        std::hint::black_box(collector.finish());
    }
    Ok(start.elapsed().as_nanos() as f64 / f64::from(TURN))
}

fn container() -> Container {
    Container {
        id: "container".to_owned(),
        name: "app".to_owned(),
        env: vec!["PATH=/usr/bin:/bin".to_owned(), "HOME=/".to_owned()],
        ..Container::default()
    }
}

/// Returns annotations, environment variables, a mount and a device that only this plugin sets.
fn answer(nth: usize) -> CreateContainerResponse {
    let mut adjustment = Adjustment::new();
    for at in 0..5 {
        adjustment = adjustment
            .annotation(format!("example.com/p{nth}-{at}"), "value")
            .env(format!("P{nth}_{at}"), "value");
    }
    let mount = Mount {
        destination: format!("/mnt/p{nth}"),
        source: "/srv".to_owned(),
        r#type: "bind".to_owned(),
        options: vec!["bind".to_owned(), "ro".to_owned()],
    };
    let device = nri::api::LinuxDevice::char(format!("/dev/p{nth}"), 10, nth as i64);
    adjustment.mount(mount).device(device).into()
}

/// The reference adaptation.
struct Peer {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    fn start(program: &str) -> Result<Self, Failure> {
        let mut command = Command::new(program);
        let mut process =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (input, output) = process.stdin.take().zip(process.stdout.take()).ok_or("no pipes")?;
        Ok(Peer { process, input, output: BufReader::new(output) })
    }

    /// Returns how long a request takes with these answers.
    fn nanos(&mut self, answers: &[Vec<u8>]) -> Result<f64, Failure> {
        let request = CreateContainerRequest {
            pod: Some(PodSandbox::default()),
            container: Some(container()),
        };
        let case = json!({
            "create": hex(&request.encode_to_vec()),
            "answers": answers.iter().map(|answer| hex(answer)).collect::<Vec<_>>(),
            "repeat": TURN,
        });
        writeln!(self.input, "{case}")?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let outcome: Value = serde_json::from_str(&line)?;
        let error = outcome["error"].as_str().unwrap_or("no answer");
        if error.is_empty() {
            outcome["nanos"].as_f64().ok_or_else(|| "no time".into())
        } else {
            Err(error.into())
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
