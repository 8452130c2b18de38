//! The life of two pods as a plugin sees it, recorded between the plugin and an adaptation.

use std::fmt;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nri::api::Event;
use nri_adaptation::{Adaptation, Revision};
use nri_conformance::record::{FrameEvent, Options, Party, Proxy, Reader, create_file};
use nri_conformance::session::{PLUGIN_SERVICE, RuntimeKind, sample_request, world::World};
use nri_tests::messages::newest;
use nri_tests::process::PATIENCE;
use nri_tests::relay::{events, relay};
use nri_tests::runtime::Runtime;
use prost_reflect::{DynamicMessage, MethodDescriptor, SerializeOptions};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::{Animal, blocking};

/// The runtime that the adaptations say they are, and the release of NRI.
const RUNTIME: (&str, &str, &str) = ("containerd", "v2.4.2", "v0.12.5");

/// A recorded session.
pub(super) struct Session {
    pub(super) file: PathBuf,
    pub(super) steps: Vec<Step>,
}

/// A request that a plugin received, and its answer.
#[derive(Debug, PartialEq)]
pub(super) struct Step {
    rpc: String,
    request: DynamicMessage,
    answer: Result<DynamicMessage, String>,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.answer {
            Ok(answer) => write!(f, "{} {}", self.rpc, json(answer)),
            Err(error) => write!(f, "{} fails: {error}", self.rpc),
        }
    }
}

fn json(message: &DynamicMessage) -> Value {
    let options = SerializeOptions::new();
    let value = message.serialize_with_options(serde_json::value::Serializer, &options);
    value.expect("messages have JSON")
}

