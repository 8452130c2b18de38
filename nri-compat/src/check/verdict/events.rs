//! Events that the target has never heard of: a runtime drops a plugin that subscribes to one.

use super::remedy;
use crate::check::sighting::{Certainty, FileKind, Interface, Sighting};
use crate::check::target::Target;
use crate::report::check::{Confidence, Outcome, Verdict};

pub(super) fn judge(seen: &Sighting, target: &Target<'_>) -> Option<Verdict> {
    let refuses = unknown(&seen.required, target);
    if !refuses.is_empty() {
        let reason = "the plugin refuses to run without it";
        return Some(incompatible(refuses, reason, Confidence::High, target));
    }
    if subscribes_to_what_is_known(seen) {
        return None;
    }
    let dropped = unknown(&seen.events.names, target);
    let reason = "it drops a plugin that subscribes to it (`invalid plugin events`)";
    // A plugin may subscribe to less than it handles.
    (!dropped.is_empty()).then(|| incompatible(dropped, reason, Confidence::Medium, target))
}

/// Those of the events that the target does not know.
fn unknown(events: &[String], target: &Target<'_>) -> Vec<String> {
    let unknown = |name: &&String| target.event(name).is_none();
    events.iter().filter(unknown).cloned().collect()
}

fn incompatible(
    events: Vec<String>,
    effect: &str,
    confidence: Confidence,
    target: &Target<'_>,
) -> Verdict {
    Verdict {
        outcome: Outcome::Incompatible,
        rule: "CHECK_EVENT_UNKNOWN",
        reason: format!(
            "{} does not know {}: {effect}",
            target.head.name,
            events.join(", ")
        ),
        remedy: remedy::leave_out(&events, target),
        events,
        confidence,
        ..Verdict::default()
    }
}

/// Plugins of the `nri` crate leave out what the runtime does not know; only they carry a manifest.
fn subscribes_to_what_is_known(seen: &Sighting) -> bool {
    let manifest = seen.kind == FileKind::RustBinary && seen.events.certainty == Certainty::Exact;
    manifest || seen.interface == Interface::Funnelled
}
