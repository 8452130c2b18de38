//! The requests to one plugin in the order of their arrival, from observers or from a recording.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use nri::api::{
    CreateContainerRequest, Event, EventMask, PodSandbox, RunPodSandboxRequest, SynchronizeRequest,
};
use nri::codec::Message as _;

use super::event::{ContainerId, Hook};
use super::view::View;

/// Everything that one plugin received on one connection.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    /// The name of the plugin.
    pub(crate) plugin: String,
    /// The events that it subscribed to.
    pub(crate) subscribed: EventMask,
    /// Its requests, in the order of their arrival. A Synchronize that is split is one request.
    pub(crate) arrivals: Vec<Arrival>,
    /// The ids of the pods and containers in Synchronize.
    pub(crate) known: BTreeSet<String>,
    /// The containers whose requests all succeeded, and that end only on request.
    pub(crate) undisturbed: BTreeSet<String>,
}

/// A request to a plugin.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    pub(crate) hook: Hook,
    /// The id of the pod; empty for Configure and Synchronize.
    pub(crate) pod: String,
    pub(crate) container: Option<ContainerId>,
    /// The time since the beginning.
    pub(crate) at: Duration,
    /// The time of the answer; `None` if it is unknown.
    pub(crate) answered: Option<Duration>,
    /// False if the plugin does not implement it. The runtime repeats such an event as StateChange.
    pub(crate) implemented: bool,
    /// The pod as the event has it, without its annotations; `None` in a recording.
    pub(crate) facts: Option<Box<PodSandbox>>,
    /// The state of the pod at the beginning of the hook, and at its end if the hook was held.
    pub(crate) views: Vec<View>,
}

/// A pod or container: its kind and its id.
pub(crate) type SubjectKey<'a> = (&'static str, &'a str);

/// The events of each pod or container.
pub(crate) type Groups<'a> = BTreeMap<SubjectKey<'a>, Vec<&'a Arrival>>;

impl Sequence {
    /// Returns a sequence without requests.
    pub(crate) fn new(plugin: String) -> Sequence {
        Sequence {
            plugin,
            subscribed: EventMask::ALL,
            arrivals: Vec::new(),
            known: BTreeSet::new(),
            undisturbed: BTreeSet::new(),
        }
    }

    /// Adds the pods and containers in a part of Synchronize.
    pub(crate) fn learn(&mut self, part: SynchronizeRequest) {
        self.known.extend(part.pods.into_iter().map(|pod| pod.id));
        let containers = part.containers.into_iter();
        self.known.extend(containers.map(|container| container.id));
    }

    /// Returns true if the plugin knows a pod or container from Synchronize or from an event.
    pub(crate) fn knows(&self, id: &str) -> bool {
        let is_about = |arrival: &Arrival| arrival.pod == id || arrival.is_about_container(id);
        self.known.contains(id) || self.arrivals.iter().any(is_about)
    }

    /// Returns true if the plugin receives this event.
    pub(crate) fn receives(&self, hook: Hook) -> bool {
        hook.event().is_none_or(|event| self.subscribed.contains(event))
    }

    /// Returns the events of each pod without those of its containers.
    pub(crate) fn pods(&self) -> Groups<'_> {
        self.grouped(|arrival| arrival.container.is_none().then_some(("pod", &arrival.pod)))
    }

    /// Returns the events of each pod and its containers.
    pub(crate) fn pods_with_containers(&self) -> Groups<'_> {
        self.grouped(|arrival| Some(("pod", &arrival.pod)))
    }

    /// Returns the events of each container.
    pub(crate) fn containers(&self) -> Groups<'_> {
        self.grouped(|arrival| Some(("container", &arrival.container.as_ref()?.id)))
    }

    fn grouped<'a>(&'a self, subject: fn(&'a Arrival) -> Option<SubjectKey<'a>>) -> Groups<'a> {
        let mut groups = Groups::new();
        for arrival in self.arrivals.iter().filter(|arrival| arrival.hook.event().is_some()) {
            if let Some(subject) = subject(arrival) {
                groups.entry(subject).or_default().push(arrival);
            }
        }
        groups
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "plugin {}", self.plugin)
    }
}

impl Arrival {
    /// Returns a request that is not about one pod: Configure or Synchronize.
    pub(crate) fn new(hook: Hook, at: Duration) -> Arrival {
        Arrival {
            hook,
            pod: String::new(),
            container: None,
            at,
            answered: None,
            implemented: true,
            facts: None,
            views: Vec::new(),
        }
    }

    /// Reads a request whose answer is unknown. Returns `None` for a request of another kind, and
    /// for an event that cannot be decoded.
    #[expect(deprecated, reason = "runtimes before v0.12.0 send StateChange")]
    pub(crate) fn read(method: &str, payload: Bytes, at: Duration) -> Option<Arrival> {
        let (hook, pod, container) = match Hook::named(method) {
            None if method == "StateChange" => {
                let change = nri::api::StateChangeEvent::decode(payload).ok()?;
                let hook = Hook::named(Event::try_from(change.event).ok()?.name())?;
                (hook, change.pod, change.container)
            }
            None => return None,
            Some(hook @ (Hook::Configure | Hook::Synchronize)) => {
                return Some(Arrival::new(hook, at));
            }
            // Every request begins with the pod, and that of a container with the pod and the
            // container.
            Some(hook) if hook.is_about_pod() => {
                (hook, RunPodSandboxRequest::decode(payload).ok()?.pod, None)
            }
            Some(hook) => {
                let request = CreateContainerRequest::decode(payload).ok()?;
                (hook, request.pod, request.container)
            }
        };
        let container = container.filter(|_| !hook.is_about_pod());
        let pod = PodSandbox { annotations: Default::default(), ..pod.unwrap_or_default() };
        Some(Arrival {
            pod: pod.id.clone(),
            container: container.map(|container| ContainerId {
                id: container.id,
                name: container.name,
                pod: container.pod_sandbox_id,
            }),
            facts: Some(Box::new(pod)),
            ..Arrival::new(hook, at)
        })
    }

    pub(crate) fn is_about_container(&self, id: &str) -> bool {
        let container = self.container.as_ref();
        container.is_some_and(|container| container.id == id)
    }

    /// Returns true if the answer was sent before a moment.
    pub(crate) fn answered_before(&self, moment: Duration) -> bool {
        self.answered.is_some_and(|answered| answered <= moment)
    }
}

impl fmt::Display for Arrival {
    /// Writes the event, and the pods if they contradict each other.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Arrival { hook, pod, .. } = self;
        match &self.container {
            Some(container) if container.pod != *pod => {
                write!(f, "{hook} (pod {pod}, container of pod {})", container.pod)
            }
            Some(_) | None => write!(f, "{hook}"),
        }
    }
}
