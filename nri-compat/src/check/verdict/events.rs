//! Events that the target does not know: a runtime drops a plugin that subscribes to one of them.

use nri_schema::history::History;
use nri_schema::version;

use super::{cannot_tell, remedy};
use crate::check::target::Target;
use crate::facts::EVENTS;
use crate::report::check::{Confidence, Outcome, Verdict};
use crate::rules::ids;
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

/// Objects if the plugin may handle an event that the target does not know, and that its file does
/// not show.
fn may_subscribe_to_more(seen: &Sighting, target: &Target<'_>) -> Option<Verdict> {
    let read: &[&str] = match seen.events.certainty {
        Certainty::Exact | Certainty::ByName => &EVENTS,
        // A runtime that calls a plugin has accepted its subscription; others may not.
        Certainty::Observed | Certainty::Unknown => &[],
    };
    let known = newest_events(target.history);
    let newer: Vec<&str> = known
        .filter(|event| !read.contains(event) && target.event(event).is_none())
        .filter(|event| may_have(seen, target.history, event))
        .collect();
    if newer.is_empty() {
        return None;
    }
    let why = match read {
        [] => "cannot determine which events it handles",
        _ => "this version of nri-compat is older than the event and does not find it in programs",
    };
    let name = &target.head.name;
    let reason = format!("{name} drops a plugin that subscribes to {}; {why}", newer.join(", "));
    Some(cannot_tell(seen, reason))
}

/// Returns the events of the newest revision in the tables. These may be newer than the readers,
/// which know [`EVENTS`].
fn newest_events(history: &History) -> impl Iterator<Item = &str> {
    let newest = history.revisions().last().and_then(|revision| revision.protocol().ok());
    let nri = newest.and_then(|protocol| protocol.nri.as_ref());
    nri.into_iter().flat_map(|nri| &nri.events).map(|event| event.rpc_name.as_str())
}

/// Returns true unless the stub of the plugin is older than the event.
fn may_have(seen: &Sighting, history: &History, event: &str) -> bool {
    let below = seen.nri.below.as_deref().and_then(version::parse);
    let since = || version::parse(history.first_with_event(event)?.name());
    below.is_none_or(|below| since().is_none_or(|since| since < below))
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
        rule: ids::CHECK_EVENT_UNKNOWN,
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
