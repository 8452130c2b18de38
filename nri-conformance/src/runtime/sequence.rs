//! The events of one plugin in the order of their arrival, from observers or from a recording.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use nri::api::EventMask;

use super::event::{ContainerId, EventRequest, Hook};
use super::observer::{Record, Synchronized};

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

    /// Returns the sequence of each observer, in the order in which they were synchronized.
    pub(crate) fn all_of(record: &Record) -> Vec<Sequence> {
        let configured = record.configured.iter().map(|(_, at)| *at);
        let synchronized = record.synchronized.iter().map(|state| state.at);
        let Some(start) = configured.chain(synchronized).min() else {
            return Vec::new();
        };
        let mut sequences: Vec<Sequence> = Vec::new();
        for state in &record.synchronized {
            if !sequences.iter().any(|known| known.plugin == state.observer) {
                sequences.push(Sequence::of(record, state.observer, start));
            }
        }
        sequences
    }

    fn of(record: &Record, observer: &str, start: Instant) -> Sequence {
        let mut sequence = Sequence::new(observer.to_owned(), EventMask::ALL);
        let states = record.synchronized.iter();
        for state in states.filter(|state| state.observer == observer) {
            sequence.synchronize(state, start);
        }
        for (_, at) in record
            .configured
            .iter()
            .filter(|(name, _)| *name == observer)
        {
            let at = at.saturating_duration_since(start);
            sequence.arrivals.push(Arrival::of_all(Hook::Configure, at));
        }
        let events = record.entries.iter();
        let events = events.filter(|entry| entry.observer == observer);
        let since = |moment: Instant| moment.saturating_duration_since(start);
        sequence.arrivals.extend(events.map(|entry| Arrival {
            answered: entry.ended.map(since),
            ..Arrival::of(entry.event.clone(), since(entry.started))
        }));
        sequence.arrivals.sort_by_key(|arrival| arrival.at);
        sequence
    }

    fn synchronize(&mut self, state: &Synchronized, start: Instant) {
        let at = state.at.saturating_duration_since(start);
        self.arrivals.push(Arrival::of_all(Hook::Synchronize, at));
        self.known_pods.extend(state.pods.iter().cloned());
        self.known_containers
            .extend(state.containers.iter().cloned());
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
    /// Returns a request that is not about one pod: Configure or Synchronize.
    pub(crate) fn of_all(hook: Hook, at: Duration) -> Arrival {
        Arrival {
            hook,
            pod: String::new(),
            container: None,
            at,
            answered: None,
        }
    }

    /// Returns an event whose answer is unknown.
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
