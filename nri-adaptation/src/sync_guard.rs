//! Keeps plugins from synchronizing while the runtime changes its state.

use std::sync::Arc;

use tokio::sync::{OwnedRwLockReadGuard, RwLock};

/// While this is held, no plugin synchronizes. Made by
/// [`Adaptation::sync_guard`](super::Adaptation::sync_guard).
///
/// A runtime holds it from before a pod or container appears in its state, or disappears from
/// there, until the event about that has been sent. Then each plugin learns of the pod exactly
/// once: from Synchronize or from the event.
#[derive(Debug)]
#[must_use = "plugins synchronize as soon as the guard is dropped"]
pub struct SyncGuard {
    /// `None` within the callback that collects the state.
    _held: Option<OwnedRwLockReadGuard<()>>,
}

/// Read-locked while the runtime changes its state, write-locked while it collects the state for a
/// plugin.
#[derive(Debug, Default)]
pub(super) struct SyncLock(Arc<RwLock<()>>);

tokio::task_local! {
    /// The address of the lock that this task holds for a callback.
    static COLLECTING: usize;
}

impl SyncLock {
    /// Waits until no state is being collected. The callback that collects it gets a guard at once.
    pub(super) async fn guard(&self) -> SyncGuard {
        if self.is_held() {
            return SyncGuard { _held: None };
        }
        let held = Arc::clone(&self.0).read_owned().await;
        SyncGuard { _held: Some(held) }
    }

    /// Does work while no guard is held, except for those that the work itself gets.
    pub(super) async fn alone<T>(&self, work: impl Future<Output = T>) -> T {
        if self.is_held() {
            return work.await;
        }
        let _alone = self.0.write().await;
        COLLECTING.scope(self.address(), work).await
    }

    fn is_held(&self) -> bool {
        COLLECTING.try_with(|held| *held == self.address()).unwrap_or(false)
    }

    fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}
