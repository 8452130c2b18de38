//! Rules about NRI peers, which no generic tool has, for two schemas that are NRI protocols.

mod events;
pub(super) mod facts;
pub(super) mod fields;
pub(super) mod mask;
pub(super) mod model;
mod rpcs;
pub(super) mod semantics;
pub(super) mod side;
pub(super) mod synchronize;

use self::facts::Facts;
use self::semantics::{EVENT, PLUGIN, SENTINEL};
use self::side::{Flows, NriSide};
use super::sink::{Sink, Violation};
use crate::rules::ids;
use crate::rules::table::nri_rules;

/// A function that looks at both sides and reports its findings.
type NriCheck = fn(&Context<'_>, &mut Sink);

macro_rules! checks {
    ($($id:ident => $check:expr,)*) => {
        /// The rules of NRI, each with the function that reports it.
        pub(super) static RULES: &[(&str, NriCheck)] = &[$((ids::$id, $check)),*];
    };
}

nri_rules!(checks);

/// Both sides, the direction of their messages, and further facts.
pub(super) struct Context<'s> {
    pub(super) from: NriSide<'s>,
    pub(super) to: NriSide<'s>,
    pub(super) flows_from: Flows,
    pub(super) flows_to: Flows,
    pub(super) facts: &'s Facts<'s>,
}

impl<'s> Context<'s> {
    pub(super) fn new(from: NriSide<'s>, to: NriSide<'s>, facts: &'s Facts<'s>) -> Self {
        let (flows_from, flows_to) = (Flows::new(&from), Flows::new(&to));
        Self { from, to, flows_from, flows_to, facts }
    }

    /// Returns true if both sides have the service that runtimes call. Otherwise nothing reaches a
    /// plugin, and rules about single calls and events have nothing to add.
    fn both_serve(&self) -> bool {
        let sides = [&self.from, &self.to];
        sides.iter().all(|side| side.protocol.service(PLUGIN).is_some())
    }

    /// Returns true if both sides have the service that runtimes call, and an enum of events.
    fn both_have_events(&self) -> bool {
        let sides = [&self.from, &self.to];
        self.both_serve() && sides.iter().all(|side| side.events_enum().is_some())
    }

    /// Returns true if a generic rule reports the former number of the sentinel LAST, which passed
    /// to a new event or was removed.
    pub(super) fn is_of_sentinel(&self, rule: &str, element: &str) -> bool {
        let has_moved = self.from.nri.last.is_some() && self.to.nri.last.is_some();
        if !has_moved || self.from.nri.last == self.to.nri.last {
            return false;
        }
        if rule == ids::ENUM_VALUE_SAME_NAME {
            return mask::successor(self).is_some_and(|event| event.full_name == element);
        }
        rule.starts_with(ids::ENUM_VALUE_NO_DELETE)
            && element == self.to.full(&format!("{EVENT}.{SENTINEL}"))
    }

    /// Runs the check of every rule, each once: several rules can share one.
    pub(super) fn violations(&self) -> Vec<Violation> {
        let mut sink = Sink::default();
        for (at, (_, check)) in RULES.iter().enumerate() {
            let is_same = |(_, known): &(&str, NriCheck)| std::ptr::fn_addr_eq(*known, *check);
            if !RULES[..at].iter().any(is_same) {
                check(self, &mut sink);
            }
        }
        sink.violations
    }
}

/// Joins names: `A`, `A and B`, `A, B and C`.
fn names(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
