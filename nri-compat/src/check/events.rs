//! The events of the protocol, by the names of their RPCs.

mod table;

pub use table::EVENTS;

/// The events known to a stub without pod updates and validation: the first ones of [`EVENTS`].
pub const BEFORE_POD_UPDATES: &[&str] = EVENTS.split_at(11).0;
/// The events known to a stub with pod updates but without validation.
pub const WITH_POD_UPDATES: &[&str] = EVENTS.split_at(13).0;

/// A set of events, one bit each, by position in [`EVENTS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventSet(u32);

impl EventSet {
    /// Adds the event with this RPC name. Returns whether there is one.
    pub fn insert(&mut self, rpc: &str) -> bool {
        let place = EVENTS.iter().position(|event| *event == rpc);
        if let Some(place) = place {
            self.0 |= 1 << place;
        }
        place.is_some()
    }

    /// Returns true if the collection is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the events that are in either set.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the RPC names, in the order of the event numbers.
    pub fn names(self) -> Vec<String> {
        let places = EVENTS.iter().enumerate();
        places
            .filter(|(place, _)| self.0 & (1 << place) != 0)
            .map(|(_, event)| (*event).to_owned())
            .collect()
    }
}

/// Returns the name of the event in the protos: `RUN_POD_SANDBOX` for `RunPodSandbox`.
pub fn proto_name(rpc: &str) -> String {
    let mut name = String::new();
    for letter in rpc.chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_uppercase());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_keeps_the_order_of_the_numbers() {
        let mut set = EventSet::default();
        assert!(set.insert("StopContainer") && set.insert("RunPodSandbox"));
        assert!(!set.insert("Synchronize"));
        assert_eq!(set.names(), ["RunPodSandbox", "StopContainer"]);
    }

    #[test]
    fn older_stubs_know_the_events_of_the_revisions_before() {
        let history = nri_codegen::history::History::embedded().unwrap();
        let of = |release: &str| {
            let release = history.release(release).unwrap();
            let protocol = history.revision_of(release).unwrap().protocol().unwrap();
            let events = protocol.nri.as_ref().unwrap().events.iter();
            events
                .map(|event| event.rpc_name.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(of("0.9.0"), BEFORE_POD_UPDATES);
        assert_eq!(of(crate::check::facts::POD_UPDATES), WITH_POD_UPDATES);
    }

    #[test]
    fn names_of_the_protos_follow_from_those_of_rpcs() {
        assert_eq!(
            proto_name("PostUpdatePodSandbox"),
            "POST_UPDATE_POD_SANDBOX"
        );
    }
}
