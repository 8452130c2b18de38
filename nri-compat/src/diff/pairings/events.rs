//! Events: the RPC by which each reaches the plugin, and whether the plugin understands it.

use crate::diff::nri::semantics::{EVENT, PLUGIN, STATE_CHANGE};
use nri_schema::model::{Carrier, Event};

use super::Peers;
use super::transfers::RpcTransfer;
use crate::report::pairing::{ItemKind, PairingOutcome};

const NO_CARRIER: &str = "the runtime has no RPC to send it by";

impl Peers<'_> {
    pub(super) fn events(&mut self, transfers: &[RpcTransfer<'_>]) {
        if self.lacks_events() {
            return;
        }
        for event in &self.runtime.side.nri.events {
            let (outcome, detail) = match self.plugin.side.nri.event(&event.name) {
                Some(known) if known.number != event.number => (
                    PairingOutcome::Fails,
                    format!(
                        "number {} to the plugin, {} to the runtime",
                        known.number, event.number
                    ),
                ),
                Some(_) if event.bit & self.runtime.side.nri.valid_mask == 0 => self.refused(),
                Some(known) => self.delivery(event, known, transfers),
                None => self.unknown_to_plugin(event),
            };
            self.push(ItemKind::Event, &event.full_name, outcome, detail);
        }
        for event in &self.plugin.side.nri.events {
            if self.runtime.side.nri.event(&event.name).is_none() {
                let (outcome, detail) = self.unknown_to_runtime(event);
                self.push(ItemKind::Event, &event.full_name, outcome, detail);
            }
        }
    }

    /// Reports a side without an enum of events; returns true if there is one. Nothing else tells
    /// which events its peers know, and by which numbers.
    fn lacks_events(&mut self) -> bool {
        let sides = [("plugin", self.plugin.side), ("runtime", self.runtime.side)];
        let Some((who, _)) = sides.iter().find(|(_, side)| side.events_enum().is_none()) else {
            return false;
        };
        let detail = format!(
            "the {who} declares no enum of events: cannot determine which events it knows, and by which numbers"
        );
        let element = self.runtime.side.full(EVENT);
        self.push(ItemKind::Events, &element, PairingOutcome::Unknown, detail);
        true
    }

    /// Returns how an event that both know reaches the plugin.
    fn delivery(
        &self,
        sent: &Event,
        known: &Event,
        transfers: &[RpcTransfer<'_>],
    ) -> (PairingOutcome, String) {
        let by_route = self.route(sent, known);
        let carrier = match (sent.carrier, by_route.0) {
            (Carrier::Dedicated, PairingOutcome::Works) => &sent.rpc_name,
            _ => STATE_CHANGE,
        };
        let rpc = transfers.iter().find(|rpc| rpc.service == PLUGIN && rpc.name == carrier);
        match rpc.and_then(RpcTransfer::trouble) {
            Some(trouble) if trouble.0 > by_route.0 => trouble,
            Some(_) | None => by_route,
        }
    }

    fn route(&self, sent: &Event, known: &Event) -> (PairingOutcome, String) {
        match (sent.carrier, known.carrier) {
            (Carrier::Nothing, _) => (PairingOutcome::Loses, NO_CARRIER.to_owned()),
            (sent, known) if sent == known => (PairingOutcome::Works, String::new()),
            (Carrier::StateChange, _) if self.plugin.side.nri.state_change => (
                PairingOutcome::Fallback,
                "sent as StateChange, which the plugin must still handle".to_owned(),
            ),
            (Carrier::Dedicated, _) if self.falls_back(known) => {
                let rpc = self.runtime.side.full(&format!("{PLUGIN}.{STATE_CHANGE}"));
                let planned = self.facts.planned(&rpc);
                let detail = format!("repeated as StateChange, which is deprecated{planned}");
                (PairingOutcome::Fallback, detail)
            }
            (Carrier::Dedicated | Carrier::StateChange, _) => (
                PairingOutcome::Fails,
                "the plugin answers UNIMPLEMENTED, and the request fails".to_owned(),
            ),
        }
    }

    fn falls_back(&self, event: &Event) -> bool {
        self.plugin.side.nri.state_change && self.facts.falls_back(self.runtime.side, &event.name)
    }

    /// Returns the outcome of an event that the plugin does not know, which only reaches it if it
    /// subscribes with mask 0.
    fn unknown_to_plugin(&self, event: &Event) -> (PairingOutcome, String) {
        match event.carrier {
            Carrier::Nothing => (PairingOutcome::Loses, NO_CARRIER.to_owned()),
            Carrier::Dedicated if !self.falls_back(event) => (
                PairingOutcome::Fails,
                "only if the plugin subscribes with mask 0: it answers UNIMPLEMENTED, and the request fails"
                    .to_owned(),
            ),
            Carrier::Dedicated | Carrier::StateChange => (
                PairingOutcome::Works,
                "unknown to the plugin; with mask 0 it arrives as StateChange with an unknown number"
                    .to_owned(),
            ),
        }
    }

    fn unknown_to_runtime(&self, event: &Event) -> (PairingOutcome, String) {
        if event.bit & self.runtime.side.nri.valid_mask == 0 {
            self.refused()
        } else {
            (PairingOutcome::Fails, "the runtime uses its number for another event".to_owned())
        }
    }

    /// Returns the outcome for a plugin that the runtime drops because it subscribes to the event.
    fn refused(&self) -> (PairingOutcome, String) {
        let mask = self.runtime.side.nri.valid_mask;
        (
            PairingOutcome::Dropped,
            format!(
                "if subscribed to: outside the runtime's mask {mask:#x}, `invalid plugin events`"
            ),
        )
    }
}
