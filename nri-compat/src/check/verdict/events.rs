//! Events that the target does not know: a runtime drops a plugin that subscribes to one of them.

use super::{cannot_tell, remedy};
use crate::check::target::Target;
use crate::facts;
use crate::facts::EVENTS;
use crate::report::check::{Confidence, Outcome, Verdict};
use crate::sighting::{Certainty, FileKind, Interface, Sighting};

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
    if !dropped.is_empty() {
        // A plugin may subscribe to less than it handles.
        return Some(incompatible(dropped, reason, Confidence::Medium, target));
    }
    may_subscribe_to_more(seen, target)
}

/// Objects if it is unknown which events the plugin handles, and its stub has some that the target
/// does not know.
fn may_subscribe_to_more(seen: &Sighting, target: &Target<'_>) -> Option<Verdict> {
    let is_known = match seen.events.certainty {
        Certainty::Exact | Certainty::ByName => true,
        // A runtime that calls a plugin has accepted its subscription; others may not.
        Certainty::Observed | Certainty::Unknown => false,
    };
    let newer: Vec<String> = EVENTS
        .into_iter()
        .filter(|event| target.event(event).is_none())
        .map(str::to_owned)
        .collect();
    if is_known || newer.is_empty() || is_older_than_new_events(seen) {
        return None;
    }
    let reason = format!(
        "{} drops a plugin that subscribes to {}; cannot determine which events it handles",
        target.head.name,
        newer.join(", ")
    );
    Some(cannot_tell(seen, reason))
}

/// Returns true if the stub is older than the first event that was added to the protocol.
fn is_older_than_new_events(seen: &Sighting) -> bool {
    let version = |text: &str| semver::Version::parse(text.trim_start_matches('v')).ok();
    let below = seen.nri.below.as_deref().and_then(version);
    below.is_some_and(|below| Some(below) <= version(facts::POD_UPDATES))
}

/// Returns the events that the target does not know.
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
        reason: format!("{} does not know {}: {effect}", target.head.name, events.join(", "))
            .into(),
        remedy: remedy::leave_out(&events, target).into(),
        events: events.into(),
        confidence,
        ..Verdict::default()
    }
}

/// Returns true if the plugin leaves out events that the runtime does not know, like plugins built
/// with the `nri` crate, which are the only ones with a manifest.
fn subscribes_to_what_is_known(seen: &Sighting) -> bool {
    let manifest = seen.kind == FileKind::RustBinary && seen.events.certainty == Certainty::Exact;
    manifest || seen.interface == Interface::Funnelled
}
