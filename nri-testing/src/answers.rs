//! The answers of the plugins to an event.

use std::ops::Deref;

#[cfg(feature = "oci")]
use super::spec::Spec;
use nri::api::{
    Container, ContainerAdjustment, ContainerEviction, ContainerUpdate, CreateContainerResponse,
    Hooks, LinuxContainer, LinuxCpu, LinuxMemory, LinuxResources, OwningPlugins, PodSandbox,
};
use nri_adaptation::merge::{self, CreateCollector};
use nri_adaptation::{Relayed, RequestError};

/// A container that plugins have adjusted. Derefs to the container with the adjustment, as later events have it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Created {
    /// The pod.
    pub pod: PodSandbox,
    /// The container without the adjustment.
    pub original: Container,
    /// The container with the adjustment.
    pub container: Container,
    /// The adjustments of all plugins, merged.
    pub adjustment: ContainerAdjustment,
    /// The updates of other containers that the plugins requested.
    pub updates: Vec<ContainerUpdate>,
    /// The containers that the plugins asked to evict.
    pub evictions: Vec<ContainerEviction>,
    /// The plugin behind each change.
    pub owners: OwningPlugins,
    /// The fields of answers that the release of the runtime does not know, such as `adjust.CDI_devices`: it ignores them,
    /// so they are missing above.
    pub ignored_fields: Vec<String>,
    #[cfg(feature = "oci")]
    pub(super) spec: Spec,
}

#[cfg(feature = "oci")]
impl Created {
    /// Returns the OCI spec with the adjustment, as the low-level runtime gets it.
    ///
    /// Needs the feature `oci`. It has what the test gave the container, and nothing that a runtime adds. CDI devices and block I/O classes inject
    /// nothing; to apply the adjustment to a spec of your own, pass it to [`oci::apply`](nri_adaptation::oci::apply).
    pub fn spec(&self) -> &Spec {
        &self.spec
    }
}

impl Deref for Created {
    type Target = Container;

    fn deref(&self) -> &Container {
        &self.container
    }
}

/// The answers of the plugins to UpdateContainer or StopContainer.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Updated {
    /// The resources that the container has now: those of the request, with the changes of the plugins. Empty for
    /// StopContainer.
    pub resources: LinuxResources,
    /// The updates of other containers that the plugins requested.
    pub updates: Vec<ContainerUpdate>,
    /// The containers that the plugins asked to evict.
    pub evictions: Vec<ContainerEviction>,
    /// The fields of answers that the release of the runtime does not know, and ignores.
    pub ignored_fields: Vec<String>,
}

pub(super) fn updated(answer: merge::Updated, ignored_fields: Vec<String>) -> Updated {
    Updated {
        resources: answer.resources,
        updates: answer.updates,
        evictions: answer.evictions,
        ignored_fields,
    }
}

/// Returns the fields of answers that the runtime does not know, each once.
pub(super) fn ignored_fields<T>(
    relayed: &std::result::Result<Relayed<T>, RequestError>,
) -> Vec<String> {
    let mut fields = Vec::new();
    let outcomes = relayed.iter().flat_map(|relayed| &relayed.outcomes);
    for field in outcomes.flat_map(|outcome| &outcome.ignored_fields) {
        if !fields.contains(field) {
            fields.push(field.clone());
        }
    }
    fields
}

/// Returns the container as later events have it.
pub(super) fn adjusted(container: Container, adjustment: ContainerAdjustment) -> Container {
    let mut collector = CreateCollector::new(container.clone());
    let answer = CreateContainerResponse {
        adjust: Some(adjustment),
        ..CreateContainerResponse::default()
    };
    // An answer that is already merged cannot be in conflict.
    let _ = collector.apply("merged", answer);
    without_filled(collector.container().clone(), &container)
}

/// Removes the parts that plugins see in every container, unless the original has them or something is in
/// them.
fn without_filled(mut container: Container, original: &Container) -> Container {
    let before = original.linux.as_ref();
    let resources_before = before.and_then(|linux| linux.resources.as_ref());
    if original.hooks.is_none() {
        container.hooks = container.hooks.filter(|it| *it != Hooks::default());
    }
    if let Some(linux) = &mut container.linux {
        if let Some(resources) = &mut linux.resources {
            if resources_before.is_none_or(|before| before.memory.is_none()) {
                resources.memory = resources.memory.filter(|it| *it != LinuxMemory::default());
            }
            if resources_before.is_none_or(|before| before.cpu.is_none()) {
                resources.cpu = resources.cpu.take().filter(|it| *it != LinuxCpu::default());
            }
        }
        if resources_before.is_none() {
            let resources = linux.resources.take();
            linux.resources = resources.filter(|it| *it != LinuxResources::default());
        }
    }
    if before.is_none() {
        container.linux = container
            .linux
            .filter(|it| *it != LinuxContainer::default());
    }
    container
}
