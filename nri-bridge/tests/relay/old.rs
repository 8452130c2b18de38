//! A plugin of NRI v0.11 byte by byte, and the bridge between it and a runtime.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use nri::api::{
    ConfigureResponse, Container, Event, EventMask, PodSandbox, RegisterPluginRequest,
    StateChangeEvent, SynchronizeRequest, SynchronizeResponse,
};
use nri::codec::Message as _;
use nri::wire::{Caller, Channels, Code, Connection, Limits, Request, Service, Status};
use nri_adaptation::{Adaptation, Builder};
use nri_bridge::relay::{End, Options, relay};
use nri_bridge::state::State;
use tokio::io::DuplexStream;
use tokio::task::JoinHandle;

/// The reaction of the plugin to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behaviour {
    Answers,
    AnswersAndEnds,
    Fails,
    Crashes,
    NeverAnswers,
    /// Answers, but says in the words of the Rust crate `ttrpc` that it lacks an RPC.
    Misstates,
}

/// A plugin of NRI v0.11, byte by byte.
#[derive(Clone)]
pub(crate) struct Old {
    mask: EventMask,
    behaviour: Behaviour,
    /// The requests so far, by method.
    pub(crate) requests: Arc<Mutex<Vec<(String, Bytes)>>>,
    crash: Arc<tokio::sync::Notify>,
}

impl Old {
    pub(crate) fn new(mask: EventMask, behaviour: Behaviour) -> Self {
        Self { mask, behaviour, requests: Arc::default(), crash: Arc::default() }
    }

    /// Returns the methods that were called, and for StateChange the event.
    pub(crate) fn called(&self) -> Vec<String> {
        let requests = self.requests.lock().expect("no panic");
        let names = requests.iter().map(|(method, payload)| match method.as_str() {
            "StateChange" => {
                let change = StateChangeEvent::decode(&payload[..]).expect("a message");
                format!("StateChange {}", change.event().as_str_name())
            }
            _ => method.clone(),
        });
        names.collect()
    }
}

impl Service for Old {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        let method = request.method.clone();
        self.requests.lock().expect("no panic").push((method.clone(), request.payload.clone()));
        match method.as_str() {
            "Configure" => {
                let events = self.mask.bits();
                let answer = ConfigureResponse { events, ..ConfigureResponse::default() };
                Ok(answer.encode_to_vec().into())
            }
            "Shutdown" => Ok(Bytes::new()),
            "Synchronize" => {
                let part = SynchronizeRequest::decode(&request.payload[..]).expect("a message");
                let answer = SynchronizeResponse { more: part.more, ..Default::default() };
                Ok(answer.encode_to_vec().into())
            }
            "CreateContainer" | "StateChange" => match self.behaviour {
                Behaviour::Answers | Behaviour::Misstates => Ok(Bytes::new()),
                Behaviour::AnswersAndEnds => {
                    self.crash.notify_one();
                    Ok(Bytes::new())
                }
                Behaviour::Fails => Err(Status::new(Code::UNKNOWN, "no luck today")),
                Behaviour::Crashes => {
                    self.crash.notify_one();
                    std::future::pending().await
                }
                Behaviour::NeverAnswers => std::future::pending().await,
            },
            other if self.behaviour == Behaviour::Misstates => {
                let message = format!("{}/{other} is not supported", request.service);
                Err(Status::new(Code::NOT_FOUND, message))
            }
            other => Err(Status::unknown_method(&request.service, other)),
        }
    }
}

/// A plugin behind a bridge, for a runtime at the other end of a stream.
pub(crate) struct Behind {
    pub(crate) stream: DuplexStream,
    pub(crate) state: State,
    /// Ends when the runtime has accepted the plugin.
    pub(crate) registered: JoinHandle<()>,
    end: JoinHandle<End>,
}

impl Behind {
    pub(crate) fn start(plugin: &Old) -> Self {
        let (stream, towards_runtime) = tokio::io::duplex(64 << 10);
        let (plugin_end, towards_plugin) = tokio::io::duplex(64 << 10);
        let state = State::default();
        let relayed = state.clone();
        let end = tokio::spawn(async move {
            relay(towards_runtime, towards_plugin, &Options::default(), &relayed).await
        });
        let caller = serve(plugin.clone(), plugin_end);
        let register = RegisterPluginRequest {
            plugin_name: "old".to_owned(),
            plugin_idx: "10".to_owned(),
            ..RegisterPluginRequest::default()
        };
        let registered = tokio::spawn(async move {
            let service = "nri.pkg.api.v1alpha1.Runtime";
            let answer = caller.call(service, "RegisterPlugin", register.encode_to_vec(), None);
            answer.await.expect("the plugin is registered");
        });
        Self { stream, state, registered, end }
    }
}

/// A runtime, a bridge and an old plugin.
pub(crate) struct Bridged {
    pub(crate) adaptation: Adaptation,
    pub(crate) plugin: Old,
    pub(crate) state: State,
    end: JoinHandle<End>,
}

impl Bridged {
    /// Starts all three, with a time limit that no request reaches.
    pub(crate) async fn start(plugin: Old) -> Self {
        Self::with(|builder| builder.request_timeout(Duration::from_secs(20)), plugin).await
    }

    /// Starts all three, with settings of the runtime.
    pub(crate) async fn with(settings: impl FnOnce(Builder) -> Builder, plugin: Old) -> Self {
        let builder = Adaptation::builder("containerd", "v2.7.0").without_state_change();
        let adaptation = settings(builder).start().await.expect("it starts");
        let Behind { stream, state, registered, end } = Behind::start(&plugin);
        adaptation.connect(stream).await.expect("the plugin joins");
        registered.await.expect("no panic");
        Self { adaptation, plugin, state, end }
    }

    pub(crate) async fn end(self) -> End {
        let end = tokio::time::timeout(Duration::from_secs(60), self.end).await;
        end.expect("the relay ends in time").expect("no panic")
    }
}

/// Serves a plugin until it crashes.
fn serve(plugin: Old, stream: DuplexStream) -> Caller {
    let (connection, caller) = Connection::new(stream, Channels::PLUGIN, Limits::default());
    tokio::spawn(async move {
        tokio::select! {
            // A plugin that answers and ends sends its answer before.
            biased;
            _ = connection.serve(&plugin) => {}
            () = plugin.crash.notified() => {}
        }
    });
    caller
}

pub(crate) fn pod() -> PodSandbox {
    PodSandbox { id: "p1".to_owned(), ..PodSandbox::default() }
}

pub(crate) fn container() -> Container {
    Container { id: "c1".to_owned(), pod_sandbox_id: "p1".to_owned(), ..Container::default() }
}

/// The events that StateChange carried.
pub(crate) fn handled() -> EventMask {
    let events = [Event::RunPodSandbox, Event::CreateContainer, Event::StopPodSandbox];
    events.into_iter().fold(EventMask::EMPTY, EventMask::with)
}
