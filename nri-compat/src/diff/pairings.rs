//! The pairing of a plugin of one version with a runtime of another: per event, per RPC and per
//! field. Peers find each other by the full names of their services.

mod events;
mod needed;
mod rpcs;
mod transfers;

use super::nri::facts::Facts;
use super::nri::semantics::{PLUGIN, RUNTIME};
use super::nri::side::NriSide;
use crate::report::pairing::{ItemKind, Pairing, PairingItem, PairingOutcome};
use nri_schema::Schema;
use nri_schema::model::Service;

/// One of the two peers.
#[derive(Clone, Copy)]
pub(super) struct Peer<'s> {
    pub(super) side: &'s NriSide<'s>,
    pub(super) schema: &'s Schema,
}

/// Returns the pairing of a plugin built for one side with a runtime built for the other.
pub(super) fn pair<'s>(plugin: Peer<'s>, runtime: Peer<'s>, facts: &'s Facts<'s>) -> Pairing {
    let mut pair = Peers { plugin, runtime, facts, items: Vec::new() };
    if pair.find_each_other() {
        let transfers = pair.transfers();
        pair.events(&transfers);
        pair.synchronize();
        pair.rpcs(&transfers);
        pair.parts(&transfers);
    }
    Pairing::new(plugin.side.name, runtime.side.name, pair.items)
}

struct Peers<'s> {
    plugin: Peer<'s>,
    runtime: Peer<'s>,
    facts: &'s Facts<'s>,
    items: Vec<PairingItem>,
}

impl Peers<'_> {
    fn push(
        &mut self,
        kind: ItemKind,
        element: &str,
        outcome: PairingOutcome,
        detail: impl Into<String>,
    ) {
        self.items.push(item(kind, element, outcome, detail));
    }
}

fn item(
    kind: ItemKind,
    element: &str,
    outcome: PairingOutcome,
    detail: impl Into<String>,
) -> PairingItem {
    PairingItem { kind, element: element.to_owned(), outcome, detail: detail.into() }
}

/// The services that both sides need, each with the consequence if the plugin or the runtime does
/// not have it.
const NEEDED: [(&str, &str, &str); 2] = [
    (
        PLUGIN,
        "it answers UNIMPLEMENTED to every call of the runtime",
        "it calls nothing that the plugin has",
    ),
    (RUNTIME, "it cannot register", "it answers UNIMPLEMENTED, and no plugin can register"),
];

impl Peers<'_> {
    /// Returns true if the services that both need have the same names on both sides.
    fn find_each_other(&mut self) -> bool {
        for (name, without_plugin, without_runtime) in NEEDED {
            let of_plugin = self.plugin.side.protocol.service(name);
            let of_runtime = self.runtime.side.protocol.service(name);
            let detail = match (of_plugin, of_runtime) {
                (Some(plugin), Some(runtime)) if plugin.full_name == runtime.full_name => continue,
                (Some(plugin), Some(runtime)) => format!(
                    "{} to the plugin, {} to the runtime: calls do not reach the other side",
                    plugin.full_name, runtime.full_name
                ),
                (None, Some(runtime)) => lacking(("plugin", self.plugin), runtime, without_plugin),
                (Some(plugin), None) => lacking(("runtime", self.runtime), plugin, without_runtime),
                (None, None) => "neither side declares this service".to_owned(),
            };
            let full_name = of_runtime.or(of_plugin).map(|service| service.full_name.clone());
            let element = full_name.unwrap_or_else(|| self.runtime.side.full(name));
            self.push(ItemKind::Service, &element, PairingOutcome::Dropped, detail);
        }
        self.items.is_empty()
    }
}

/// Returns the reason for a peer that lacks a service, with the service that has its calls under
/// another name, if there is one.
fn lacking((who, peer): (&str, Peer<'_>), service: &Service, consequence: &str) -> String {
    match peer.side.protocol.services.iter().find(|other| is_alike(other, service)) {
        Some(other) => format!(
            "the {who} calls this service {}, and services are found by name: {consequence}",
            other.full_name
        ),
        None => format!("the {who} does not declare this service: {consequence}"),
    }
}

/// Returns true if a service has most of the RPCs of another one.
fn is_alike(one: &Service, other: &Service) -> bool {
    let shared = other.rpcs.iter().filter(|rpc| one.rpc(&rpc.name).is_some());
    shared.count() * 2 > other.rpcs.len()
}
