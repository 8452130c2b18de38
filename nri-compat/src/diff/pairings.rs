//! How a plugin of one version gets on with a runtime of another, event by event and field by field.

use nri_codegen::model::{Carrier, Event, Field};

use super::facts::Facts;
use super::nri::flow::Flows;
use super::nri::side::{PLUGIN, STATE_CHANGE, Side};
use super::nri::synchronize;
use crate::report::pairing::{ItemKind, Outcome, Pairing, PairingItem};

/// The pairing of a plugin built for one side with a runtime built for the other.
pub(super) fn pair<'s>(plugin: &Side<'s>, runtime: &Side<'s>, facts: &Facts<'s>) -> Pairing {
    let mut pair = Pair {
        plugin,
        runtime,
        facts,
        items: Vec::new(),
    };
    if pair.find_each_other() {
        pair.events();
        pair.synchronize();
        pair.calls();
        pair.fields();
    }
    Pairing {
        plugin: plugin.name.to_owned(),
        runtime: runtime.name.to_owned(),
        items: pair.items,
    }
}

const NO_CARRIER: &str = "the runtime has no RPC to send it by";

struct Pair<'p, 's> {
    plugin: &'p Side<'s>,
    runtime: &'p Side<'s>,
    facts: &'p Facts<'s>,
    items: Vec<PairingItem>,
}

impl Pair<'_, '_> {
    fn push(&mut self, kind: ItemKind, element: &str, outcome: Outcome, detail: impl Into<String>) {
        self.items.push(PairingItem {
            kind,
            element: element.to_owned(),
            outcome,
            detail: detail.into(),
        });
    }

    /// Whether the services that both need have the same names on both sides.
    fn find_each_other(&mut self) -> bool {
        let before = self.items.len();
        for service in [PLUGIN, "Runtime"] {
            let served = self.plugin.service(service).map(|found| &found.full_name);
            if served.is_none()
                || served != self.runtime.service(service).map(|found| &found.full_name)
            {
                let element = self.runtime.full(service);
                let detail = "the sides call this service by different names";
                self.push(ItemKind::Service, &element, Outcome::Dropped, detail);
            }
        }
        self.items.len() == before
    }

    fn events(&mut self) {
        for event in self.runtime.events() {
            let (outcome, detail) = match self.plugin.event(&event.name) {
                Some(known) if known.number != event.number => (
                    Outcome::Fails,
                    format!(
                        "event {} to the plugin, {} to the runtime",
                        known.number, event.number
                    ),
                ),
                Some(known) => self.delivery(event, known),
                None => self.unknown_to_plugin(event),
            };
            self.push(ItemKind::Event, &event.full_name, outcome, detail);
        }
        for event in self.plugin.events() {
            if self.runtime.event(&event.name).is_none() {
                let (outcome, detail) = self.unknown_to_runtime(event);
                self.push(ItemKind::Event, &event.full_name, outcome, detail);
            }
        }
    }

    /// How an event that both know reaches the plugin.
    fn delivery(&self, sent: &Event, known: &Event) -> (Outcome, String) {
        match (sent.carrier, known.carrier) {
            (Carrier::Nothing, _) => (Outcome::Loses, NO_CARRIER.to_owned()),
            (sent, known) if sent == known => (Outcome::Works, String::new()),
            (Carrier::StateChange, _) if self.plugin.nri.state_change => (
                Outcome::Fallback,
                "sent as StateChange, where the plugin must take it too".to_owned(),
            ),
            (Carrier::Dedicated, _) if self.falls_back(known) => {
                let rpc = self.runtime.full(&format!("{PLUGIN}.{STATE_CHANGE}"));
                let outlook = self
                    .facts
                    .outlook(&rpc)
                    .map(|outlook| format!(", {outlook}"));
                let outlook = outlook.unwrap_or_default();
                (
                    Outcome::Fallback,
                    format!("repeated as StateChange, which is deprecated{outlook}"),
                )
            }
            _ => (
                Outcome::Fails,
                "the plugin answers UNIMPLEMENTED, and the request fails".to_owned(),
            ),
        }
    }

