//! Keeps the events of one pod in order, while those of different pods overtake each other.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The pods with events in progress, and the events that wait for them.
#[derive(Debug, Default)]
pub(super) struct PodOrder {
    hasher: RandomState,
    pods: Mutex<BTreeMap<Pod, Waiting>>,
}

/// The hash of a pod's id. Should two pods share one, their events wait for each other.
type Pod = u64;

/// The events that wait for their turn, in order. Empty without an allocation, as it is for nearly every event.
type Waiting = VecDeque<oneshot::Sender<()>>;

/// The right to send an event of a pod, until it is dropped.
#[derive(Debug)]
pub(super) struct PodTurn<'a> {
    order: &'a PodOrder,
    pod: Pod,
}

/// A place among the events that wait.
struct QueuedEvent<'a> {
    order: &'a PodOrder,
    pod: Pod,
    turn: oneshot::Receiver<()>,
}

impl PodOrder {
    /// Waits until earlier events of the pod are done.
    pub(super) async fn turn(&self, pod: &str) -> PodTurn<'_> {
        let pod = self.hasher.hash_one(pod);
        if let Some(mut place) = self.enter(pod) {
            // An error means that no event is ahead any more.
            let _ = (&mut place.turn).await;
        }
        PodTurn { order: self, pod }
    }

    /// Returns a place to wait at, or `None` if no other event of the pod is in progress.
    fn enter(&self, pod: Pod) -> Option<QueuedEvent<'_>> {
        let mut pods = self.pods();
        let Some(waiting) = pods.get_mut(&pod) else {
            pods.insert(pod, Waiting::new());
            return None;
        };
        let (sender, turn) = oneshot::channel();
        waiting.push_back(sender);
        Some(QueuedEvent {
            order: self,
            pod,
            turn,
        })
    }

    /// Passes the turn on to the first event that still waits.
    fn pass_on(&self, pod: Pod) {
        let mut pods = self.pods();
        while let Some(next) = pods.get_mut(&pod).and_then(VecDeque::pop_front) {
            if next.send(()).is_ok() {
                return;
            }
        }
        pods.remove(&pod);
    }

    fn pods(&self) -> MutexGuard<'_, BTreeMap<Pod, Waiting>> {
        self.pods.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PodTurn<'_> {
    fn drop(&mut self) {
        self.order.pass_on(self.pod);
    }
}

impl Drop for QueuedEvent<'_> {
    fn drop(&mut self) {
        self.turn.close();
        // The turn may have come between the last poll and now.
        if self.turn.try_recv().is_ok() {
            self.order.pass_on(self.pod);
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
