//! The RPCs of the plugin.
#![allow(deprecated, reason = "StateChange is implemented here")]

use std::fs::{self, File};
use std::thread;
use std::time::Duration;

use nri::__private::wire::RequestEnvelope;
use nri::api::{
    ConfigureRequest, ConfigureResponse, ContainerAdjustment, ContainerUpdate,
    CreateContainerResponse, Event, Mount, PodSandbox, RunPodSandboxRequest, StateChangeEvent,
    SynchronizeRequest, SynchronizeResponse, UpdateContainersRequest,
};
use nri::codec::Message;

use super::mutation::Mutation;
use super::pods::Pods;
use super::wire::{Answer, Wire};

/// The events up to REMOVE_CONTAINER, which every release knows.
const SUBSCRIBED: i32 = 0x7ff;

const UNKNOWN: i32 = 2;
const NOT_FOUND: i32 = 5;
const UNIMPLEMENTED: i32 = 12;

/// The plugin.
pub(crate) struct Plugin {
    mutation: Mutation,
    pods: Pods,
    saw_dedicated: bool,
    updated: bool,
    repeats: bool,
    events: usize,
    leaked: Vec<Vec<u8>>,
    files: Vec<File>,
}

impl Plugin {
    pub(crate) fn new(mutation: Mutation) -> Self {
        Plugin {
            mutation,
            pods: Pods::default(),
            saw_dedicated: false,
            updated: false,
            repeats: false,
            events: 0,
            leaked: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Returns true if the last answer is to be sent once more.
    pub(crate) fn repeats(&mut self, request: &RequestEnvelope) -> bool {
        let is_start = request.method == "PostStartContainer";
        std::mem::take(&mut self.repeats) || self.mutation == Mutation::AnswersTwice && is_start
    }

    /// Answers a request. `waiting` is true if another one has arrived.
    ///
    /// An error ends the plugin.
    pub(crate) fn answer(
        &mut self,
        wire: &mut Wire,
        request: &RequestEnvelope,
        waiting: bool,
    ) -> Result<Answer, String> {
        let is_rare = self.mutation == Mutation::RarelyLateUnderLoad && waiting && self.is_rare();
        match self.mutation {
            Mutation::RefusesLargeMessages if request.payload.len() > 1 << 20 => {
                return Ok(refusal("the message is too large"));
            }
            Mutation::NeedsWholeHeader if wire.saw_cut_header => {
                return Err("a message header was cut".to_owned());
            }
            Mutation::SlowUnderLoad if waiting => thread::sleep(Duration::from_millis(500)),
            Mutation::EndsUnderLoad if waiting => {
                return Err("another request waits".to_owned());
            }
            Mutation::RefusesUnderLoad if waiting => {
                return Ok(refusal("another request waits"));
            }
            Mutation::RarelyLateUnderLoad if is_rare => thread::sleep(Duration::from_secs(5)),
            _ => {}
        }
        match &*request.method {
            "Configure" => Ok(self.configure(request)),
            "Synchronize" => Ok(self.synchronize(request)),
            "Shutdown" => Ok(Ok(Vec::new())),
            "StateChange" => self.state_change(wire, request),
            method => match event_of(method) {
                Some(Event::PostStartContainer)
                    if self.mutation == Mutation::NotFoundForSubscribed =>
                {
                    Ok(Err((NOT_FOUND, "PostStartContainer".to_owned())))
                }
                Some(event) => {
                    self.saw_dedicated |= !is_never_state_change(event);
                    self.event(wire, event, &request.payload)
                }
                None => Ok(self.unimplemented(method)),
            },
        }
    }

    fn unimplemented(&self, method: &str) -> Answer {
        match self.mutation {
            Mutation::NotFound => Err((NOT_FOUND, format!("{method} was not found"))),
            Mutation::Success => Ok(Vec::new()),
            _ => Err((UNIMPLEMENTED, format!("{method} is not implemented"))),
        }
    }

    fn configure(&self, request: &RequestEnvelope) -> Answer {
        let configure = decoded::<ConfigureRequest>(&request.payload)?;
        match self.mutation {
            Mutation::RefusesConfigure => return refusal("nothing to configure"),
            Mutation::RefusesUnknownFields if has_unknown_fields(&request.payload) => {
                return refusal("unknown fields");
            }
            Mutation::NeedsTimeouts if configure.request_timeout == 0 => {
                return refusal("no request timeout");
            }
            Mutation::NeedsRuntimeVersion if !configure.runtime_version.starts_with('v') => {
                return refusal("the runtime has no version");
            }
            _ => {}
        }
        let events = match self.mutation {
            Mutation::UnknownEvent => SUBSCRIBED | 1 << 20,
            Mutation::EverythingWithoutImplementing => 0,
            _ => SUBSCRIBED,
        };
        let answer = ConfigureResponse { events, ..ConfigureResponse::default() };
        Ok(answer.encode_to_vec())
    }

    fn synchronize(&self, request: &RequestEnvelope) -> Answer {
        let part = decoded::<SynchronizeRequest>(&request.payload)?;
        let more = part.more && self.mutation != Mutation::ForgetsMore;
        let answer = SynchronizeResponse { more, ..SynchronizeResponse::default() };
        Ok(answer.encode_to_vec())
    }

    fn state_change(
        &mut self,
        wire: &mut Wire,
        request: &RequestEnvelope,
    ) -> Result<Answer, String> {
        let change = match decoded::<StateChangeEvent>(&request.payload) {
            Ok(change) => change,
            Err(error) => return Ok(Err(error)),
        };
        let event = Event::try_from(change.event).unwrap_or_default();
        match self.mutation {
            Mutation::OneWayPerConnection if self.saw_dedicated => {
                return Ok(refusal("this connection carries dedicated RPCs"));
            }
            Mutation::RefusesStateChange if event == Event::PostStartContainer => {
                return Ok(refusal("PostStartContainer has an RPC of its own"));
            }
            Mutation::RefusesUnknownEvents
                if SUBSCRIBED & 1 << (change.event.clamp(1, 31) - 1) == 0 =>
            {
                return Ok(refusal("unknown event"));
            }
            Mutation::RefusesUnknownEvents if change.event < 1 => {
                return Ok(refusal("unknown event"));
            }
            _ => {}
        }
        if !is_implemented(event) {
            return Ok(Ok(Vec::new()));
        }
        // The pod has field 2 here, and field 1 in the request of each RPC.
        let pod = RunPodSandboxRequest { pod: change.pod };
        self.event(wire, event, &pod.encode_to_vec())
    }

    fn event(&mut self, wire: &mut Wire, event: Event, payload: &[u8]) -> Result<Answer, String> {
        // The pod is the first field of all requests.
        let pod = match decoded::<RunPodSandboxRequest>(payload) {
            Ok(request) => request.pod,
            Err(error) => return Ok(Err(error)),
        };
        if self.mutation == Mutation::LacksEvent && event == Event::PostStartContainer {
            return Ok(self.unimplemented("PostStartContainer"));
        }
        if self.mutation == Mutation::NeedsPod && pod.is_none() {
            return Err(format!("{} without a pod", event.name()));
        }
        if self.mutation == Mutation::RefusesUnknownFields && has_unknown_fields(payload) {
            return Ok(refusal("unknown fields"));
        }
        let pod = pod.unwrap_or_default();
        if self.mutation == Mutation::NeedsLinux && pod.linux.is_none() {
            return Ok(refusal("the pod is not a Linux pod"));
        }
        self.side_effects(wire, event)?;
        let is_rare = self.mutation != Mutation::RarelyLateUnderLoad && self.is_rare();
        let is_second = event == Event::StopContainer && self.pods.has_older(&pod);
        match self.mutation {
            Mutation::RarelyLate if is_rare => thread::sleep(Duration::from_secs(5)),
            Mutation::RarelyEnds | Mutation::SeldomEnds | Mutation::EndsInSoak if is_rare => {
                return Err("a rare event".to_owned());
            }
            Mutation::RarelyRefuses if is_rare => return Ok(refusal("not now")),
            Mutation::RarelyUnreadable if is_rare => return Ok(Ok(vec![0xff; 20])),
            Mutation::RarelyAnswersTwice if is_rare => self.repeats = true,
            Mutation::LateForSecondPod if is_second => thread::sleep(Duration::from_secs(5)),
            Mutation::EndsAtSecondPod if is_second => return Err("a second pod".to_owned()),
            Mutation::RefusesSecondPod if is_second => return Ok(refusal("a second pod")),
            _ => {}
        }
        Ok(self.of_pod(event, &pod))
    }

    /// Counts an event for a mutation that rarely misbehaves. Returns true if it does now.
    fn is_rare(&mut self) -> bool {
        let every = match self.mutation {
            Mutation::RarelyLate
            | Mutation::RarelyEnds
            | Mutation::RarelyRefuses
            | Mutation::RarelyUnreadable
            | Mutation::RarelyAnswersTwice
            | Mutation::RarelyLateUnderLoad => 500,
            Mutation::SeldomEnds => 5_000,
            Mutation::EndsInSoak => 150_000,
            _ => return false,
        };
        self.events += 1;
        self.events.is_multiple_of(every)
    }

    /// Handles the mutations that do not concern a pod.
    fn side_effects(&mut self, wire: &mut Wire, event: Event) -> Result<(), String> {
        match self.mutation {
            Mutation::Late if event == Event::PostStartContainer => {
                thread::sleep(Duration::from_secs(5));
            }
            Mutation::SlowAtFirst if self.events == 0 => {
                self.events += 1;
                thread::sleep(Duration::from_millis(250));
            }
            Mutation::LeaksMemory => self.leaked.push(vec![1; 8 << 10]),
            Mutation::LeaksDescriptors => {
                self.events += 1;
                if self.events.is_multiple_of(20) {
                    self.files.extend(File::open("/dev/null"));
                }
            }
            Mutation::UpdatesInHandler if event == Event::StartContainer => {
                wire.call_and_wait("UpdateContainers", update())?;
            }
            Mutation::EndsWhenUpdateFails if event == Event::StartContainer && !self.updated => {
                self.updated = true;
                wire.call("UpdateContainers", update())?;
            }
            _ => {}
        }
        Ok(())
    }

    fn of_pod(&mut self, event: Event, pod: &PodSandbox) -> Answer {
        match event {
            Event::RunPodSandbox => {
                if self.mutation == Mutation::RunsOnce && self.pods.has_uid(pod) {
                    return refusal("the pod runs already");
                }
                self.pods.ran(pod);
            }
            Event::StopPodSandbox => {
                let first = self.pods.stopped(pod);
                if self.mutation == Mutation::StopsOnce && !first {
                    return refusal("the pod is stopped already");
                }
                self.needs_run(pod)?;
            }
            Event::RemovePodSandbox => {
                self.needs_run(pod)?;
                if self.mutation == Mutation::RemovesInOrder && self.pods.has_older(pod) {
                    return refusal("an older pod is still there");
                }
                if self.mutation == Mutation::DeletesNamespace {
                    delete_namespaces(pod);
                }
                self.pods.removed(pod);
            }
            Event::CreateContainer if self.mutation == Mutation::DuplicateMount => {
                return Ok(same_mount_twice());
            }
            _ => {}
        }
        Ok(Vec::new())
    }

    fn needs_run(&self, pod: &PodSandbox) -> Result<(), (i32, String)> {
        if self.mutation == Mutation::NeedsRun && !self.pods.knows(pod) {
            return Err((UNKNOWN, format!("there is no pod {:?}", pod.id)));
        }
        Ok(())
    }
}

fn decoded<M: Message + Default>(payload: &[u8]) -> Result<M, (i32, String)> {
    M::decode(payload).map_err(|error| (3, error.to_string()))
}

fn refusal(message: &str) -> Answer {
    Err((UNKNOWN, message.to_owned()))
}

fn is_implemented(event: Event) -> bool {
    (1..=11).contains(&i32::from(event))
}

/// Returns true if an event was never sent as StateChange.
fn is_never_state_change(event: Event) -> bool {
    [Event::CreateContainer, Event::UpdateContainer, Event::StopContainer].contains(&event)
}

/// Returns the event of a dedicated RPC that is implemented here.
fn event_of(method: &str) -> Option<Event> {
    let rpcs = nri_adaptation::Revision::rpcs();
    let rpc = rpcs.iter().find(|rpc| rpc.name == method)?;
    rpc.event.filter(|event| is_implemented(*event))
}

fn has_unknown_fields(mut payload: &[u8]) -> bool {
    use prost::encoding::{DecodeContext, decode_key, skip_field};
    while !payload.is_empty() {
        let Ok((number, wire)) = decode_key(&mut payload) else {
            return false;
        };
        if number > 100 {
            return true;
        }
        if skip_field(wire, number, &mut payload, DecodeContext::default()).is_err() {
            return false;
        }
    }
    false
}

fn update() -> Vec<u8> {
    let update = UpdateContainersRequest {
        update: vec![ContainerUpdate {
            container_id: "c".to_owned(),
            ..ContainerUpdate::default()
        }],
        ..UpdateContainersRequest::default()
    };
    update.encode_to_vec()
}

fn delete_namespaces(pod: &PodSandbox) {
    let linux = pod.linux.iter();
    for namespace in linux.flat_map(|linux| &linux.namespaces) {
        if !namespace.path.is_empty() {
            let _ = fs::remove_file(&namespace.path);
        }
    }
}

fn same_mount_twice() -> Vec<u8> {
    let mount = Mount {
        destination: "/data".to_owned(),
        source: "/srv".to_owned(),
        r#type: "bind".to_owned(),
        options: vec!["rbind".to_owned()],
    };
    let answer = CreateContainerResponse {
        adjust: Some(ContainerAdjustment {
            mounts: vec![mount.clone(), mount],
            ..ContainerAdjustment::default()
        }),
        ..CreateContainerResponse::default()
    };
    answer.encode_to_vec()
}
