//! Keeps the events of one pod in order, while those of different pods overtake each other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

/// One lock per pod with events in progress.
#[derive(Debug, Default)]
pub(super) struct PodOrder(Mutex<Locks>);

type Locks = HashMap<String, Arc<AsyncMutex<()>>>;

/// The right to send an event of a pod, until it is dropped.
pub(super) struct PodTurn<'a> {
    order: &'a PodOrder,
    pod: &'a str,
    held: Option<OwnedMutexGuard<()>>,
}

impl PodOrder {
    /// Waits until earlier events of the pod are done.
    pub(super) async fn turn<'a>(&'a self, pod: &'a str) -> PodTurn<'a> {
        let mut turn = PodTurn {
            order: self,
            pod,
            held: None,
        };
        let lock = Arc::clone(self.locks().entry(pod.to_owned()).or_default());
        turn.held = Some(lock.lock_owned().await);
        turn
    }

    fn locks(&self) -> MutexGuard<'_, Locks> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PodTurn<'_> {
    fn drop(&mut self) {
        self.held = None;
        let mut locks = self.order.locks();
        // Whoever waits holds a clone.
        if locks
            .get(self.pod)
            .is_some_and(|lock| Arc::strong_count(lock) == 1)
        {
            locks.remove(self.pod);
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
        drop(turn);
        drop(second);
        assert!(order.locks().is_empty());
    }

    #[test]
    fn who_gives_up_waiting_leaves_nothing_behind() {
        let order = PodOrder::default();
        let mut cx = Context::from_waker(Waker::noop());
        let first = pin!(order.turn("a")).poll(&mut cx);
        let mut second = Box::pin(order.turn("a"));
        assert!(second.as_mut().poll(&mut cx).is_pending());
        drop(first);
        drop(second);
        assert!(order.locks().is_empty());
    }
}
