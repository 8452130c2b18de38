//! Events that the target has never heard of: a runtime drops a plugin that subscribes to one.

use super::remedy;
use crate::check::sighting::{Certainty, Interface, Kind, Sighting};
use crate::check::target::Target;
use crate::report::check::{Confidence, Outcome, Verdict};

pub(super) fn judge(seen: &Sighting, target: &Target<'_>) -> Option<Verdict> {
    if subscribes_to_what_is_known(seen) {
        return None;
    }
    let names = seen.events.names.iter();
    let unknown: Vec<String> = names
        .filter(|name| target.event(name).is_none())
        .cloned()
        .collect();
    (!unknown.is_empty()).then(|| Verdict {
        outcome: Outcome::Incompatible,
        rule: "CHECK_EVENT_UNKNOWN",
        reason: format!(
            "{} does not know {}: it drops a plugin that subscribes to it (`invalid plugin events`)",
            target.head.name,
            unknown.join(", ")
        ),
        remedy: remedy::leave_out(&unknown, target),
        events: unknown,
        // A plugin may subscribe to less than it handles.
        confidence: Confidence::Medium,
        ..Verdict::default()
    })
}

/// Plugins of the `nri` crate leave out what the runtime does not know; only they carry a manifest.
fn subscribes_to_what_is_known(seen: &Sighting) -> bool {
    let manifest = seen.kind == Kind::RustBinary && seen.events.certainty == Certainty::Exact;
    manifest || seen.interface == Interface::Funnelled
}
