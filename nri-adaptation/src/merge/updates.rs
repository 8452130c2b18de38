//! Updates of containers that plugins ask for in answer to an event, and evictions.

use std::collections::{HashMap, HashSet};

use super::owners::Owners;
use super::{MergeError, fill, resources};
use nri::api::{ContainerEviction, ContainerUpdate, Field, LinuxContainerUpdate, LinuxResources};

/// The updates that the plugins asked for so far, one for each container, and the evictions.
#[derive(Clone, Debug, Default)]
pub(super) struct Updates {
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

    /// Merges the updates that a plugin requests. A failed update has no effect except its claims, as in the reference.
    fn merge(
        &mut self,
        update: ContainerUpdate,
        owners: &mut Owners,
        plugin: &str,
    ) -> Result<(), MergeError> {
        self.is_asked = true;
        self.ignore_failure &= update.ignore_failure;
        let Some(asked) = update.linux.and_then(|linux| linux.resources) else {
            return Ok(());
        };
        let mut claims = owners.claims(&self.container_id, plugin);
        resources::claim(&asked, &mut claims)?;
        // The reference takes the limit of processes from the request, never from the plugin, and has the plugin own it.
        if self.resources.pids.is_some() {
            claims.claim(Field::PidsLimit)?;
        }
        resources::set(asked, &mut self.resources);
        self.is_changed = true;
        Ok(())
    }

    /// Returns the update, with resources of memory and CPU, if only empty.
    fn finish(self) -> ContainerUpdate {
        let mut resources = if self.is_changed {
            self.resources
        } else {
            LinuxResources::default()
        };
        fill::resources(&mut resources);
        ContainerUpdate {
            container_id: self.container_id,
            linux: Some(LinuxContainerUpdate {
                resources: Some(resources),
            }),
            ignore_failure: self.ignore_failure,
        }
    }
}

impl Updates {
    /// Returns an empty collection for an UpdateContainer request with these resources.
    pub(super) fn of_request(container_id: String, resources: Option<LinuxResources>) -> Self {
        let original = resources.unwrap_or_default();
        let mut resources = original.clone();
        fill::resources(&mut resources);
        let requested = Pending::new(container_id, resources);
        Updates {
            requested: Some(requested),
            original,
            ..Updates::default()
        }
    }

    /// Returns the resources of the request as the next plugin sees them.
    pub(super) fn requested_resources(&self) -> Option<&LinuxResources> {
        self.requested
            .as_ref()
            .map(|requested| &requested.resources)
    }

    /// Merges an update that a plugin asked for.
    ///
    /// # Errors
    ///
    /// The update conflicts with an earlier one, and the plugin did not ask to ignore its failure.
    pub(super) fn merge(
        &mut self,
        update: ContainerUpdate,
        owners: &mut Owners,
        plugin: &str,
    ) -> Result<(), MergeError> {
        let ignore = update.ignore_failure;
        let pending = self.pending(&update.container_id);
        match pending.merge(update, owners, plugin) {
            Err(error) if ignore => self.ignored.push(error),
            merged => merged?,
        }
        Ok(())
    }

    /// Returns the update of this container.
    fn pending(&mut self, container_id: &str) -> &mut Pending {
        if let Some(requested) = &mut self.requested
            && requested.container_id == container_id
        {
            return requested;
        }
        if let Some(&position) = self.positions.get(container_id) {
            return &mut self.collected[position];
        }
        let position = self.collected.len();
        self.positions.insert(container_id.to_owned(), position);
        let update = Pending::new(container_id.to_owned(), LinuxResources::default());
        self.collected.push(update);
        &mut self.collected[position]
    }

    /// Adds the evictions that one plugin asked for. The first one of a container counts.
    pub(super) fn evict(&mut self, evictions: Vec<ContainerEviction>) {
        for eviction in evictions {
            if self.evicted.insert(eviction.container_id.clone()) {
                self.evictions.push(eviction);
            }
        }
    }

    /// Returns the merged updates.
    pub(super) fn finish(self) -> MergedUpdates {
        let requested = self.requested.filter(|requested| requested.is_asked);
        let changed = requested.as_ref().filter(|own| own.is_changed);
        let resources = changed.map_or(self.original, |own| own.resources.clone().strip());
        MergedUpdates {
            others: self.collected.into_iter().map(Pending::finish).collect(),
            requested: requested.map(Pending::finish),
            resources,
            evictions: self.evictions,
            ignored: self.ignored,
        }
    }
}

/// The merged updates and evictions.
pub(super) struct MergedUpdates {
    /// Filled updates in the order in which they were first asked for, without that of the requested container.
    pub(super) others: Vec<ContainerUpdate>,
    /// The filled update of the requested container, if a plugin asked for one.
    pub(super) requested: Option<ContainerUpdate>,
    /// The resources of the request, with the changes of the plugins.
    pub(super) resources: LinuxResources,
    pub(super) evictions: Vec<ContainerEviction>,
    /// The conflicts that plugins chose to ignore.
    pub(super) ignored: Vec<MergeError>,
}

/// Removes the parts of updates that change nothing.
pub(super) fn stripped(updates: Vec<ContainerUpdate>) -> Vec<ContainerUpdate> {
    updates.into_iter().map(ContainerUpdate::strip).collect()
}
