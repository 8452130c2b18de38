//! The parts of an event that the judges need.

use std::fmt;

use nri::api::{Container, Event, PodSandbox};
use serde::Deserialize;

use super::LABEL;

/// The hooks of a plugin that the statements about runtimes distinguish. In `deviations.toml`, each has the name of its RPC.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hook {
    /// `RunPodSandbox`.
    #[serde(rename = "RunPodSandbox")]
    RunPod,
    /// `UpdatePodSandbox`.
    #[serde(rename = "UpdatePodSandbox")]
    UpdatePod,
    /// `PostUpdatePodSandbox`.
    #[serde(rename = "PostUpdatePodSandbox")]
    PostUpdatePod,
    /// `StopPodSandbox`.
    #[serde(rename = "StopPodSandbox")]
    StopPod,
    /// `RemovePodSandbox`.
    #[serde(rename = "RemovePodSandbox")]
    RemovePod,
    /// `CreateContainer`.
    #[serde(rename = "CreateContainer")]
    Create,
    /// `PostCreateContainer`.
    #[serde(rename = "PostCreateContainer")]
    PostCreate,
    /// `StartContainer`.
    #[serde(rename = "StartContainer")]
    Start,
    /// `PostStartContainer`.
    #[serde(rename = "PostStartContainer")]
    PostStart,
    /// `UpdateContainer`.
    #[serde(rename = "UpdateContainer")]
    Update,
    /// `PostUpdateContainer`.
    #[serde(rename = "PostUpdateContainer")]
    PostUpdate,
    /// `StopContainer`.
    #[serde(rename = "StopContainer")]
    Stop,
    /// `RemoveContainer`.
    #[serde(rename = "RemoveContainer")]
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
    pub(in crate::runtime) fn event(self) -> Option<Event> {
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

    /// Returns the event that an event after the fact follows.
    pub(in crate::runtime) fn follows(self) -> Option<Hook> {
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
    pub(in crate::runtime) fn is_about_pod(self) -> bool {
        self.is_life_of_pod() || matches!(self, Hook::UpdatePod | Hook::PostUpdatePod)
    }

    /// Returns true for the beginning and the end of a pod: RunPodSandbox, StopPodSandbox and RemovePodSandbox.
    pub(in crate::runtime) fn is_life_of_pod(self) -> bool {
        matches!(self, Hook::RunPod | Hook::StopPod | Hook::RemovePod)
    }

    /// Returns true for the events that every container has once.
    pub(in crate::runtime) fn is_life_of_container(self) -> bool {
        matches!(self, Hook::Create | Hook::Start | Hook::Stop | Hook::Remove)
    }
}

impl fmt::Display for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Hook::RunPod => "RunPodSandbox",
            Hook::UpdatePod => "UpdatePodSandbox",
            Hook::PostUpdatePod => "PostUpdatePodSandbox",
            Hook::StopPod => "StopPodSandbox",
            Hook::RemovePod => "RemovePodSandbox",
            Hook::Create => "CreateContainer",
            Hook::PostCreate => "PostCreateContainer",
            Hook::Start => "StartContainer",
            Hook::PostStart => "PostStartContainer",
            Hook::Update => "UpdateContainer",
            Hook::PostUpdate => "PostUpdateContainer",
            Hook::Stop => "StopContainer",
            Hook::Remove => "RemoveContainer",
            Hook::Synchronize => "Synchronize",
        })
    }
}

/// The pod of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::runtime) struct PodFacts {
    pub(in crate::runtime) id: String,
    pub(in crate::runtime) name: String,
    pub(in crate::runtime) uid: String,
    pub(in crate::runtime) namespace: String,
    /// The seed of the run for which the driver created it; `None` for a pod of others.
    pub(in crate::runtime) run: Option<String>,
    /// The process of the sandbox; 0 if the event names none.
    pub(in crate::runtime) pid: u32,
    pub(in crate::runtime) ips: Vec<String>,
    pub(in crate::runtime) cgroup_parent: String,
    pub(in crate::runtime) cgroups_path: String,
    /// Kinds and paths; the path is empty for a namespace that exists only through the process of the sandbox.
    namespaces: Vec<(String, String)>,
}

/// The container of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::runtime) struct ContainerFacts {
    pub(in crate::runtime) id: String,
    pub(in crate::runtime) name: String,
    pub(in crate::runtime) pod: String,
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
    pub(in crate::runtime) fn namespace_path(&self, kind: &str) -> Option<&str> {
        let found = self.namespaces.iter().find(|(name, _)| name == kind);
        found
            .map(|(_, path)| path.as_str())
            .filter(|path| !path.is_empty())
    }

    /// Returns these facts, completed by those of an earlier event, because a runtime may omit what has ended.
    pub(in crate::runtime) fn or(mut self, earlier: &PodFacts) -> PodFacts {
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
