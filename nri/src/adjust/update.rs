//! Updates and evictions of existing containers.

use crate::adjust::{Adjustment, Updates};
use crate::api::{ContainerEviction, ContainerUpdate, UpdateContainersRequest};

impl ContainerUpdate {
    /// Creates an update of the container with this id, which changes nothing yet.
    ///
    /// ```
    /// use nri::adjust::SetResources;
    /// use nri::api::ContainerUpdate;
    ///
    /// let update = ContainerUpdate::new("f00d").cpu_shares(1024).unified("memory.high", "1G").ignore_failure();
    /// assert!(update.ignore_failure);
    /// ```
    pub fn new(container_id: impl Into<String>) -> Self {
        ContainerUpdate {
            container_id: container_id.into(),
            ..ContainerUpdate::default()
        }
    }

    /// Lets the request succeed even if this update fails.
    #[must_use]
    pub fn ignore_failure(mut self) -> Self {
        self.ignore_failure = true;
        self
    }
}

impl ContainerEviction {
    /// Creates the eviction of the container with this id, for this reason.
    pub fn new(container_id: impl Into<String>, reason: impl Into<String>) -> Self {
        ContainerEviction {
            container_id: container_id.into(),
            reason: reason.into(),
        }
    }
}

impl Adjustment {
    /// Adds an update of another container. The runtime rejects an update of the container being
    /// created.
    #[must_use]
    pub fn update(mut self, update: ContainerUpdate) -> Self {
        self.update.push(update);
        self
    }

    /// Requests the eviction of another container.
    ///
    /// The reference runtime (up to v0.12.5) reads evictions only from unsolicited updates.
    #[must_use]
    pub fn evict(mut self, eviction: ContainerEviction) -> Self {
        self.evict.push(eviction);
        self
    }
}

impl Extend<ContainerUpdate> for Updates {
    fn extend<I: IntoIterator<Item = ContainerUpdate>>(&mut self, updates: I) {
        self.update.extend(updates);
    }
}

impl FromIterator<ContainerUpdate> for Updates {
    fn from_iter<I: IntoIterator<Item = ContainerUpdate>>(updates: I) -> Self {
        updates.into_iter().collect::<Vec<_>>().into()
    }
}

impl Updates {
    /// Creates an answer without updates.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an update.
    #[must_use]
    pub fn update(mut self, update: ContainerUpdate) -> Self {
        self.update.push(update);
        self
    }

    /// Requests the eviction of a container.
    ///
    /// The reference runtime (up to v0.12.5) reads evictions only from unsolicited updates.
    #[must_use]
    pub fn evict(mut self, eviction: ContainerEviction) -> Self {
        self.evict.push(eviction);
        self
    }

    /// Returns the updates so far.
    pub fn updates(&self) -> &[ContainerUpdate] {
        &self.update
    }

    /// Returns the evictions so far.
    pub fn evictions(&self) -> &[ContainerEviction] {
        &self.evict
    }

    /// Returns the updates for an answer of this RPC, which has no field for evictions.
    pub(crate) fn without_evictions(self, rpc: &str) -> Vec<ContainerUpdate> {
        if !self.evict.is_empty() {
            tracing::warn!(
                help = "evict with `EventContext::update_later`",
                "an answer to {rpc} cannot evict: {} evictions are not sent",
                self.evict.len(),
            );
        }
        self.update
    }
}

impl From<Updates> for UpdateContainersRequest {
    fn from(updates: Updates) -> Self {
        UpdateContainersRequest {
            update: updates.update,
            evict: updates.evict,
        }
    }
}
