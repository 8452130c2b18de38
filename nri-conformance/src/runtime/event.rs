//! The events that the statements distinguish, and the parts of them that the tests need.

use std::fmt;

use nri::__private::{STAGES, Stage};
use nri::api::{Container, Event, PodSandbox};
use serde::Deserialize;

/// The label of every pod that the driver runs; its value is the seed of the run.
pub(crate) const LABEL: &str = "nri-conformance";

/// A hook of a plugin that the statements about runtimes are about. In `deviations.toml`, each has the name of its RPC.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(try_from = "String")]
pub enum Hook {
    /// `Configure`, which is about no pod.
    Configure,
    /// `Synchronize`, which is not about one pod.
    Synchronize,
    /// An event in the life of a pod.
    Event(Event),
}

impl Hook {
    /// `RunPodSandbox`.
    pub const RUN_POD: Hook = Hook::Event(Event::RunPodSandbox);
    /// `UpdatePodSandbox`.
    pub const UPDATE_POD: Hook = Hook::Event(Event::UpdatePodSandbox);
    /// `PostUpdatePodSandbox`.
    pub const POST_UPDATE_POD: Hook = Hook::Event(Event::PostUpdatePodSandbox);
    /// `StopPodSandbox`.
    pub const STOP_POD: Hook = Hook::Event(Event::StopPodSandbox);
    /// `RemovePodSandbox`.
    pub const REMOVE_POD: Hook = Hook::Event(Event::RemovePodSandbox);
    /// `CreateContainer`.
    pub const CREATE: Hook = Hook::Event(Event::CreateContainer);
    /// `PostCreateContainer`.
    pub const POST_CREATE: Hook = Hook::Event(Event::PostCreateContainer);
    /// `StartContainer`.
    pub const START: Hook = Hook::Event(Event::StartContainer);
    /// `PostStartContainer`.
    pub const POST_START: Hook = Hook::Event(Event::PostStartContainer);
    /// `UpdateContainer`.
    pub const UPDATE: Hook = Hook::Event(Event::UpdateContainer);
    /// `PostUpdateContainer`.
    pub const POST_UPDATE: Hook = Hook::Event(Event::PostUpdateContainer);
    /// `StopContainer`.
    pub const STOP: Hook = Hook::Event(Event::StopContainer);
    /// `RemoveContainer`.
    pub const REMOVE: Hook = Hook::Event(Event::RemoveContainer);

    /// Returns every hook. ValidateContainerAdjustment is not among them, because it is a part of CreateContainer.
    pub(crate) fn all() -> impl Iterator<Item = Hook> {
        let events = STAGES.iter().map(|stage| stage.event);
        let events = events.filter(|event| *event != Event::ValidateContainerAdjustment);
        let handshake = [Hook::Configure, Hook::Synchronize].into_iter();
        handshake.chain(events.map(Hook::Event))
    }

    /// Returns the event; `None` for Configure and Synchronize.
    pub(crate) fn event(self) -> Option<Event> {
        match self {
            Hook::Configure | Hook::Synchronize => None,
            Hook::Event(event) => Some(event),
        }
    }

    /// Returns the name of the RPC.
    pub fn name(self) -> &'static str {
        match self {
            Hook::Configure => "Configure",
            Hook::Synchronize => "Synchronize",
            Hook::Event(event) => event.name(),
        }
    }

    /// Returns the hook with this name.
    pub(crate) fn named(name: &str) -> Option<Hook> {
        Hook::all().find(|hook| hook.name() == name)
    }

    /// Returns the event that an event after the fact follows: NRI calls the report of `StartContainer` `PostStartContainer`.
    pub(crate) fn follows(self) -> Option<Hook> {
        self.name().strip_prefix("Post").and_then(Hook::named)
    }

    /// Returns true for the events of a pod itself.
    pub(crate) fn is_about_pod(self) -> bool {
        let stage = self.event().and_then(Stage::of);
        stage.is_some_and(|stage| stage.container.is_none())
    }

    /// Returns true for the beginning and the end of a pod: RunPodSandbox, StopPodSandbox and RemovePodSandbox.
    pub(crate) fn is_life_of_pod(self) -> bool {
        matches!(self, Hook::RUN_POD | Hook::STOP_POD | Hook::REMOVE_POD)
    }

    /// Returns true for the events that every container has once.
    pub(crate) fn is_life_of_container(self) -> bool {
        matches!(self, Hook::CREATE | Hook::START | Hook::STOP | Hook::REMOVE)
    }
}

impl fmt::Display for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl TryFrom<String> for Hook {
    type Error = String;

    fn try_from(name: String) -> Result<Hook, String> {
        Hook::named(&name).ok_or_else(|| format!("there is no event {name:?}"))
    }
}

/// The pod of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PodFacts {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) namespace: String,
    /// The seed of the run for which the driver created it; `None` for a pod of others.
    pub(crate) run: Option<String>,
    /// The process of the sandbox; 0 if the event names none.
    pub(crate) pid: u32,
    pub(crate) ips: Vec<String>,
    pub(crate) cgroup_parent: String,
    pub(crate) cgroups_path: String,
    /// Kinds and paths; the path is empty for a namespace that exists only through the process of the sandbox.
    namespaces: Vec<(String, String)>,
}

/// The container of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContainerFacts {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) pod: String,
}

impl From<&PodSandbox> for PodFacts {
    fn from(pod: &PodSandbox) -> PodFacts {
        let linux = pod.linux.clone().unwrap_or_default();
        let namespaces = linux.namespaces.into_iter();
        PodFacts {
            id: pod.id.clone(),
            name: pod.name.clone(),
            uid: pod.uid.clone(),
            namespace: pod.namespace.clone(),
            run: pod.labels.get(LABEL).cloned(),
            pid: pod.pid,
            ips: pod.ips.clone(),
            cgroup_parent: linux.cgroup_parent,
            cgroups_path: linux.cgroups_path,
            namespaces: namespaces.map(|found| (found.r#type, found.path)).collect(),
        }
    }
}

impl From<&Container> for ContainerFacts {
    fn from(container: &Container) -> ContainerFacts {
        ContainerFacts {
            id: container.id.clone(),
            name: container.name.clone(),
            pod: container.pod_sandbox_id.clone(),
        }
    }
}

impl PodFacts {
    /// Returns the path of a namespace by its name in OCI specs, if the event has one.
    pub(crate) fn namespace_path(&self, kind: &str) -> Option<&str> {
        let found = self.namespaces.iter().find(|(name, _)| name == kind);
        found
            .map(|(_, path)| path.as_str())
            .filter(|path| !path.is_empty())
    }

    /// Returns these facts, completed by those of an earlier event, because a runtime may omit what has ended.
    pub(crate) fn or(mut self, earlier: &PodFacts) -> PodFacts {
        for (kind, path) in &earlier.namespaces {
            if self.namespace_path(kind).is_none() {
                self.namespaces.retain(|(name, _)| name != kind);
                self.namespaces.push((kind.clone(), path.clone()));
            }
        }
        if self.cgroup_parent.is_empty() {
            self.cgroup_parent.clone_from(&earlier.cgroup_parent);
        }
        if self.cgroups_path.is_empty() {
            self.cgroups_path.clone_from(&earlier.cgroups_path);
        }
        self
    }
}
