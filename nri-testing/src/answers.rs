//! The answers of the plugins to an event.

use std::ops::Deref;

use nri::api::{
    Container, ContainerAdjustment, ContainerEviction, ContainerUpdate, CreateContainerResponse,
    LinuxResources, OwningPlugins, PodSandbox,
};
use nri_adaptation::Outcome;
use nri_adaptation::merge::{self, CreateCollector};

/// A container that plugins have adjusted. Derefs to the container with the adjustment, as later
/// events have it.
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
    /// The fields of answers that the release of the runtime does not know, such as
    /// `adjust.CDI_devices`: it ignores them, so they are missing above.
    pub ignored_fields: Vec<String>,
    /// The OCI spec with the adjustment, as the low-level runtime gets it.
    /// [`oci::container`](crate::oci::container) reads it.
    ///
    /// Needs the feature `oci`. It has what the test gave the container, and nothing that a runtime
    /// adds. CDI devices and block I/O classes inject nothing; to apply the adjustment to a spec of
    /// your own, pass it to [`oci::apply`](crate::oci::apply).
    #[cfg(feature = "oci")]
    pub spec: crate::oci::runtime::Spec,
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
    /// The resources that the container has now: those of the request, with the changes of the
    /// plugins. Empty for StopContainer.
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
pub(super) fn ignored_fields(outcomes: &[Outcome]) -> Vec<String> {
    let mut fields = Vec::new();
    for field in outcomes.iter().flat_map(|it| &it.ignored_fields) {
        if !fields.contains(field) {
            fields.push(field.clone());
        }
    }
    fields
}

/// Returns the container as later events have it.
pub(super) fn adjusted(container: Container, adjustment: ContainerAdjustment) -> Container {
    let mut collector = CreateCollector::new(container.clone());
    let answer =
        CreateContainerResponse { adjust: Some(adjustment), ..CreateContainerResponse::default() };
    // An answer that is already merged cannot be in conflict.
    let _ = collector.apply("merged", answer);
    without_filled(collector.container().clone(), &container)
}

/// Removes the parts that plugins see in every container, unless the original has them or something
/// is in them.
fn without_filled(mut container: Container, original: &Container) -> Container {
    let linux_before = original.linux.clone().unwrap_or_default();
    let before = linux_before.resources.clone().unwrap_or_default();
    container.hooks = unless_empty(container.hooks, &original.hooks);
    if let Some(linux) = &mut container.linux {
        if let Some(resources) = &mut linux.resources {
            resources.memory = unless_empty(resources.memory.take(), &before.memory);
            resources.cpu = unless_empty(resources.cpu.take(), &before.cpu);
        }
        linux.resources = unless_empty(linux.resources.take(), &linux_before.resources);
    }
    container.linux = unless_empty(container.linux, &original.linux);
    container
}

/// Returns the part, or that of the original if the part is empty.
fn unless_empty<T: Clone + Default + PartialEq>(
    part: Option<T>,
    original: &Option<T>,
) -> Option<T> {
    part.filter(|part| *part != T::default()).or_else(|| original.clone())
}
