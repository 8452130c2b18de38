//! Answers to UpdateContainer and StopContainer.

use super::MergeError;
use super::owners::Owners;
use super::updates::{Updates, stripped};
use nri::api::{ContainerEviction, ContainerUpdate, LinuxResources};

/// Collects the answers of plugins to UpdateContainer or StopContainer.
#[derive(Clone, Debug, Default)]
pub struct UpdateCollector {
    updates: Updates,
    owners: Owners,
}

/// The merged answers to UpdateContainer or StopContainer.
///
/// A runtime gives the container of the request the [`resources`](Self::resources), whether a plugin has changed them or
/// not, and other containers the [`updates`](Self::updates).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Updated {
    /// The resources for the container of the request: those of the request, with the changes of the plugins. Empty for
    /// StopContainer.
    pub resources: LinuxResources,
    /// The updates of other containers, in the order in which they were first asked for.
    pub updates: Vec<ContainerUpdate>,
    /// The update of the container of the request, if a plugin asked for one.
    own: Option<ContainerUpdate>,
    /// Containers to evict.
    pub evictions: Vec<ContainerEviction>,
    /// Conflicts in updates whose failure the plugin asked to ignore.
    pub ignored: Vec<MergeError>,
}

impl Updated {
    /// Returns the updates as the Go adaptation does: that of the container of the request comes last, and only if a plugin
    /// asked for one.
    pub fn into_answer(self) -> Vec<ContainerUpdate> {
        self.updates.into_iter().chain(self.own).collect()
    }
}

impl UpdateCollector {
    /// Returns a collector for an UpdateContainer request. Plugins see memory and CPU in the resources, if only
    /// empty, as under the Go adaptation.
    pub fn for_update(container_id: impl Into<String>, resources: Option<LinuxResources>) -> Self {
        UpdateCollector {
            updates: Updates::of_request(container_id.into(), resources),
            owners: Owners::default(),
        }
    }

    /// Returns a collector for a StopContainer request.
    pub fn for_stop() -> Self {
        UpdateCollector::default()
    }

    /// Returns the resources of the UpdateContainer request as changed so far, as the next plugin sees them; `None`
    /// for StopContainer.
    pub fn resources(&self) -> Option<&LinuxResources> {
        self.updates.requested_resources()
    }

    /// Merges the answer of a plugin, named with its index: `10-name`.
    ///
    /// # Errors
    ///
    /// The answer conflicts with an earlier one, or with itself. The request fails then.
    pub fn apply(
        &mut self,
        plugin: &str,
        updates: Vec<ContainerUpdate>,
        evictions: Vec<ContainerEviction>,
    ) -> Result<(), MergeError> {
        for update in updates {
            self.updates.merge(update, &mut self.owners, plugin)?;
        }
        self.updates.evict(evictions);
        Ok(())
    }

    /// Returns the merged answers.
    pub fn finish(self) -> Updated {
        let merged = self.updates.finish();
        Updated {
            resources: merged.resources,
            updates: stripped(merged.others),
            own: merged.requested.map(ContainerUpdate::strip),
            evictions: merged.evictions,
            ignored: merged.ignored,
        }
    }
}
