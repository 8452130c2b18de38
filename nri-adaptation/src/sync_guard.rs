//! Keeps plugins from synchronizing while the runtime changes its state.

use tokio::sync::OwnedRwLockReadGuard;

/// While this is held, no plugin synchronizes. Made by [`Adaptation::sync_guard`](super::Adaptation::sync_guard).
///
/// A runtime holds it from before a pod or container appears in its state, or disappears from there, until the
/// event about that has been sent. Then each plugin learns of the pod exactly once: from Synchronize or from the
/// event.
#[derive(Debug)]
#[must_use = "plugins synchronize as soon as the guard is dropped"]
pub struct SyncGuard {
    _held: OwnedRwLockReadGuard<()>,
}

impl SyncGuard {
    pub(super) fn new(held: OwnedRwLockReadGuard<()>) -> Self {
        SyncGuard { _held: held }
    }
}
