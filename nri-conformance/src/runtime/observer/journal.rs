//! The record of everything that the observers of a scenario have received.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nri::api::PodSandbox;
use tokio::sync::watch;

use super::view::{Attempt, View};
use crate::runtime::event::{EventRequest, Hook};

/// A record that observers write to. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Journal {
    record: Arc<Mutex<Record>>,
    changes: watch::Sender<()>,
    begun: Arc<AtomicUsize>,
}

/// The content of a journal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    /// The requests, in the order in which they arrived.
    pub(crate) entries: Vec<RecordedEvent>,
    /// The states that plugins were synchronized with.
    pub(crate) synchronized: Vec<Synchronized>,
    /// The plugins whose connection was lost, with the time.
    pub(crate) lost: Vec<(&'static str, Instant)>,
    /// The runtime's name and version in Configure.
    pub(crate) runtime: Option<(String, String)>,
}

/// One request to one plugin.
#[derive(Clone, Debug)]
pub(crate) struct RecordedEvent {
    /// The unique number of the event.
    pub(super) number: usize,
    pub(crate) observer: &'static str,
    pub(crate) event: EventRequest,
    /// The moment at which the event arrived.
    pub(crate) started: Instant,
    /// The moment just before the answer; `None` while the hook is held.
    pub(crate) ended: Option<Instant>,
    /// The state of the pod at the beginning of the hook, and at its end if the hook was held.
    pub(crate) views: Vec<View>,
    /// The outcome of an attempt to start a container while the hook was held.
    pub(crate) attempt: Option<Attempt>,
}

/// The ids of the pods and containers that a plugin was synchronized with.
#[derive(Clone, Debug)]
pub(crate) struct Synchronized {
    pub(crate) observer: &'static str,
    pub(crate) pods: Vec<String>,
    pub(crate) containers: Vec<String>,
}

impl Journal {
    pub(crate) fn new() -> Journal {
        Journal {
            record: Arc::default(),
            changes: watch::Sender::new(()),
            begun: Arc::default(),
        }
    }

    /// Returns a copy of the record so far.
    pub(crate) fn read(&self) -> Record {
        self.lock().clone()
    }

    /// Returns the record so far, and starts a new one.
    pub(crate) fn take(&self) -> Record {
        std::mem::take(&mut self.lock())
    }

    /// Adds a request that has just arrived, and returns its number.
    pub(super) fn begin(&self, observer: &'static str, event: EventRequest) -> usize {
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        let entry = RecordedEvent {
            number,
            observer,
            event,
            started: Instant::now(),
            ended: None,
            views: Vec::new(),
            attempt: None,
        };
        self.write(|record| record.entries.push(entry));
        number
    }

    /// Changes the record.
    pub(super) fn write<T>(&self, change: impl FnOnce(&mut Record) -> T) -> T {
        let result = change(&mut self.lock());
        self.changes.send_replace(());
        result
    }

    /// Changes one event, unless its record has been taken.
    pub(super) fn update(&self, number: usize, change: impl FnOnce(&mut RecordedEvent)) {
        self.write(|record| {
            let mut entries = record.entries.iter_mut();
            if let Some(entry) = entries.find(|entry| entry.number == number) {
                change(entry);
            }
        });
    }

    /// Returns the pod as the first event about it has it.
    pub(super) fn first_sight(&self, pod: &str) -> Option<PodSandbox> {
        let record = self.lock();
        let mut pods = record.entries.iter().map(|entry| &entry.event.pod);
        pods.find(|known| known.id == pod).cloned()
    }

    /// Waits until the record satisfies a condition. Returns false if it does not in time.
    pub(crate) async fn wait(&self, limit: Duration, condition: impl Fn(&Record) -> bool) -> bool {
        let mut changes = self.changes.subscribe();
        let satisfied = async {
            while !condition(&self.lock()) {
                // Cannot fail: the sender is part of `self`.
                let _ = changes.changed().await;
            }
        };
        tokio::time::timeout(limit, satisfied).await.is_ok()
    }

    /// Waits until nothing has been recorded for `quiet`, but not longer than `limit`, so that events that arrive too
    /// late are part of the record.
    pub(crate) async fn settle(&self, quiet: Duration, limit: Duration) {
        let mut changes = self.changes.subscribe();
        let settled = async {
            // Cannot fail: the sender is part of `self`.
            while let Ok(Ok(())) = tokio::time::timeout(quiet, changes.changed()).await {}
        };
        // On a busy node there is no quiet moment.
        let _ = tokio::time::timeout(limit, settled).await;
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Record {
    /// Adds a later record.
    pub(crate) fn extend(&mut self, later: Record) {
        self.entries.extend(later.entries);
        self.synchronized.extend(later.synchronized);
        self.lost.extend(later.lost);
    }

    /// Returns the events of one plugin about one pod.
    pub(crate) fn of<'a>(
        &'a self,
        observer: &'a str,
        pod: &'a str,
    ) -> impl Iterator<Item = &'a RecordedEvent> {
        self.entries
            .iter()
            .filter(move |entry| entry.observer == observer && entry.event.pod.id == pod)
    }

    /// Returns the first event of a kind that a plugin received about a pod.
    pub(crate) fn first(&self, observer: &str, pod: &str, hook: Hook) -> Option<&RecordedEvent> {
        let mut entries = self.entries.iter();
        entries.find(|entry| {
            let event = &entry.event;
            entry.observer == observer && event.pod.id == pod && event.hook == hook
        })
    }

    /// Returns true if a plugin knows a container from Synchronize or from an event.
    pub(crate) fn knows_container(&self, observer: &str, id: &str) -> bool {
        let mut events = self.entries.iter();
        let by_event = events.any(|entry| {
            let container = entry.event.container.as_ref();
            entry.observer == observer && container.is_some_and(|container| container.id == id)
        });
        by_event
            || self
                .states(observer)
                .any(|state| has(&state.containers, id))
    }

    /// Returns true if a plugin knows a pod from Synchronize or from an event.
    pub(crate) fn knows_pod(&self, observer: &str, id: &str) -> bool {
        let by_event = self.of(observer, id).next().is_some();
        by_event || self.states(observer).any(|state| has(&state.pods, id))
    }

    /// Returns the states that a plugin was synchronized with.
    pub(crate) fn states(&self, observer: &str) -> impl Iterator<Item = &Synchronized> {
        let states = self.synchronized.iter();
        states.filter(move |state| state.observer == observer)
    }
}

fn has(ids: &[String], id: &str) -> bool {
    ids.iter().any(|known| known == id)
}

impl RecordedEvent {
    /// Returns true if the hook ended before a moment.
    pub(crate) fn ended_before(&self, moment: Instant) -> bool {
        self.ended.is_some_and(|ended| ended <= moment)
    }
}
