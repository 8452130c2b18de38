//! Keeps the events of one pod in order, while those of different pods overtake each other.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

/// The pods with events in progress.
#[derive(Debug, Default)]
pub(super) struct PodOrder {
    hasher: RandomState,
    /// A lock for each pod, which is held by the event in progress. The mutex is fair, so that the
    /// others follow in their order.
    pods: Mutex<HashMap<Pod, Arc<AsyncMutex<()>>>>,
}

/// The hash of a pod's id. Should two pods share one, their events wait for each other.
type Pod = u64;

/// An event of a pod that waits for its turn, or the right to send it. Ends when it is dropped.
#[derive(Debug)]
pub(super) struct PodTurn<'a> {
    order: &'a PodOrder,
    pod: Pod,
    held: Option<OwnedMutexGuard<()>>,
}

impl PodOrder {
    /// Waits until earlier events of the pod are done.
    pub(super) async fn turn(&self, pod: &str) -> PodTurn<'_> {
        let pod = self.hasher.hash_one(pod);
        let mut turn = PodTurn { order: self, pod, held: None };
        let lock = Arc::clone(self.pods().entry(pod).or_default());
        turn.held = Some(lock.lock_owned().await);
        turn
    }

    fn pods(&self) -> MutexGuard<'_, HashMap<Pod, Arc<AsyncMutex<()>>>> {
        self.pods.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PodTurn<'_> {
    fn drop(&mut self) {
        self.held = None;
        let mut pods = self.order.pods();
        // Locks are only cloned while `pods` is locked.
        let is_last = |lock: &Arc<_>| Arc::strong_count(lock) == 1;
        if pods.get(&self.pod).is_some_and(is_last) {
            pods.remove(&self.pod);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    #[test]
    fn one_pod_waits_and_another_does_not() {
        let order = PodOrder::default();
        let mut cx = Context::from_waker(Waker::noop());
        let first = pin!(order.turn("a")).poll(&mut cx);
        assert!(first.is_ready());
        let mut second = Box::pin(order.turn("a"));
        assert!(second.as_mut().poll(&mut cx).is_pending());
        assert!(pin!(order.turn("b")).poll(&mut cx).is_ready());
        drop(first);
        let Poll::Ready(turn) = second.as_mut().poll(&mut cx) else {
            panic!("the turn is free");
        };
        drop(second);
        assert!(pin!(order.turn("a")).poll(&mut cx).is_pending());
        drop(turn);
        assert!(order.pods().is_empty());
    }

    #[test]
    fn the_turn_passes_over_those_who_gave_up_waiting() {
        let order = PodOrder::default();
        let mut cx = Context::from_waker(Waker::noop());
        let first = pin!(order.turn("a")).poll(&mut cx);
        let mut waiting: Vec<_> = (0..3).map(|_| Box::pin(order.turn("a"))).collect();
        for turn in &mut waiting {
            assert!(turn.as_mut().poll(&mut cx).is_pending());
        }
        drop(waiting.remove(0));
        drop(first);
        // The next one got the turn, and gives up before it notices.
        drop(waiting.remove(0));
        let last = waiting.remove(0).as_mut().poll(&mut cx);
        assert!(last.is_ready());
        drop(last);
        assert!(order.pods().is_empty());
    }
}
