//! The RPCs that a plugin handles, independent of its type. The derive evaluates these at compile
//! time.

use super::policy::is_same;
use super::{Row, Rpc};
use crate::api::EventMask;

/// An RPC, and whether a plugin handles it.
#[derive(Clone, Copy)]
pub struct Fact {
    pub(crate) rpc: &'static Rpc,
    pub(crate) handled: bool,
}

impl Fact {
    /// Creates a fact about an RPC, from whether `#[nri(handles(…))]` lists it.
    pub const fn new(rpc: &'static Rpc, handled: bool) -> Self {
        Fact { rpc, handled }
    }

    /// Returns the facts about all RPCs of a table. `N` has to be the number of rows.
    pub const fn of_table<T, const N: usize>(rows: &[Row<T>]) -> [Self; N] {
        let mut facts = [Fact { rpc: rows[0].rpc, handled: false }; N];
        let mut at = 0;
        while at < N {
            facts[at] = Fact { rpc: rows[at].rpc, handled: rows[at].handler.is_some() };
            at += 1;
        }
        facts
    }
}

/// Returns the events that have a handler, either of their dedicated RPC or of StateChange.
pub const fn events(facts: &[Fact]) -> EventMask {
    let mut mask = EventMask::EMPTY;
    let mut at = 0;
    while at < facts.len() {
        if let (Some(event), true) = (facts[at].rpc.event, is_taken(facts, facts[at])) {
            mask = mask.with(event);
        }
        at += 1;
    }
    mask
}

/// Returns true if a handler receives the event of the RPC with this name, either of that RPC or of
/// StateChange.
pub const fn takes(facts: &[Fact], name: &str) -> bool {
    match find(facts, name) {
        Some(fact) => is_taken(facts, fact),
        None => false,
    }
}

/// Returns true if the RPC with this name has its own handler.
pub const fn handles(facts: &[Fact], name: &str) -> bool {
    match find(facts, name) {
        Some(fact) => fact.handled,
        None => false,
    }
}

const fn find(facts: &[Fact], name: &str) -> Option<Fact> {
    let mut at = 0;
    while at < facts.len() {
        if is_same(facts[at].rpc.name.as_bytes(), name.as_bytes()) {
            return Some(facts[at]);
        }
        at += 1;
    }
    None
}

const fn is_taken(facts: &[Fact], fact: Fact) -> bool {
    fact.rpc.event.is_some()
        && (fact.handled || fact.rpc.change_fields.is_some() && handles(facts, "StateChange"))
}
