//! RPCs: whether the other side has them, and whether their messages arrive.

use super::Peers;
use super::transfers::RpcTransfer;
use crate::diff::nri::semantics::{
    CONFIGURE, HANDSHAKE, PLUGIN, REGISTER, RUNTIME, STATE_CHANGE, SYNCHRONIZE,
};
use crate::diff::nri::side::NriSide;
use crate::diff::nri::synchronize;
use crate::report::pairing::{ItemKind, PairingOutcome};

impl Peers<'_> {
    pub(super) fn synchronize(&mut self) {
        let element = self.runtime.side.full(&format!("{PLUGIN}.{SYNCHRONIZE}"));
        let (plugin, runtime) = (self.plugin.side, self.runtime.side);
        let has_rpc = |side: &NriSide<'_>| side.rpc(PLUGIN, SYNCHRONIZE).is_some();
        if !has_rpc(plugin) || !has_rpc(runtime) {
            return; // the missing RPC is reported
        }
        let neither = !synchronize::splits(plugin) && !synchronize::splits(runtime);
        let (outcome, detail) = if neither || synchronize::agree(plugin, runtime) {
            (PairingOutcome::Works, "")
        } else if synchronize::splits(runtime) {
            (
                PairingOutcome::Dropped,
                "if pods and containers exceed 4 MiB: the plugin does not answer `more` as the runtime expects",
            )
        } else {
            (
                PairingOutcome::Fails,
                "if pods and containers exceed 4 MiB: the runtime cannot send them in parts",
            )
        };
        self.push(ItemKind::Synchronize, &element, outcome, detail);
    }

    /// Adds RPCs that one side lacks, and those whose messages do not arrive.
    pub(super) fn rpcs(&mut self, transfers: &[RpcTransfer<'_>]) {
        self.unserved_by_runtime();
        self.served_elsewhere();
        self.unserved_by_plugin();
        self.unregistered();
        self.never_called();
        for transfer in transfers {
            let RpcTransfer { service, name, .. } = transfer;
            let Some((mut outcome, detail)) = transfer.trouble() else {
                continue;
            };
            let is_handshake = HANDSHAKE.contains(&name.as_str());
            if is_handshake && outcome == PairingOutcome::Fails {
                outcome = PairingOutcome::Dropped;
            }
            let element = self.runtime.side.full(&format!("{service}.{name}"));
            self.push(ItemKind::Rpc, &element, outcome, detail);
        }
    }

    fn unserved_by_runtime(&mut self) {
        for service in
            self.plugin.side.protocol.services.iter().filter(|service| service.name != PLUGIN)
        {
            for rpc in &service.rpcs {
                if self.runtime.side.rpc(&service.name, &rpc.name).is_some() {
                    continue;
                }
                let (outcome, detail) = if rpc.name == REGISTER {
                    (
                        PairingOutcome::Dropped,
                        "the runtime answers UNIMPLEMENTED: no plugin can register",
                    )
                } else {
                    (PairingOutcome::Loses, "the runtime answers UNIMPLEMENTED")
                };
                self.push(ItemKind::Rpc, &rpc.full_name, outcome, detail);
            }
        }
    }

    /// Adds the RPCs that the plugin calls in another package than that in which the runtime serves
    /// them.
    fn served_elsewhere(&mut self) {
        let served = self
            .runtime
            .side
            .protocol
            .services
            .iter()
            .filter(|service| ![PLUGIN, RUNTIME].contains(&service.name.as_str()));
        for service in
            served.filter(|service| self.plugin.side.protocol.service(&service.name).is_none())
        {
            let Some(called) =
                self.plugin.schema.services.iter().find(|called| called.id.name() == service.name)
            else {
                continue; // a plugin that does not have a service does not call it
            };
            let detail = format!(
                "the plugin calls it in service {}: the runtime answers UNIMPLEMENTED",
                called.id.full
            );
            for rpc in &service.rpcs {
                self.push(ItemKind::Rpc, &rpc.full_name, PairingOutcome::Loses, detail.clone());
            }
        }
    }

    fn unserved_by_plugin(&mut self) {
        for name in self.only_in(self.runtime.side, self.plugin.side) {
            let detail = "the plugin answers UNIMPLEMENTED";
            if HANDSHAKE.contains(&name.as_str()) {
                self.push_rpc(&name, PairingOutcome::Dropped, detail);
            } else if name != STATE_CHANGE {
                // A plugin without StateChange gets every event in its dedicated RPC, or not at
                // all, which events report.
                self.push_rpc(&name, PairingOutcome::Fails, detail);
            }
        }
    }

    /// Adds the registration that a runtime waits for, if the plugin has no RPC for it.
    fn unregistered(&mut self) {
        let Some(expected) = self.runtime.side.rpc(RUNTIME, REGISTER) else {
            return;
        };
        if self.plugin.side.rpc(RUNTIME, REGISTER).is_none() {
            let detail = "the plugin never registers, and the runtime closes its connection";
            self.push(ItemKind::Rpc, &expected.full_name, PairingOutcome::Dropped, detail);
        }
    }

    fn never_called(&mut self) {
        for name in self.only_in(self.plugin.side, self.runtime.side) {
            let (outcome, detail) = if name == CONFIGURE {
                (
                    PairingOutcome::Dropped,
                    "the runtime never calls it: the plugin waits for it, and its subscription does not arrive",
                )
            } else {
                (PairingOutcome::Loses, "the runtime never calls it")
            };
            self.push_rpc(&name, outcome, detail);
        }
    }

    /// Returns the names of RPCs of service Plugin that only `one` has and that are not the RPC of
    /// an event.
    fn only_in(&self, one: &NriSide<'_>, other: &NriSide<'_>) -> Vec<String> {
        let plugin = one.protocol.service(PLUGIN).into_iter();
        let rpcs = plugin.flat_map(|plugin| &plugin.rpcs);
        let names = rpcs.map(|rpc| &rpc.name);
        let only =
            names.filter(|name| one.event_of(name).is_none() && other.rpc(PLUGIN, name).is_none());
        only.cloned().collect()
    }

    fn push_rpc(&mut self, name: &str, outcome: PairingOutcome, detail: &str) {
        let element = self.runtime.side.full(&format!("{PLUGIN}.{name}"));
        self.push(ItemKind::Rpc, &element, outcome, detail);
    }
}
