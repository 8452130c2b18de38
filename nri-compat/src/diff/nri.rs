//! Rules about NRI peers, which no generic tool has, for two schemas that are NRI protocols.

mod enums;
mod event_names;
mod events;
pub(super) mod facts;
pub(super) mod fields;
pub(super) mod flow;
pub(super) mod mask;
pub(super) mod model;
mod registry;
mod rpcs;
pub(super) mod semantics;
mod services;
pub(super) mod side;
mod state_change;
pub(super) mod synchronize;
mod wasm;

pub(crate) use wasm::export as wasm_export;

pub(super) use registry::count as rule_count;

use self::facts::Facts;
use self::flow::Flows;
use self::semantics::{EVENT, PLUGIN, SENTINEL};
use self::side::Side;
use super::sink::Sink;
use crate::report::finding::Finding;

/// Both sides, the direction of their messages, and further facts.
pub(super) struct Context<'s> {
    pub(super) from: Side<'s>,
    pub(super) to: Side<'s>,
    pub(super) flows_from: Flows,
    pub(super) flows_to: Flows,
    pub(super) facts: &'s Facts<'s>,
}

/// The names involved in a move of the sentinel, for the findings that it explains.
pub(super) struct SentinelMoved {
    pub(super) rule: &'static str,
    pub(super) sentinel: String,
    /// Returns the new event that has the former number of LAST.
    pub(super) successor: Option<String>,
}

impl<'s> Context<'s> {
    pub(super) fn new(from: Side<'s>, to: Side<'s>, facts: &'s Facts<'s>) -> Self {
        let (flows_from, flows_to) = (Flows::new(&from), Flows::new(&to));
        Self {
            from,
            to,
            flows_from,
            flows_to,
            facts,
        }
    }

    /// Returns true if both sides have the service that runtimes call. Otherwise nothing reaches a
    /// plugin, and rules about single calls and events have nothing to add.
    fn both_serve(&self) -> bool {
        let sides = [&self.from, &self.to];
        sides.iter().all(|side| side.service(PLUGIN).is_some())
    }

    /// Returns true if both sides have the service that runtimes call, and an enum of events.
    fn both_have_events(&self) -> bool {
        let sides = [&self.from, &self.to];
        self.both_serve() && sides.iter().all(|side| side.events_enum().is_some())
    }

    /// Returns the move of the sentinel LAST, if it moved.
    pub(super) fn sentinel_moved(&self) -> Option<SentinelMoved> {
        let (old, new) = (self.from.nri.last?, self.to.nri.last?);
        (old != new).then(|| SentinelMoved {
            rule: "NRI_EVENT_SENTINEL_MOVED",
            sentinel: self.to.full(&format!("{EVENT}.{SENTINEL}")),
            successor: mask::successor(self).map(|event| event.full_name.clone()),
        })
    }

    /// Runs the function of every rule.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let mut sink = Sink::default();
        for run in registry::functions() {
            run(self, &mut sink);
        }
        sink.findings
    }
}

/// Joins names: `A`, `A and B`, `A, B and C`.
fn names(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
