//! The events that the statements distinguish, and the parts of them that the tests need.

use std::fmt;

use nri::__private::{STAGES, Stage};
use nri::api::{Event, PodSandbox};
use serde::Deserialize;

/// The label of every pod that the driver runs; its value is the seed of the run.
pub(crate) const LABEL: &str = "nri-conformance";

/// A hook of a plugin that the statements about runtimes are about. In `deviations.toml`, each has
/// the name of its RPC.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(try_from = "String")]
pub(crate) enum Hook {
    /// `Configure`, which is about no pod.
    Configure,
    /// `Synchronize`, which is not about one pod.
    Synchronize,
    /// An event in the life of a pod.
    Event(Event),
}

impl Hook {
    pub(crate) const RUN_POD: Hook = Hook::Event(Event::RunPodSandbox);
    pub(crate) const UPDATE_POD: Hook = Hook::Event(Event::UpdatePodSandbox);
    pub(crate) const STOP_POD: Hook = Hook::Event(Event::StopPodSandbox);
    pub(crate) const REMOVE_POD: Hook = Hook::Event(Event::RemovePodSandbox);
    pub(crate) const CREATE: Hook = Hook::Event(Event::CreateContainer);
    pub(crate) const POST_CREATE: Hook = Hook::Event(Event::PostCreateContainer);
    pub(crate) const START: Hook = Hook::Event(Event::StartContainer);
    pub(crate) const POST_START: Hook = Hook::Event(Event::PostStartContainer);
    pub(crate) const UPDATE: Hook = Hook::Event(Event::UpdateContainer);
    pub(crate) const STOP: Hook = Hook::Event(Event::StopContainer);
    pub(crate) const REMOVE: Hook = Hook::Event(Event::RemoveContainer);

    /// Returns every hook. ValidateContainerAdjustment is not among them, because it is a part of
    /// CreateContainer.
    pub(crate) fn all() -> impl Iterator<Item = Hook> {
        let events = STAGES
            .iter()
            .map(|stage| stage.event)
            .filter(|event| *event != Event::ValidateContainerAdjustment);
        [Hook::Configure, Hook::Synchronize].into_iter().chain(events.map(Hook::Event))
    }

    /// Returns the event; `None` for Configure and Synchronize.
    pub(crate) fn event(self) -> Option<Event> {
        match self {
            Hook::Configure | Hook::Synchronize => None,
            Hook::Event(event) => Some(event),
        }
    }

    /// Returns the name of the RPC.
    pub(crate) fn name(self) -> &'static str {
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

    /// Returns the event that an event after the fact follows: NRI calls the report of
    /// `StartContainer` `PostStartContainer`.
    pub(crate) fn follows(self) -> Option<Hook> {
        self.name().strip_prefix("Post").and_then(Hook::named)
    }

    /// Returns true for the events of a pod itself.
    pub(crate) fn is_about_pod(self) -> bool {
        let stage = self.event().and_then(Stage::of);
        stage.is_some_and(|stage| stage.container.is_none())
    }

    /// Returns true for the beginning and the end of a pod: RunPodSandbox, StopPodSandbox and
    /// RemovePodSandbox.
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

/// The container of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContainerId {
    pub(crate) id: String,
    pub(crate) name: String,
    /// The id of the pod that the container claims to be part of.
    pub(crate) pod: String,
}

/// Returns the path of a namespace by its name in OCI specs, if the pod has one.
pub(crate) fn namespace_path<'a>(pod: &'a PodSandbox, kind: &str) -> Option<&'a str> {
    let mut namespaces = pod.linux.iter().flat_map(|linux| &linux.namespaces);
    let found = namespaces.find(|found| found.r#type == kind)?;
    Some(found.path.as_str()).filter(|path| !path.is_empty())
}

/// Returns a pod, completed with the values of an earlier event, because a runtime may omit parts
/// that have ended.
pub(crate) fn completed(mut pod: PodSandbox, earlier: PodSandbox) -> PodSandbox {
    let earlier = earlier.linux.unwrap_or_default();
    for namespace in earlier.namespaces {
        if namespace_path(&pod, &namespace.r#type).is_none() {
            let namespaces = &mut pod.linux.get_or_insert_default().namespaces;
            namespaces.retain(|known| known.r#type != namespace.r#type);
            namespaces.push(namespace);
        }
    }
    let linux = pod.linux.get_or_insert_default();
    if linux.cgroup_parent.is_empty() {
        linux.cgroup_parent = earlier.cgroup_parent;
    }
    if linux.cgroups_path.is_empty() {
        linux.cgroups_path = earlier.cgroups_path;
    }
    pod
}
