//! The events of one plugin in the order of their arrival, from observers or from a recording.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use nri::api::EventMask;

use super::event::{ContainerId, EventRequest, Hook};
use super::observer::Record;

/// Everything that one plugin received on one connection.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    /// The name of the plugin.
    pub(crate) plugin: String,
    /// The events that it subscribed to.
    pub(crate) subscribed: EventMask,
    /// Its requests, in the order of their arrival. A Synchronize that is split is one request.
    pub(crate) arrivals: Vec<Arrival>,
    /// The pods in Synchronize.
    pub(crate) known_pods: BTreeSet<String>,
    /// The containers in Synchronize.
    pub(crate) known_containers: BTreeSet<String>,
    /// The containers whose requests all succeeded, and that end only on request.
    pub(crate) undisturbed: BTreeSet<String>,
}

/// A request to a plugin.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    pub(crate) hook: Hook,
    /// The id of the pod; empty for Configure and Synchronize.
    pub(crate) pod: String,
    pub(crate) container: Option<ContainerId>,
    /// The time since the beginning.
    pub(crate) at: Duration,
    /// The time of the answer; `None` if it is unknown.
    pub(crate) answered: Option<Duration>,
}

impl Sequence {
    /// Returns a sequence without requests.
    pub(crate) fn new(plugin: String, subscribed: EventMask) -> Sequence {
        Sequence {
            plugin,
            subscribed,
            arrivals: Vec::new(),
            known_pods: BTreeSet::new(),
            known_containers: BTreeSet::new(),
            undisturbed: BTreeSet::new(),
        }
    }

    /// Returns the sequence of each observer, in the order in which they were configured.
    pub(crate) fn all_of(record: &Record) -> Vec<Sequence> {
        let mut sequences: Vec<Sequence> = Vec::new();
        for entry in &record.entries {
            if !sequences.iter().any(|known| known.plugin == entry.observer) {
                sequences.push(Sequence::of(record, entry.observer));
            }
        }
        sequences
    }

    fn of(record: &Record, observer: &str) -> Sequence {
        let mut sequence = Sequence::new(observer.to_owned(), EventMask::ALL);
        for state in record.states(observer) {
            sequence.known_pods.extend(state.pods.iter().cloned());
            let containers = state.containers.iter();
            sequence.known_containers.extend(containers.cloned());
        }
        let Some(first) = record.entries.first() else {
            return sequence;
        };
        let since = |moment: Instant| moment.saturating_duration_since(first.started);
        let events = record.entries.iter();
        let events = events.filter(|entry| entry.observer == observer);
        sequence.arrivals.extend(events.map(|entry| Arrival {
            answered: entry.ended.map(since),
            ..Arrival::of(entry.event.clone(), since(entry.started))
        }));
        sequence
    }

    /// Returns true if the plugin receives this event.
    pub(crate) fn receives(&self, hook: Hook) -> bool {
        hook.event()
            .is_none_or(|event| self.subscribed.contains(event))
    }

    /// Returns the events of each pod without those of its containers, by the id of the pod.
    pub(crate) fn by_pod(&self) -> BTreeMap<&str, Vec<&Arrival>> {
        let mut pods: BTreeMap<&str, Vec<&Arrival>> = BTreeMap::new();
        for arrival in self.events().filter(|arrival| arrival.container.is_none()) {
            pods.entry(&arrival.pod).or_default().push(arrival);
        }
        pods
    }

    /// Returns the events of each container, by the id of the container.
    pub(crate) fn by_container(&self) -> BTreeMap<&str, Vec<&Arrival>> {
        let mut containers: BTreeMap<&str, Vec<&Arrival>> = BTreeMap::new();
        for arrival in self.events() {
            if let Some(container) = &arrival.container {
                containers.entry(&container.id).or_default().push(arrival);
            }
        }
        containers
    }

    /// Returns the requests other than Configure and Synchronize.
    pub(crate) fn events(&self) -> impl Iterator<Item = &Arrival> {
        self.arrivals
            .iter()
            .filter(|arrival| arrival.hook.event().is_some())
    }
}

impl Arrival {
    /// Returns a request whose answer is unknown.
    pub(crate) fn of(event: EventRequest, at: Duration) -> Arrival {
        Arrival {
            hook: event.hook,
            pod: event.pod.id,
            container: event.container,
            at,
            answered: None,
        }
    }
}
