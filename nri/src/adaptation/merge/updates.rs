//! Updates of containers that plugins ask for in answer to an event, and evictions.

use std::sync::Arc;

use super::owners::Owners;
use super::{MergeError, resources};
use crate::api::{ContainerEviction, ContainerUpdate, Field, LinuxResources};

/// The updates that the plugins asked for so far, one for each container.
#[derive(Clone, Debug, Default)]
pub(super) struct Updates {
    collected: Vec<ContainerUpdate>,
    requested: Option<Requested>,
    evictions: Vec<ContainerEviction>,
    ignored: Vec<MergeError>,
}

/// The container that an UpdateContainer request is about.
#[derive(Clone, Debug)]
struct Requested {
    id: String,
    /// As requested, with the changes of the plugins so far.
    resources: LinuxResources,
    /// The merged changes of the plugins; `None` as long as no plugin asked for any.
    update: Option<ContainerUpdate>,
}

impl Updates {
    /// Returns an empty collection for an UpdateContainer request with these resources.
    pub(super) fn of_request(container_id: String, resources: Option<LinuxResources>) -> Self {
        Updates {
            requested: Some(Requested {
                id: container_id,
                resources: resources.unwrap_or_default(),
                update: None,
            }),
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
        plugin: &Arc<str>,
    ) -> Result<(), MergeError> {
        let ignore = update.ignore_failure;
        match self.merge_resources(update, owners, plugin) {
            Err(error) if ignore => self.ignored.push(error),
            merged => merged?,
        }
        Ok(())
    }

    fn merge_resources(
        &mut self,
        update: ContainerUpdate,
        owners: &mut Owners,
        plugin: &Arc<str>,
    ) -> Result<(), MergeError> {
        let (collected, requested) = self.slot(&update);
        collected.ignore_failure &= update.ignore_failure;
        let Some(asked) = update.linux.and_then(|linux| linux.resources) else {
            return Ok(());
        };
        let current = collected.linux.get_or_insert_default();
        let current = current.resources.get_or_insert_default();
        // A failed update leaves no trace but its claims, as in the reference.
        let mut merged = match &requested {
            Some(requested) => (**requested).clone(),
            None => current.clone(),
        };
        let mut claims = owners.claims(&update.container_id, plugin);
        resources::merge(&asked, &mut [&mut merged], &mut claims)?;
        // The reference takes the limit of processes from the request, never from the plugin, and has the plugin own it.
        if merged.pids.is_some() {
            claims.claim(Field::PidsLimit)?;
        }
        *current = merged.clone();
        if let Some(requested) = requested {
            *requested = merged;
        }
        Ok(())
    }

    /// Returns the collected update of this container, and the resources of the request if it is about that container.
    fn slot(
        &mut self,
        update: &ContainerUpdate,
    ) -> (&mut ContainerUpdate, Option<&mut LinuxResources>) {
        let id = &update.container_id;
        let fresh = || ContainerUpdate {
            container_id: id.clone(),
            linux: None,
            ignore_failure: update.ignore_failure,
        };
        if let Some(requested) = self
            .requested
            .as_mut()
            .filter(|requested| requested.id == *id)
        {
            let slot = requested.update.get_or_insert_with(fresh);
            return (slot, Some(&mut requested.resources));
        }
        let known = self
            .collected
            .iter()
            .position(|known| known.container_id == *id);
        let position = known.unwrap_or_else(|| {
            self.collected.push(fresh());
            self.collected.len() - 1
        });
        (&mut self.collected[position], None)
    }

    /// Adds the evictions that one plugin asked for. The first one of a container counts.
    pub(super) fn evict(&mut self, evictions: Vec<ContainerEviction>) {
        for eviction in evictions {
            let id = &eviction.container_id;
            if !self.evictions.iter().any(|known| known.container_id == *id) {
                self.evictions.push(eviction);
            }
        }
    }

    /// Returns updates in the order in which they were first asked for, the requested container last; evictions; and
    /// the conflicts that plugins chose to ignore.
    pub(super) fn finish(
        self,
    ) -> (
        Vec<ContainerUpdate>,
        Vec<ContainerEviction>,
        Vec<MergeError>,
    ) {
        let requested = self.requested.and_then(|requested| requested.update);
        let updates = self.collected.into_iter().chain(requested);
        let updates = updates.map(ContainerUpdate::strip).collect();
        (updates, self.evictions, self.ignored)
    }
}
