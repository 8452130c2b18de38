//! A relay between our adaptation, which never sends StateChange, and a plugin that knows nothing else.
// The plugin is one that still uses StateChange.
#![allow(deprecated)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use nri::api::{
    ConfigureRequest, ConfigureResponse, Container, Event, EventMask, PodSandbox,
    RegisterPluginRequest, StateChangeEvent, SynchronizeRequest, SynchronizeResponse,
};
use nri::codec::Message as _;
use nri::wire::{Caller, Channels, Code, Connection, Limits, Request, Service, Status};
use nri_adaptation::{Adaptation, OutcomeResult, RuntimeCallbacks};
use nri_bridge::relay::{End, Options, relay};
use nri_bridge::state::State;
use tokio::io::DuplexStream;
use tokio::task::JoinHandle;

/// What the plugin does with an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behaviour {
    Answers,
    AnswersAndEnds,
    Fails,
    Crashes,
    NeverAnswers,
}

/// A plugin of NRI v0.11, byte by byte.
#[derive(Clone)]
struct Old {
    mask: EventMask,
    behaviour: Behaviour,
    /// The requests so far, by method.
    requests: Arc<Mutex<Vec<(String, Bytes)>>>,
    crash: Arc<tokio::sync::Notify>,
}

impl Old {
    fn new(mask: EventMask, behaviour: Behaviour) -> Self {
        Self { mask, behaviour, requests: Arc::default(), crash: Arc::default() }
    }

    /// Returns the methods that were called, and for StateChange the event.
    fn called(&self) -> Vec<String> {
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
                Behaviour::Answers => Ok(Bytes::new()),
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
            other => Err(Status::unknown_method(&request.service, other)),
        }
    }
}

/// A runtime, a bridge and an old plugin.
struct Bridged {
    adaptation: Adaptation,
    plugin: Old,
    state: State,
    end: JoinHandle<End>,
}

impl Bridged {
    async fn start(plugin: Old) -> Self {
        let adaptation = Adaptation::builder("containerd", "v2.7.0")
            .without_state_change()
            .request_timeout(Duration::from_secs(20))
            .start()
            .await
            .expect("it starts");
        Self::with(adaptation, plugin).await
    }

    async fn with(adaptation: Adaptation, plugin: Old) -> Self {
        let (runtime_end, towards_runtime) = tokio::io::duplex(64 << 10);
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
        let registered = async {
            let service = "nri.pkg.api.v1alpha1.Runtime";
            caller.call(service, "RegisterPlugin", register.encode_to_vec(), None).await
        };
        let (joined, registered) = tokio::join!(adaptation.connect(runtime_end), registered);
        joined.expect("the plugin joins");
        registered.expect("the plugin is registered");
        Self { adaptation, plugin, state, end }
    }

