//! The pairing of a plugin of one version with a runtime of another: per event, per RPC and per field.

mod events;
mod needed;
mod rpcs;
mod services;
mod transfers;

use super::nri::facts::Facts;
use super::nri::side::Side;
use crate::report::pairing::{ItemKind, Outcome, Pairing, PairingItem};
use nri_schema::Schema;

/// One of the two peers.
#[derive(Clone, Copy)]
pub(super) struct Peer<'s> {
    pub(super) side: &'s Side<'s>,
    pub(super) schema: &'s Schema,
}

/// Returns the pairing of a plugin built for one side with a runtime built for the other.
pub(super) fn pair<'s>(plugin: Peer<'s>, runtime: Peer<'s>, facts: &'s Facts<'s>) -> Pairing {
    let mut pair = Pair {
        plugin,
        runtime,
        facts,
        items: Vec::new(),
    };
    if pair.find_each_other() {
        let transfers = pair.transfers();
        pair.events(&transfers);
        pair.synchronize();
        pair.rpcs(&transfers);
        pair.parts(&transfers);
    }
    Pairing::new(plugin.side.name, runtime.side.name, pair.items)
}

struct Pair<'s> {
    plugin: Peer<'s>,
    runtime: Peer<'s>,
    facts: &'s Facts<'s>,
    items: Vec<PairingItem>,
}

impl Pair<'_> {
    fn push(&mut self, kind: ItemKind, element: &str, outcome: Outcome, detail: impl Into<String>) {
        self.items.push(item(kind, element, outcome, detail));
    }
}

fn item(kind: ItemKind, element: &str, outcome: Outcome, detail: impl Into<String>) -> PairingItem {
    PairingItem {
        kind,
        element: element.to_owned(),
        outcome,
        detail: detail.into(),
    }
}
