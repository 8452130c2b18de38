//! How far what was seen can be relied on.

use crate::check::sighting::{Certainty, Kind, Sighting};
use crate::report::check::Confidence;

/// Code, types, a manifest and a runtime's own word count most; names and source less; strings least.
pub(super) fn of(seen: &Sighting) -> Confidence {
    match (seen.kind, seen.events.certainty) {
        (Kind::RustBinary, Certainty::ByName | Certainty::Unknown) => Confidence::Low,
        (Kind::GoBinary | Kind::RustBinary, Certainty::Exact) => Confidence::High,
        (Kind::GoBinary, Certainty::ByName | Certainty::Observed) => Confidence::Medium,
        (Kind::GoBinary, Certainty::Unknown) => Confidence::Low,
        (Kind::WasmModule | Kind::OneShotConfig | Kind::Log | Kind::DeprecationList, _) => {
            Confidence::High
        }
        (Kind::GoMod | Kind::GoVendor | Kind::GoSource | Kind::CargoLock, _) => Confidence::Medium,
        _ => Confidence::Low,
    }
}
