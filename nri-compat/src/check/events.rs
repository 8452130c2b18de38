//! The events of the protocol, by the names of their RPCs.

use heck::ToShoutySnakeCase as _;

use crate::facts::EVENTS;

/// Returns the names of the RPCs of all events, in the order of the event numbers.
pub fn names() -> &'static [&'static str] {
    &EVENTS
}

/// A set of events, one bit each, by position in [`names`].
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
    rpc.to_shouty_snake_case()
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
    fn names_of_the_protos_follow_from_those_of_rpcs() {
        assert_eq!(
            proto_name("PostUpdatePodSandbox"),
            "POST_UPDATE_POD_SANDBOX"
        );
    }
}
