//! The reliability of sightings.

use crate::report::check::Confidence;
use crate::sighting::{Certainty, FileKind, Sighting};

/// Returns the confidence in a sighting: high for code, types, a manifest and a runtime's own
/// messages, lower for names and sources, lowest for unknown events.
pub(super) fn confidence(seen: &Sighting) -> Confidence {
    match seen.kind {
        FileKind::GoBinary => match seen.events.certainty {
            Certainty::Exact => Confidence::High,
            Certainty::ByName | Certainty::Observed => Confidence::Medium,
            Certainty::Unknown => Confidence::Low,
        },
        FileKind::RustBinary => match seen.events.certainty {
            Certainty::Exact => Confidence::High,
            Certainty::ByName | Certainty::Observed | Certainty::Unknown => Confidence::Low,
        },
        FileKind::WasmModule
        | FileKind::OneShotConfig
        | FileKind::Log
        | FileKind::DeprecationList => Confidence::High,
        FileKind::GoMod | FileKind::GoVendor | FileKind::GoSource | FileKind::CargoLock => {
            Confidence::Medium
        }
        FileKind::GoSum | FileKind::Manifest | FileKind::Other => Confidence::Low,
    }
}
