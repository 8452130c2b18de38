//! Answers to UpdateContainer and StopContainer, and the updates and evictions in those to
//! CreateContainer.

use std::collections::{HashMap, HashSet};

use super::owners::{MergeError, Owners};
use super::resources;
use super::view::fill_resources;
use nri::api::{ContainerEviction, ContainerUpdate, Field, LinuxContainerUpdate, LinuxResources};

/// Collects the answers of plugins to UpdateContainer or StopContainer.
#[derive(Clone, Debug, Default)]
pub struct UpdateCollector {
    collected: Vec<Pending>,
    /// The positions in `collected`, by container.
    positions: HashMap<String, usize>,
    /// The update of the container that an UpdateContainer request is about.
    requested: Option<Pending>,
    /// The resources of that request.
    original: LinuxResources,
    evictions: Vec<ContainerEviction>,
    evicted: HashSet<String>,
    ignored: Vec<MergeError>,
    pub(super) owners: Owners,
}

/// The update of one container.
#[derive(Clone, Debug)]
struct Pending {
    container_id: String,
    /// The requested ones, if any, with the changes of the plugins so far.
    resources: LinuxResources,
    /// True if all plugins that asked for the update ignore its failure.
    ignore_failure: bool,
    /// True if any plugin asked for the update.
    is_asked: bool,
    /// True if any plugin changed the resources.
    is_changed: bool,
}

impl Pending {
    fn new(container_id: String, resources: LinuxResources) -> Self {
        Pending {
            container_id,
            resources,
            ignore_failure: true,
            is_asked: false,
            is_changed: false,
        }
    }

    /// Merges the updates that a plugin requests. A failed update has no effect except its claims,
    /// as in the reference.
    fn merge(
        &mut self,
        update: ContainerUpdate,
        owners: &mut Owners,
        plugin: &str,
    ) -> Result<(), MergeError> {
        // Without `..`, so that a new field cannot be forgotten.
        let ContainerUpdate { container_id: _, linux, ignore_failure } = update;
        self.is_asked = true;
        self.ignore_failure &= ignore_failure;
        let Some(LinuxContainerUpdate { resources: Some(asked) }) = linux.map(|linux| *linux)
        else {
            return Ok(());
        };
        let mut claims = owners.claims(&self.container_id, plugin);
        resources::claim(&asked, &mut claims)?;
        // The reference takes the limit of processes from the request, never from the plugin, and
        // has the plugin own it.
        if self.resources.pids.is_some() {
            claims.claim(Field::PidsLimit)?;
        }
        resources::set(asked, &mut self.resources);
        self.is_changed = true;
        Ok(())
    }

    /// Returns the update, with resources of memory and CPU, if only empty.
    fn finish(self) -> ContainerUpdate {
        let mut resources =
            if self.is_changed { self.resources } else { LinuxResources::default() };
        fill_resources(&mut resources);
        ContainerUpdate {
            container_id: self.container_id,
            linux: Some(Box::new(LinuxContainerUpdate { resources: Some(resources) })),
            ignore_failure: self.ignore_failure,
        }
    }
}

/// The merged answers to UpdateContainer or StopContainer.
///
/// A runtime gives the container of the request the [`resources`](Self::resources), whether a
/// plugin has changed them or not, and other containers the [`updates`](Self::updates).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Updated {
    /// The resources for the container of the request: those of the request, with the changes of
    /// the plugins. Empty for StopContainer.
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
    /// Returns the updates as the Go adaptation does: that of the container of the request comes
    /// last, and only if a plugin asked for one.
    pub fn into_answer(self) -> Vec<ContainerUpdate> {
        self.updates.into_iter().chain(self.own).collect()
    }
}

impl UpdateCollector {
    /// Returns a collector for an UpdateContainer request. Plugins see memory and CPU in the
    /// resources, if only empty, as under the Go adaptation.
    pub fn for_update(container_id: impl Into<String>, resources: Option<LinuxResources>) -> Self {
        let original = resources.unwrap_or_default();
        let mut filled = original.clone();
        fill_resources(&mut filled);
        UpdateCollector {
            requested: Some(Pending::new(container_id.into(), filled)),
            original,
            ..UpdateCollector::default()
        }
    }

    /// Returns a collector for a StopContainer request.
    pub fn for_stop() -> Self {
        UpdateCollector::default()
    }

    /// Returns the resources of the UpdateContainer request as changed so far, as the next plugin
    /// sees them; `None` for StopContainer.
    pub fn resources(&self) -> Option<&LinuxResources> {
        self.requested.as_ref().map(|requested| &requested.resources)
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
            self.merge(update, plugin)?;
        }
        self.evict(evictions);
        Ok(())
    }

    /// Adds the evictions that one plugin asked for. The first one of a container counts.
    pub(super) fn evict(&mut self, evictions: Vec<ContainerEviction>) {
        for eviction in evictions {
            if self.evicted.insert(eviction.container_id.clone()) {
                self.evictions.push(eviction);
            }
        }
    }

    /// Merges an update that a plugin asked for.
    pub(super) fn merge(
        &mut self,
        update: ContainerUpdate,
        plugin: &str,
    ) -> Result<(), MergeError> {
        let ignore = update.ignore_failure;
        let pending = match &mut self.requested {
            Some(requested) if requested.container_id == update.container_id => requested,
            Some(_) | None => {
                let position = self.position(&update.container_id);
                &mut self.collected[position]
            }
        };
        match pending.merge(update, &mut self.owners, plugin) {
            Err(error) if ignore => self.ignored.push(error),
            merged => merged?,
        }
        Ok(())
    }

    /// Returns the position of the update of this container, which is not that of the request.
    fn position(&mut self, container_id: &str) -> usize {
        if let Some(&position) = self.positions.get(container_id) {
            return position;
        }
        let position = self.collected.len();
        self.positions.insert(container_id.to_owned(), position);
        let update = Pending::new(container_id.to_owned(), LinuxResources::default());
        self.collected.push(update);
        position
    }

    /// Returns the merged answers.
    pub fn finish(self) -> Updated {
        let merged = self.merged();
        Updated {
            updates: stripped(merged.updates),
            own: merged.own.map(ContainerUpdate::strip),
            ..merged
        }
    }

    /// Returns the merged answers, with the empty parts of updates that validators get.
    pub(super) fn merged(self) -> Updated {
        let own = self.requested.filter(|requested| requested.is_asked);
        let changed = own.as_ref().filter(|own| own.is_changed);
        let resources = changed.map_or(self.original, |changed| changed.resources.clone().strip());
        Updated {
            resources,
            updates: self.collected.into_iter().map(Pending::finish).collect(),
            own: own.map(Pending::finish),
            evictions: self.evictions,
            ignored: self.ignored,
        }
    }
}

/// Removes the parts of updates that change nothing.
pub(super) fn stripped(updates: Vec<ContainerUpdate>) -> Vec<ContainerUpdate> {
    updates.into_iter().map(ContainerUpdate::strip).collect()
}