    async fn end(self) -> End {
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

fn pod() -> PodSandbox {
    PodSandbox { id: "p1".to_owned(), ..PodSandbox::default() }
}

fn container() -> Container {
    Container { id: "c1".to_owned(), pod_sandbox_id: "p1".to_owned(), ..Container::default() }
}

/// The events that StateChange carried.
fn handled() -> EventMask {
    let events = [Event::RunPodSandbox, Event::CreateContainer, Event::StopPodSandbox];
    events.into_iter().fold(EventMask::EMPTY, EventMask::with)
}

#[tokio::test]
async fn events_arrive_as_state_change_after_the_first_refusal() {
    let bridged = Bridged::start(Old::new(handled(), Behaviour::Answers)).await;
    for _ in 0..2 {
        let relayed = bridged.adaptation.run_pod_sandbox(&pod()).await.expect("it passes");
        assert_eq!(relayed.outcomes[0].result, OutcomeResult::Answered);
    }
    bridged.adaptation.create_container(&pod(), &container()).await.expect("it passes");
    bridged.adaptation.stop_pod_sandbox(&pod()).await.expect("it passes");
    // Not in the mask.
    bridged.adaptation.remove_pod_sandbox(&pod()).await.expect("it passes");
    let expected = [
        "Configure",
        "Synchronize",
        "RunPodSandbox",
        "StateChange RUN_POD_SANDBOX",
        "StateChange RUN_POD_SANDBOX",
        "CreateContainer",
        "StopPodSandbox",
        "StateChange STOP_POD_SANDBOX",
    ];
    assert_eq!(bridged.plugin.called(), expected);
    assert_eq!(bridged.state.translations()["RunPodSandbox"], 2);
    assert_eq!(bridged.state.serving(), 1);
    let requests = bridged.plugin.requests.lock().expect("no panic").clone();
    let configure = ConfigureRequest::decode(&requests[0].1[..]).expect("a message");
    assert_eq!((configure.request_timeout, &*configure.runtime_version), (18_000, "v2.7.0"));
}

#[tokio::test]
async fn an_error_of_the_plugin_reaches_the_runtime_as_it_is() {
    let bridged = Bridged::start(Old::new(handled(), Behaviour::Fails)).await;
    let error = bridged.adaptation.create_container(&pod(), &container()).await.expect_err("fails");
    assert!(error.to_string().contains("no luck today"), "{error}");
    assert_eq!(bridged.adaptation.plugins().len(), 1);
}

#[tokio::test]
async fn a_crash_in_the_middle_of_an_event_closes_the_connection() {
    let bridged = Bridged::start(Old::new(handled(), Behaviour::Crashes)).await;
    let relayed = bridged.adaptation.run_pod_sandbox(&pod()).await.expect("the pod runs");
    assert_eq!(relayed.outcomes[0].result, OutcomeResult::Disconnected);
    assert!(bridged.adaptation.plugins().is_empty());
    let end = bridged.end().await;
    assert!(matches!(end, End::PluginClosed), "{end}");
}

#[tokio::test]
async fn an_answer_right_before_the_end_of_the_plugin_arrives() {
    let bridged = Bridged::start(Old::new(handled(), Behaviour::AnswersAndEnds)).await;
    let relayed = bridged.adaptation.run_pod_sandbox(&pod()).await.expect("the pod runs");
    assert_eq!(relayed.outcomes[0].result, OutcomeResult::Answered);
    let end = bridged.end().await;
    assert!(matches!(end, End::PluginClosed), "{end}");
}

#[tokio::test]
async fn an_answer_that_is_too_late_closes_the_connection() {
    let adaptation = Adaptation::builder("containerd", "v2.7.0")
        .without_state_change()
        .request_timeout(Duration::from_secs(2))
        .start()
        .await
        .expect("it starts");
    let bridged = Bridged::with(adaptation, Old::new(handled(), Behaviour::NeverAnswers)).await;
    let relayed = bridged.adaptation.run_pod_sandbox(&pod()).await.expect("the pod runs");
    assert_ne!(relayed.outcomes[0].result, OutcomeResult::Answered);
    assert!(bridged.adaptation.plugins().is_empty());
    let end = bridged.end().await;
    let text = end.to_string();
    assert!(text.contains("failed to handle StateChange: no answer within"), "{text}");
}

#[tokio::test]
async fn a_mask_of_0_means_all_events_of_the_runtime() {
    let bridged = Bridged::start(Old::new(EventMask::EMPTY, Behaviour::Answers)).await;
    bridged.adaptation.remove_pod_sandbox(&pod()).await.expect("it passes");
    assert_eq!(bridged.plugin.called().last().expect("events"), "StateChange REMOVE_POD_SANDBOX");
}

#[tokio::test]
async fn the_end_of_the_runtime_ends_the_relay() {
    let bridged = Bridged::start(Old::new(handled(), Behaviour::Answers)).await;
    bridged.adaptation.stop().await;
    let state = bridged.state.clone();
    let end = bridged.end().await;
    assert!(matches!(end, End::Runtime(None)), "{end}");
    assert_eq!(state.serving(), 0);
}

/// A runtime whose pods do not fit into one message.
struct ManyPods;

/// The number of its pods.
const MANY: usize = 20_000;

impl RuntimeCallbacks for ManyPods {
    async fn synchronize(&self, state: &mut nri_adaptation::State) -> nri::Result<()> {
        for id in 0..MANY {
            let id = format!("pod-{id}");
            state.add_pod(&PodSandbox { id, name: "p".repeat(400), ..PodSandbox::default() });
        }
        Ok(())
    }
}

#[tokio::test]
async fn a_split_state_arrives_in_its_parts() {
    let limit = Duration::from_secs(60);
    let builder = Adaptation::builder("containerd", "v2.7.0").without_state_change();
    let builder = builder.callbacks(ManyPods).request_timeout(limit);
    let adaptation = builder.start().await.expect("it starts");
    let bridged = Bridged::with(adaptation, Old::new(handled(), Behaviour::Answers)).await;
    let requests = bridged.plugin.requests.lock().expect("no panic").clone();
    let parts = requests.iter().filter(|(method, _)| method == "Synchronize");
    let parts = parts.map(|(_, part)| SynchronizeRequest::decode(&part[..]).expect("a message"));
    let parts: Vec<_> = parts.map(|part| (part.pods.len(), part.more)).collect();
    assert!(parts.len() > 1, "{parts:?}");
    assert_eq!(parts.iter().map(|(pods, _)| pods).sum::<usize>(), MANY);
    assert_eq!(parts.iter().filter(|(_, more)| !more).count(), 1);
    assert_eq!(bridged.state.serving(), 1);
}

/// The events that never had another carrier than StateChange before NRI v0.12.0.
const CARRIED: [Event; 9] = [
    Event::RunPodSandbox,
    Event::PostUpdatePodSandbox,
    Event::PostCreateContainer,
    Event::StartContainer,
    Event::PostStartContainer,
    Event::PostUpdateContainer,
    Event::RemoveContainer,
    Event::StopPodSandbox,
    Event::RemovePodSandbox,
];

#[tokio::test]
async fn many_events_of_each_kind_arrive_once_and_in_order() {
    const ROUNDS: usize = 200;
    let mask = CARRIED.into_iter().fold(EventMask::EMPTY, EventMask::with);
    let bridged = Bridged::start(Old::new(mask, Behaviour::Answers)).await;
    for _ in 0..ROUNDS {
        for event in CARRIED {
            let sent = bridged.adaptation.send(event, &pod(), Some(&container())).await;
            let sent = sent.expect("it passes");
            assert_eq!(sent.outcomes[0].result, OutcomeResult::Answered, "{event:?}");
        }
    }
    let called = bridged.plugin.called();
    let arrived: Vec<_> =
        called.iter().filter_map(|call| call.strip_prefix("StateChange ")).collect();
    let expected = CARRIED.iter().map(|event| event.as_str_name()).cycle();
    let expected: Vec<_> = expected.take(ROUNDS * CARRIED.len()).collect();
    assert!(arrived == expected, "{} events arrived", arrived.len());
    // Each RPC was tried once: the refusals, Configure and Synchronize.
    assert_eq!(called.len() - arrived.len(), CARRIED.len() + 2);
}
