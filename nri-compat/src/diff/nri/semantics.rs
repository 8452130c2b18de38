//! The meaning of the names of NRI's protocol, as one table for findings and pairings.
//!
//! Sources: the functions named below, of NRI v0.12.5.

use crate::report::pairing::PairingOutcome;

/// The service that runtimes call.
pub(in crate::diff) const PLUGIN: &str = "Plugin";
/// The service that plugins call.
pub(in crate::diff) const RUNTIME: &str = "Runtime";
/// The service that WebAssembly modules call.
pub(in crate::diff) const HOST_FUNCTIONS: &str = "HostFunctions";

/// The RPC with which a plugin registers.
pub(in crate::diff) const REGISTER: &str = "RegisterPlugin";
/// The RPC that tells a plugin its configuration, and is answered with the mask.
pub(in crate::diff) const CONFIGURE: &str = "Configure";
/// The RPC that tells a plugin the existing pods and containers.
pub(in crate::diff) const SYNCHRONIZE: &str = "Synchronize";
/// The RPC for events without a dedicated one.
pub(in crate::diff) const STATE_CHANGE: &str = "StateChange";
/// The RPCs without which a plugin does not come into use (`start`, `configure` and `synchronize`
/// in pkg/adaptation/plugin.go).
pub(in crate::diff) const HANDSHAKE: [&str; 3] = [REGISTER, CONFIGURE, SYNCHRONIZE];

/// The enum of events. The event with number N has bit N - 1 of the mask (`Set` in
/// pkg/api/event.go).
pub(in crate::diff) const EVENT: &str = "Event";
/// The constant after the last event, whose bit and all higher ones a mask may not have
/// (`ValidEvents` in pkg/api/event.go).
pub(in crate::diff) const SENTINEL: &str = "LAST";
/// The highest event that has a bit in a positive int32.
pub(in crate::diff) const MAX_EVENT: i32 = 31;
/// The field of the subscription mask. 0 is every event (`configure` in pkg/adaptation/plugin.go).
pub(in crate::diff) const MASK: &str = "ConfigureResponse.events";

/// The messages that may come in parts (`synchronize` in pkg/adaptation/plugin.go).
pub(in crate::diff) const IN_PARTS: [&str; 2] = ["SynchronizeRequest", "SynchronizeResponse"];
/// The field in them that says that another part follows.
pub(in crate::diff) const MORE: &str = "more";

/// A field that the receiver needs.
pub(in crate::diff) struct Required {
    /// The message and the field, without package.
    pub(in crate::diff) field: &'static str,
    /// The outcome if it does not arrive.
    pub(in crate::diff) outcome: PairingOutcome,
    /// The consequence, as the end of a sentence.
    pub(in crate::diff) consequence: &'static str,
}

/// The fields that peers refuse, or cannot use, if they arrive empty.
pub(in crate::diff) const REQUIRED: [Required; 5] = [
    // `CheckPluginName` in pkg/api/plugin.go.
    Required {
        field: "RegisterPluginRequest.plugin_name",
        outcome: PairingOutcome::Dropped,
        consequence: "the runtime refuses an external plugin without a name",
    },
    // `CheckPluginIndex` in pkg/api/plugin.go.
    Required {
        field: "RegisterPluginRequest.plugin_idx",
        outcome: PairingOutcome::Dropped,
        consequence: "the runtime refuses an external plugin without an index",
    },
    // `getContainerUpdate` in pkg/adaptation/result.go takes any id, and the runtime finds no
    // container without one.
    Required {
        field: "ContainerUpdate.container_id",
        outcome: PairingOutcome::Fails,
        consequence: "the runtime finds no container to update",
    },
    Required {
        field: "ContainerEviction.container_id",
        outcome: PairingOutcome::Fails,
        consequence: "the runtime finds no container to evict",
    },
    // `StateChange` in pkg/stub/stub.go selects the handler by it.
    Required {
        field: "StateChangeEvent.event",
        outcome: PairingOutcome::Misreads,
        consequence: "the plugin gets an event without a kind, and calls no handler",
    },
];
