//! Keeps the events of one pod in order, while those of different pods overtake each other.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

/// The pods with events in progress.
#[derive(Debug, Default)]
pub(super) struct PodOrder {
    hasher: RandomState,
    pods: Mutex<HashMap<Pod, Events>>,
}

/// The hash of a pod's id. Should two pods share one, their events wait for each other.
type Pod = u64;

/// The events of a pod that are in progress or wait.
#[derive(Debug, Default)]
struct Events {
    count: usize,
    /// Held by the event in progress. The mutex is fair, so that the others follow in their order.
    lock: Arc<AsyncMutex<()>>,
}

/// The right to send an event of a pod, until it is dropped.
#[derive(Debug)]
pub(super) struct PodTurn<'a> {
    _turn: OwnedMutexGuard<()>,
    _counted: Counted<'a>,
}

/// An event that is counted until it is dropped.
#[derive(Debug)]
struct Counted<'a> {
    order: &'a PodOrder,
    pod: Pod,
}

impl PodOrder {
    /// Waits until earlier events of the pod are done.
    pub(super) async fn turn(&self, pod: &str) -> PodTurn<'_> {
        let pod = self.hasher.hash_one(pod);
        let lock = {
            let mut pods = self.pods();
            let events = pods.entry(pod).or_default();
            events.count += 1;
            Arc::clone(&events.lock)
        };
        let counted = Counted { order: self, pod };
        PodTurn {
            _turn: lock.lock_owned().await,
            _counted: counted,
        }
    }

    fn pods(&self) -> MutexGuard<'_, HashMap<Pod, Events>> {
        self.pods.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        let mut pods = self.order.pods();
        if let Some(events) = pods.get_mut(&self.pod) {
            events.count -= 1;
            if events.count == 0 {
                pods.remove(&self.pod);
            }
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
