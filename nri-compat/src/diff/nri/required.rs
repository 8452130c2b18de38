//! The fields that peers refuse, or cannot use, if they arrive empty.

use super::side::Side;
use crate::report::pairing::Outcome;

/// A field that the receiver needs.
pub(in crate::diff) struct Required {
    /// The message and the field, without package.
    pub(in crate::diff) field: &'static str,
    /// The outcome if it does not arrive.
    pub(in crate::diff) outcome: Outcome,
    /// The consequence, as the end of a sentence.
    pub(in crate::diff) consequence: &'static str,
}

/// The fields, each with the place of the check in NRI v0.12.5 or in a runtime.
pub(in crate::diff) const REQUIRED: [Required; 5] = [
    // `CheckPluginName` in pkg/api/plugin.go.
    Required {
        field: "RegisterPluginRequest.plugin_name",
        outcome: Outcome::Dropped,
        consequence: "the runtime refuses an external plugin without a name",
    },
    // `CheckPluginIndex` in pkg/api/plugin.go.
    Required {
        field: "RegisterPluginRequest.plugin_idx",
        outcome: Outcome::Dropped,
        consequence: "the runtime refuses an external plugin without an index",
    },
    // `getContainerUpdate` in pkg/adaptation/result.go takes any id, and the runtime finds no container without one.
    Required {
        field: "ContainerUpdate.container_id",
        outcome: Outcome::Fails,
        consequence: "the runtime finds no container to update",
    },
    Required {
        field: "ContainerEviction.container_id",
        outcome: Outcome::Fails,
        consequence: "the runtime finds no container to evict",
    },
    // `StateChange` in pkg/stub/stub.go selects the handler by it.
    Required {
        field: "StateChangeEvent.event",
        outcome: Outcome::Misreads,
        consequence: "the plugin gets an event without a kind, and calls no handler",
    },
];

/// Returns the requirement on a field, whose full name is that of `side`.
pub(in crate::diff) fn requirement(side: &Side<'_>, field: &str) -> Option<&'static Required> {
    let relative = side.relative(field);
    REQUIRED.iter().find(|required| required.field == relative)
}