    fn falls_back(&self, event: &Event) -> bool {
        self.plugin.nri.state_change && self.facts.falls_back(self.runtime, &event.name)
    }

    /// Only a plugin that subscribes with mask 0 gets an event it has never heard of.
    fn unknown_to_plugin(&self, event: &Event) -> (Outcome, String) {
        match event.carrier {
            Carrier::Nothing => (Outcome::Loses, NO_CARRIER.to_owned()),
            Carrier::Dedicated if !self.falls_back(event) => (
                Outcome::Fails,
                "only if the plugin subscribes with mask 0: it answers UNIMPLEMENTED, and the request fails"
                    .to_owned(),
            ),
            Carrier::Dedicated | Carrier::StateChange => (
                Outcome::Works,
                "unknown to the plugin; with mask 0 it comes as StateChange with a number it does not know"
                    .to_owned(),
            ),
        }
    }

    fn unknown_to_runtime(&self, event: &Event) -> (Outcome, String) {
        let mask = self.runtime.nri.valid_mask;
        match event.bit & mask {
            0 => (
                Outcome::Dropped,
                format!(
                    "if subscribed to: outside the runtime's mask {mask:#x}, `invalid plugin events`"
                ),
            ),
            _ => (
                Outcome::Fails,
                "the runtime means another event by its number".to_owned(),
            ),
        }
    }

    fn synchronize(&mut self) {
        let element = self.runtime.full(&format!("{PLUGIN}.Synchronize"));
        let (outcome, detail) = match (
            synchronize::splits(self.plugin),
            synchronize::splits(self.runtime),
        ) {
            (false, true) => (
                Outcome::Dropped,
                "if pods and containers exceed 4 MiB: the plugin does not answer `more`",
            ),
            (true, false) => (
                Outcome::Fails,
                "if pods and containers exceed 4 MiB: the runtime cannot send them in parts",
            ),
            _ => (Outcome::Works, ""),
        };
        self.push(ItemKind::Synchronize, &element, outcome, detail);
    }

    /// Calls that are not events: the handshake, and what plugins call.
    fn calls(&mut self) {
        for service in self
            .plugin
            .services()
            .iter()
            .filter(|service| service.name != PLUGIN)
        {
            for rpc in &service.rpcs {
                if self.runtime.rpc(&service.name, &rpc.name).is_none() {
                    let detail = "the runtime answers UNIMPLEMENTED";
                    self.push(ItemKind::Rpc, &rpc.full_name, Outcome::Loses, detail);
                }
            }
        }
        let Some(called) = self.runtime.service(PLUGIN) else {
            return;
        };
        for rpc in &called.rpcs {
            let name = &rpc.name;
            let is_event = self.runtime.event_of(name).is_some() || name == STATE_CHANGE;
            if !is_event && self.plugin.rpc(PLUGIN, name).is_none() {
                let detail = "the plugin answers UNIMPLEMENTED";
                self.push(ItemKind::Rpc, &rpc.full_name, Outcome::Fails, detail);
            }
        }
    }

    fn fields(&mut self) {
        let flows = Flows::new(self.plugin);
        for message in self.plugin.messages() {
            let name = self.plugin.relative(&message.full_name);
            let sent = flows.answers.contains(name) || flows.registration.contains(name);
            let Some(other) = self.runtime.message(name) else {
                continue;
            };
            if !sent && !flows.requests.contains(name) {
                continue;
            }
            let detail = match sent {
                true => "sent by the plugin, skipped by the runtime without a word",
                false => "read by the plugin, never filled by the runtime",
            };
            for field in &message.fields {
                let known = other.fields.iter().any(|one| agree(one, field));
                if !known && !synchronize::is_more(name, &field.name) {
                    self.push(ItemKind::Field, &field.full_name, Outcome::Loses, detail);
                }
            }
        }
    }
}

/// Whether both sides find the field by the same number and cardinality.
fn agree(one: &Field, other: &Field) -> bool {
    (one.number, one.label) == (other.number, other.label)
}
