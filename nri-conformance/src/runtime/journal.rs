//! The record of everything that the observers of a scenario have received.

use std::ops::Range;
use std::time::{Duration, Instant};

use nri::api::PodSandbox;
use tokio::sync::watch;
use tokio::time::timeout;

use super::event::{Hook, completed};
use super::judgement::Ended;
use super::sequence::{Arrival, Sequence};

/// A record that observers write to. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Journal {
    record: watch::Sender<Record>,
    begun: Instant,
}

/// The content of a journal.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    /// The requests to each plugin, in the order in which the plugins were configured.
    pub(super) sequences: Vec<Sequence>,
    /// The plugins whose connection was lost.
    pub(super) lost: Vec<&'static str>,
    /// The runtime's name and version in Configure.
    pub(super) runtime: Option<(String, String)>,
    /// The requests of the driver about pods.
    pub(super) requests: Vec<PodRequest>,
    /// The outcome of an attempt to start a container while the Run hook of its pod was held.
    pub(super) attempt: Option<Ended>,
}

/// A request about a pod that was answered.
#[derive(Clone, Debug)]
pub(super) struct PodRequest {
    pub(super) pod: String,
    /// The event of the same name.
    pub(super) hook: Hook,
    pub(super) time: Range<Duration>,
}

impl Journal {
    pub(super) fn new() -> Journal {
        Journal { record: watch::Sender::default(), begun: Instant::now() }
    }

    /// Returns the time since the beginning.
    pub(super) fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Returns a copy of the record so far.
    pub(super) fn read(&self) -> Record {
        self.record.borrow().clone()
    }

    /// Changes the record.
    pub(super) fn write(&self, change: impl FnOnce(&mut Record)) {
        self.record.send_modify(change);
    }

    /// Adds a request that has just arrived, and returns its position among those of the plugin.
    pub(super) fn begin(&self, observer: &str, arrival: Arrival) -> usize {
        let mut position = 0;
        self.write(|record| {
            let arrivals = &mut record.sequence(observer).arrivals;
            position = arrivals.len();
            arrivals.push(arrival);
        });
        position
    }

    /// Returns the pod of an event, completed with the values of the first event about it.
    pub(super) fn pod(&self, event: &Arrival) -> PodSandbox {
        let pod = event.facts.as_deref().cloned().unwrap_or_default();
        let record = self.record.borrow();
        let earlier = record.arrivals().find(|arrival| arrival.pod == pod.id);
        match earlier.and_then(|earlier| earlier.facts.as_deref()) {
            Some(earlier) => completed(pod, earlier.clone()),
            None => pod,
        }
    }

    /// Records that a request is being answered.
    pub(super) fn end(&self, observer: &str, position: usize) {
        let now = self.now();
        self.update(observer, position, |arrival| arrival.answered = Some(now));
    }

    /// Changes a request.
    pub(super) fn update(
        &self,
        observer: &str,
        position: usize,
        change: impl FnOnce(&mut Arrival),
    ) {
        self.write(|record| {
            if let Some(arrival) = record.sequence(observer).arrivals.get_mut(position) {
                change(arrival);
            }
        });
    }

    /// Waits until the record satisfies a condition. Returns false if it does not in time.
    pub(super) async fn wait(&self, limit: Duration, condition: impl Fn(&Record) -> bool) -> bool {
        let mut record = self.record.subscribe();
        timeout(limit, record.wait_for(condition)).await.is_ok()
    }

    /// Waits until nothing has been recorded for `quiet`, but not longer than `limit`, so that
    /// events that arrive too late are part of the record.
    pub(super) async fn settle(&self, quiet: Duration, limit: Duration) {
        let mut changes = self.record.subscribe();
        let settled = async {
            // Cannot fail: the sender is part of `self`.
            while let Ok(Ok(())) = timeout(quiet, changes.changed()).await {}
        };
        // On a busy node there is no quiet moment.
        let _ = timeout(limit, settled).await;
    }
}

impl Record {
    /// Returns the sequence of a plugin, which is new if it has received nothing yet.
    pub(super) fn sequence(&mut self, observer: &str) -> &mut Sequence {
        let known = self.sequences.iter().position(|known| known.plugin == observer);
        let position = known.unwrap_or_else(|| {
            self.sequences.push(Sequence::new(observer.to_owned()));
            self.sequences.len() - 1
        });
        &mut self.sequences[position]
    }

    /// Returns the sequence of a plugin that has received something.
    pub(super) fn of(&self, observer: &str) -> Option<&Sequence> {
        self.sequences.iter().find(|known| known.plugin == observer)
    }

    /// Returns the requests to all plugins.
    pub(super) fn arrivals(&self) -> impl Iterator<Item = &Arrival> {
        self.sequences.iter().flat_map(|known| &known.arrivals)
    }

    /// Returns the requests to one plugin.
    pub(super) fn arrivals_of(&self, observer: &str) -> impl Iterator<Item = &Arrival> {
        self.of(observer).into_iter().flat_map(|sequence| &sequence.arrivals)
    }

    /// Returns the events of one plugin about one pod.
    pub(super) fn events(&self, observer: &str, pod: &str) -> impl Iterator<Item = &Arrival> {
        let arrivals = self.arrivals_of(observer);
        arrivals.filter(move |arrival| arrival.pod == pod)
    }

    /// Returns the first event of a kind that a plugin received about a pod.
    pub(super) fn first(&self, observer: &str, pod: &str, hook: Hook) -> Option<&Arrival> {
        let mut events = self.events(observer, pod);
        events.find(|arrival| arrival.hook == hook)
    }

    /// Returns true if a plugin has received Synchronize, and returns the request.
    pub(super) fn synchronize(&self, observer: &str) -> Option<&Arrival> {
        self.arrivals_of(observer).find(|arrival| arrival.hook == Hook::Synchronize)
    }
}
