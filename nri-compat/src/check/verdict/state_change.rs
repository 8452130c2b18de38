//! Plugins that take events as `StateChange`: whether they do so under this target, and until when.

use nri_codegen::history::Deprecation;

use super::{cannot_tell, deprecation, ok, planned_removal, remedy};
use crate::check::sighting::{Certainty, FileKind, Interface, Sighting};
use crate::check::target::Target;
use crate::report::check::{Confidence, Outcome, Verdict};

pub(super) fn judge(seen: &Sighting, target: &Target<'_>) -> Verdict {
    let Some(deprecation) = deprecation(target.history, "state-change") else {
        return ok("nothing deprecates it");
    };
    if seen.interface == Interface::Dedicated {
        return ok("it answers the RPC of every event that it handles");
    }
    if !target.deprecates(deprecation) {
        return ok(format!(
            "{} sends these events as StateChange",
            target.head.name
        ));
    }
    let events = concerned(seen, deprecation);
    let runtime_says_so = matches!(seen.kind, FileKind::Log | FileKind::DeprecationList);
    match (events.is_empty() && !runtime_says_so, seen.events.certainty) {
        (false, _) => affected(seen, target, deprecation, events),
        (true, Certainty::Exact | Certainty::ByName) => {
            ok("it handles no event that came as StateChange")
        }
        (true, Certainty::Observed | Certainty::Unknown) => unclear(seen, deprecation),
    }
}

/// Those of its events that go through `StateChange`, by RPC name.
fn concerned(seen: &Sighting, deprecation: &Deprecation) -> Vec<String> {
    let replaced = |name: &&String| deprecation.replaced_by.iter().any(|(_, rpc)| rpc == *name);
    seen.events.names.iter().filter(replaced).cloned().collect()
}

fn affected(
    seen: &Sighting,
    target: &Target<'_>,
    deprecation: &Deprecation,
    events: Vec<String>,
) -> Verdict {
    let gone = target.has_removed(deprecation) && seen.interface != Interface::Funnelled;
    Verdict {
        outcome: if gone {
            Outcome::Removed
        } else {
            Outcome::Deprecated
        },
        rule: "CHECK_STATE_CHANGE",
        since: deprecation.deprecated_in.nri.clone(),
        planned_removal: planned_removal(deprecation),
        reason: reason(seen, target, gone, events.len()),
        remedy: remedy::state_change(seen, deprecation, &events),
        events,
        confidence: Confidence::High,
        ..Verdict::default()
    }
}

fn reason(seen: &Sighting, target: &Target<'_>, gone: bool, events: usize) -> String {
    let them = match events {
        0 => "events".to_owned(),
        1 => "1 event".to_owned(),
        _ => format!("{events} events"),
    };
    match (&seen.interface, gone) {
        (Interface::Funnelled, _) => format!(
            "handles {them} in its StateChange handler; its stub answers the dedicated RPCs with it, so it outlives StateChange"
        ),
        (_, true) => format!(
            "takes {them} as StateChange, which by plan is gone in {}: they no longer arrive",
            target.head.name
        ),
        (_, false) => format!("takes {them} as StateChange, works through the runtime's fallback"),
    }
}

/// Returns the verdict on an old stub of which the events are not known: it is affected if it handles any of those that
/// came as `StateChange`.
pub(super) fn unclear(seen: &Sighting, deprecation: &Deprecation) -> Verdict {
    let mut verdict = cannot_tell(
        seen,
        "may rely on StateChange; cannot determine which events it handles".to_owned(),
    );
    verdict.since.clone_from(&deprecation.deprecated_in.nri);
    verdict.planned_removal = planned_removal(deprecation);
    verdict.remedy = remedy::state_change(seen, deprecation, &[]);
    verdict
}
