//! The parts of an event that the judges need.

use std::fmt;

use nri::api::{Container, PodSandbox};

use super::LABEL;

/// The hooks that observers handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) enum Hook {
    RunPod,
    StopPod,
    RemovePod,
    Create,
    PostCreate,
    Start,
    PostStart,
    Stop,
    Remove,
    /// Synchronize, which is not about one pod.
    Synchronize,
}

impl fmt::Display for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Hook::RunPod => "RunPodSandbox",
            Hook::StopPod => "StopPodSandbox",
            Hook::RemovePod => "RemovePodSandbox",
            Hook::Create => "CreateContainer",
            Hook::PostCreate => "PostCreateContainer",
            Hook::Start => "StartContainer",
            Hook::PostStart => "PostStartContainer",
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