/// Records a session under `nri-adaptation`.
pub(super) fn under_ours(animal: &Animal<'_>) -> Session {
    blocking(async {
        let socket = animal.folder.path().join("ours.sock");
        let adaptation = Adaptation::builder(RUNTIME.0, RUNTIME.1)
            .listen(&socket)
            .speaking(RUNTIME.2)
            .start()
            .await
            .expect("it starts");
        let recording = Recording::start(animal, "ours", &socket);
        let deadline = Instant::now() + PATIENCE;
        while adaptation.plugins().is_empty() {
            assert!(Instant::now() < deadline, "{} does not connect", animal.name());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        for (event, request) in requests(animal) {
            // The recording has the answer of the plugin.
            drop(relay(&adaptation, event, &request).await);
        }
        let session = recording.end().await;
        adaptation.stop().await;
        session
    })
}

/// Records a session under the reference adaptation.
pub(super) fn under_go(animal: &Animal<'_>) -> Session {
    blocking(async {
        let mut runtime = Runtime::named(RUNTIME.2, RUNTIME.0, RUNTIME.1);
        runtime.start();
        let recording = Recording::start(animal, "go", &runtime.socket());
        tokio::task::block_in_place(|| {
            runtime.wait_for_plugin(&format!("20-{}", animal.plugin.name()));
            for (event, request) in requests(animal) {
                let request = json(&request);
                let fired = json!({ "event": event, "request": request });
                drop(runtime.command("fire", fired));
            }
        });
        recording.end().await
    })
}

/// Returns the requests about two pods, of which the first has the annotations of the table.
fn requests(animal: &Animal<'_>) -> Vec<(&'static str, DynamicMessage)> {
    let mut world = World::of(RuntimeKind::default(), 7);
    let mut requests = Vec::new();
    for is_annotated in [true, false] {
        let mut pod = world.pod();
        let container = world.container(&pod);
        if is_annotated {
            let annotations = animal.plugin.annotations.iter();
            pod.annotations.extend(
                annotations.map(|(key, value)| {
                    (key.replace("{container}", &container.name), value.clone())
                }),
            );
        }
        for rpc in events() {
            let sample = sample_request(RuntimeKind::default(), event(rpc), &pod, &container);
            let request = DynamicMessage::decode(method(rpc).input(), &*sample);
            requests.push((rpc, request.expect("a request of this RPC")));
        }
    }
    requests
}

fn event(name: &str) -> Event {
    let rpc = Revision::rpcs().iter().find(|rpc| rpc.name == name);
    rpc.and_then(|rpc| rpc.event).expect("the RPC of an event")
}

fn method(rpc: &str) -> MethodDescriptor {
    let service = newest().get_service_by_name(PLUGIN_SERVICE);
    let service = service.expect("the service of plugins");
    let method = service.methods().find(|method| method.name() == rpc);
    method.expect("an RPC of plugins")
}

/// A plugin behind a proxy that records.
struct Recording {
    file: PathBuf,
    plugin: Running,
    proxy: tokio::task::JoinHandle<()>,
    stop: oneshot::Sender<()>,
}

impl Recording {
    fn start(animal: &Animal<'_>, name: &str, socket: &Path) -> Self {
        let at = |suffix: &str| animal.folder.path().join(format!("{name}-{suffix}"));
        let (file, listen) = (at("session.nri"), at("proxy.sock"));
        let bound = Proxy::bind(&listen, socket).expect("it listens");
        let output = create_file(&file).expect("it can be written");
        let mut options = Options::default();
        options.redact = false;
        let (stop, stopped) = oneshot::channel();
        let proxy = tokio::spawn(async move {
            let stopped = async { drop(stopped.await) };
            bound.record(output, options, stopped).await.expect("it records");
        });
        Recording { file, plugin: Running::launch(animal, &listen), proxy, stop }
    }

    /// Ends the plugin and reads what was recorded.
    async fn end(self) -> Session {
        drop(self.plugin);
        drop(self.stop);
        self.proxy.await.expect("no panic");
        Session { steps: steps(&self.file), file: self.file }
    }
}

/// The process of a plugin, which ends when this is dropped.
struct Running(Child);

impl Running {
    /// Starts a plugin like a runtime, on a connection to a socket.
    fn launch(animal: &Animal<'_>, socket: &Path) -> Self {
        let connection = UnixStream::connect(socket).expect("it listens");
        let child = Command::new("sh")
            .args(["-c", r#"exec "$0" "$@" 3<&0 0</dev/null"#])
            .arg(&animal.program)
            .args(animal.arguments())
            .env_clear()
            .env("NRI_PLUGIN_NAME", animal.plugin.name())
            .env("NRI_PLUGIN_IDX", "20")
            .env("NRI_PLUGIN_SOCKET", "3")
            .stdin(OwnedFd::from(connection))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Running(child.expect("it starts"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Returns the requests in a recording that the plugin answered, in order.
fn steps(file: &Path) -> Vec<Step> {
    let mut reader = Reader::open(file).expect("a recording");
    let mut steps: Vec<(u32, Step)> = Vec::new();
    while let Some(frame) = reader.next_frame().expect("a frame") {
        match frame.event {
            FrameEvent::Request(sent) if sent.service == PLUGIN_SERVICE => {
                let payload = sent.payload.bytes().expect("nothing is withheld");
                let request = DynamicMessage::decode(method(&sent.method).input(), &**payload);
                let step = Step {
                    rpc: sent.method,
                    request: request.expect("a request of this RPC"),
                    answer: Err("no answer".to_owned()),
                };
                steps.push((sent.stream, step));
            }
            FrameEvent::Response(sent) if sent.by == Party::Plugin => {
                let step = steps.iter_mut().rev().find(|(stream, _)| *stream == sent.stream);
                let (_, step) = step.expect("the answer to a request");
                step.answer = sent.result.map_err(|status| status.to_string()).map(|payload| {
                    let payload = payload.bytes().expect("nothing is withheld").clone();
                    let answer = DynamicMessage::decode(method(&step.rpc).output(), payload);
                    answer.expect("an answer of this RPC")
                });
            }
            FrameEvent::Request(_)
            | FrameEvent::Response(_)
            | FrameEvent::Opened
            | FrameEvent::Other { .. }
            | FrameEvent::Lost { .. }
            | FrameEvent::Closed { .. } => {}
        }
    }
    steps.into_iter().map(|(_, step)| step).collect()
}
