//! The events that the statements distinguish, and the parts of them that the tests need.

use std::fmt;

use nri::api::{Container, Event, PodSandbox};
use serde::Deserialize;

/// The label of every pod that the driver runs; its value is the seed of the run.
pub(crate) const LABEL: &str = "nri-conformance";

/// The hooks of a plugin that the statements about runtimes distinguish. In `deviations.toml`, each has the name of its RPC.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[serde(try_from = "String")]
pub enum Hook {
    /// `RunPodSandbox`.
    RunPod,
    /// `UpdatePodSandbox`.
    UpdatePod,
    /// `PostUpdatePodSandbox`.
    PostUpdatePod,
    /// `StopPodSandbox`.
    StopPod,
    /// `RemovePodSandbox`.
    RemovePod,
    /// `CreateContainer`.
    Create,
    /// `PostCreateContainer`.
    PostCreate,
    /// `StartContainer`.
    Start,
    /// `PostStartContainer`.
    PostStart,
    /// `UpdateContainer`.
    Update,
    /// `PostUpdateContainer`.
    PostUpdate,
    /// `StopContainer`.
    Stop,
    /// `RemoveContainer`.
    Remove,
    /// `Synchronize`, which is not about one pod.
    Synchronize,
}

impl Hook {
    /// Every hook.
    pub const ALL: [Hook; 14] = [
        Hook::RunPod,
        Hook::UpdatePod,
        Hook::PostUpdatePod,
        Hook::StopPod,
        Hook::RemovePod,
        Hook::Create,
        Hook::PostCreate,
        Hook::Start,
        Hook::PostStart,
        Hook::Update,
        Hook::PostUpdate,
        Hook::Stop,
        Hook::Remove,
        Hook::Synchronize,
    ];

    /// Returns the event; `None` for Synchronize.
    pub(crate) fn event(self) -> Option<Event> {
        Some(match self {
            Hook::RunPod => Event::RunPodSandbox,
            Hook::UpdatePod => Event::UpdatePodSandbox,
            Hook::PostUpdatePod => Event::PostUpdatePodSandbox,
            Hook::StopPod => Event::StopPodSandbox,
            Hook::RemovePod => Event::RemovePodSandbox,
            Hook::Create => Event::CreateContainer,
            Hook::PostCreate => Event::PostCreateContainer,
            Hook::Start => Event::StartContainer,
            Hook::PostStart => Event::PostStartContainer,
            Hook::Update => Event::UpdateContainer,
            Hook::PostUpdate => Event::PostUpdateContainer,
            Hook::Stop => Event::StopContainer,
            Hook::Remove => Event::RemoveContainer,
            Hook::Synchronize => return None,
        })
    }

    /// Returns the name of the RPC.
    pub fn name(self) -> &'static str {
        self.event().map_or("Synchronize", Event::name)
    }

    /// Returns the hook with this name.
    pub(crate) fn named(name: &str) -> Option<Hook> {
        Hook::ALL.into_iter().find(|hook| hook.name() == name)
    }

    /// Returns the event that an event after the fact follows.
    pub(crate) fn follows(self) -> Option<Hook> {
        match self {
            Hook::PostUpdatePod => Some(Hook::UpdatePod),
            Hook::PostCreate => Some(Hook::Create),
            Hook::PostStart => Some(Hook::Start),
            Hook::PostUpdate => Some(Hook::Update),
            Hook::RunPod
            | Hook::UpdatePod
            | Hook::StopPod
            | Hook::RemovePod
            | Hook::Create
            | Hook::Start
            | Hook::Update
            | Hook::Stop
            | Hook::Remove
            | Hook::Synchronize => None,
        }
    }

    /// Returns true for the events of a pod itself.
    pub(crate) fn is_about_pod(self) -> bool {
        self.is_life_of_pod() || matches!(self, Hook::UpdatePod | Hook::PostUpdatePod)
    }

    /// Returns true for the beginning and the end of a pod: RunPodSandbox, StopPodSandbox and RemovePodSandbox.
    pub(crate) fn is_life_of_pod(self) -> bool {
        matches!(self, Hook::RunPod | Hook::StopPod | Hook::RemovePod)
    }

    /// Returns true for the events that every container has once.
    pub(crate) fn is_life_of_container(self) -> bool {
        matches!(self, Hook::Create | Hook::Start | Hook::Stop | Hook::Remove)
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
