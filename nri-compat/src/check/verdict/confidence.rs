//! How far what was seen can be relied on.

use crate::check::sighting::{Certainty, FileKind, Sighting};
use crate::report::check::Confidence;

/// Code, types, a manifest and a runtime's own word count most; names and source less; strings least.
pub(super) fn of(seen: &Sighting) -> Confidence {
    match (seen.kind, seen.events.certainty) {
        (FileKind::RustBinary, Certainty::ByName | Certainty::Unknown) => Confidence::Low,
        (FileKind::GoBinary | FileKind::RustBinary, Certainty::Exact) => Confidence::High,
        (FileKind::GoBinary, Certainty::ByName | Certainty::Observed) => Confidence::Medium,
        (FileKind::GoBinary, Certainty::Unknown) => Confidence::Low,
        (
            FileKind::WasmModule
            | FileKind::OneShotConfig
            | FileKind::Log
            | FileKind::DeprecationList,
            _,
        ) => Confidence::High,
        (FileKind::GoMod | FileKind::GoVendor | FileKind::GoSource | FileKind::CargoLock, _) => {
            Confidence::Medium
        }
        _ => Confidence::Low,
    }
}
