//! The functions that check each rule. A test compares this list with the catalogue.

use super::{Context, Sink};
use super::{enums, events, fields, mask, rpcs, services, state_change, synchronize, wasm};

/// A check function and the ids that it may report.
pub struct Check {
    /// The ids of the rules that it checks.
    pub rules: &'static [&'static str],
    pub(super) run: fn(&Context<'_>, &mut Sink),
}

/// Every NRI check, in no particular order: findings are sorted afterwards.
pub const CHECKS: &[Check] = &[
    Check {
        rules: &["NRI_PACKAGE_CHANGED", "NRI_SERVICE_REMOVED"],
        run: services::check,
    },
    Check {
        rules: &[
            "NRI_EVENT_NUMBER_CHANGED",
            "NRI_EVENT_REMOVED",
            "NRI_EVENT_RPC_CHANGED",
            "NRI_EVENT_WITHOUT_RPC",
        ],
        run: events::check,
    },
    Check {
        rules: &[
            "NRI_EVENT_SENTINEL_MOVED",
            "NRI_EVENT_SENTINEL_GAP",
            "NRI_EVENT_BEYOND_SENTINEL",
            "NRI_EVENT_MASK_GREW",
            "NRI_EVENT_MASK_OVERFLOW",
            "NRI_MASK_FIELD_CHANGED",
        ],
        run: mask::check,
    },
    Check {
        rules: &[
            "NRI_RPC_ADDED_WITH_FALLBACK",
            "NRI_RPC_ADDED_WITHOUT_FALLBACK",
            "NRI_CALL_ADDED",
            "NRI_RPC_REMOVED",
            "NRI_RPC_PAIRING_BROKEN",
            "NRI_RPC_BECAME_STREAM",
        ],
        run: rpcs::check,
    },
    Check {
        rules: &["NRI_WASM_EXPORT_REQUIRED"],
        run: wasm::check,
    },
    Check {
        rules: &[
            "NRI_EVENT_LEFT_STATE_CHANGE",
            "NRI_STATE_CHANGE_EVENT_CHANGED",
            "NRI_INTERFACE_REMOVED_EARLY",
            "NRI_INTERFACE_REMOVED_AS_PLANNED",
        ],
        run: state_change::check,
    },
    Check {
        rules: &[
            "NRI_FIELD_IGNORED_BY_OLDER_RUNTIME",
            "NRI_REGISTRATION_FIELD_IGNORED",
            "NRI_FIELD_ABSENT_ON_OLDER_RUNTIME",
            "NRI_ANSWER_FIELD_REMOVED",
            "NRI_REQUEST_FIELD_REMOVED",
        ],
        run: fields::check,
    },
    Check {
        rules: &[
            "NRI_ENUM_VALUE_UNKNOWN_TO_OLDER_RUNTIME",
            "NRI_ENUM_VALUE_UNKNOWN_TO_OLDER_PLUGIN",
        ],
        run: enums::check,
    },
    Check {
        rules: &["NRI_SYNC_SPLIT_ADDED", "NRI_SYNC_SPLIT_BROKEN"],
        run: synchronize::check,
    },
];
