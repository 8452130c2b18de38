//! Plugins that receive events as `StateChange`: whether they do under this target, and until when.

use nri_schema::history::Deprecation;

use super::{REMOVED, cannot_tell, deprecation, ok, remedy};
use crate::check::target::Target;
use crate::report::check::{Confidence, Outcome, Verdict};
use crate::report::counted;
use crate::rules::ids;
use crate::sighting::{Certainty, FileKind, Interface, Sighting};

pub(super) fn judge(seen: &Sighting, target: &Target<'_>) -> Verdict {
    let Some(deprecation) = deprecation(target.history, "state-change") else {
        return ok("StateChange is not deprecated");
    };
    if seen.interface == Interface::Dedicated {
        return ok("answers the RPC of each event that it handles");
    }
    if !target.deprecates(deprecation) && !target.may_have_removed(deprecation) {
        return ok(format!("{} sends these events as StateChange", target.head.name));
    }
    let events = concerned(seen, deprecation);
    let runtime_says_so = matches!(seen.kind, FileKind::Log | FileKind::DeprecationList);
    if !events.is_empty() || runtime_says_so {
        return affected(seen, target, deprecation, events);
    }
    match seen.events.certainty {
        Certainty::Exact | Certainty::ByName => ok("handles no event that arrives as StateChange"),
        Certainty::Observed | Certainty::Unknown => unclear(seen, deprecation, target),
    }
}

/// Returns the RPC names of the events that it receives through `StateChange`.
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
        outcome: if gone { Outcome::Removed } else { Outcome::Deprecated },
        rule: if gone { REMOVED } else { ids::CHECK_STATE_CHANGE },
        since: deprecation.deprecated_in.nri.clone(),
        planned_removal: deprecation.removal.when.words(),
        reason: reason(seen, target, gone.then_some(deprecation), events.len()).into(),
        remedy: remedy::state_change(seen, deprecation, &events, target).into(),
        events: events.into(),
        confidence: Confidence::High,
        ..Verdict::default()
    }
}

/// Returns the reason of a verdict on this number of events; `gone` is the deprecation if
/// StateChange does not exist any more.
fn reason(
    seen: &Sighting,
    target: &Target<'_>,
    gone: Option<&Deprecation>,
    events: usize,
) -> String {
    let them = match events {
        0 => "events".to_owned(),
        number => counted(number, "event"),
    };
    if seen.interface == Interface::Funnelled {
        format!(
            "handles {them} in its StateChange handler; its stub passes the dedicated RPCs to it, so it keeps working without StateChange"
        )
    } else if let Some(deprecation) = gone {
        let planned = if target.lacks(deprecation) { "" } else { ", as planned" };
        let name = &target.head.name;
        format!(
            "receives {them} as StateChange, which {name} no longer sends{planned}: they do not arrive"
        )
    } else {
        format!("receives {them} as StateChange; works through the runtime's fallback")
    }
}

/// Judges an old stub whose events are unknown: it is affected if it handles any of those.
fn unclear(seen: &Sighting, deprecation: &Deprecation, target: &Target<'_>) -> Verdict {
    let mut verdict = cannot_tell(
        seen,
        "may rely on StateChange; cannot determine which events it handles".to_owned(),
    );
    verdict.since.clone_from(&deprecation.deprecated_in.nri);
    verdict.planned_removal = deprecation.removal.when.words();
    verdict.remedy = remedy::state_change(seen, deprecation, &[], target).into();
    verdict
}
