//! Compares the verdicts of `check`, which reads a plugin's file, with those of `probe`, which runs
//! the plugin.
//!
//! The two decide from different evidence, and each protects from mistakes of the other. `check`
//! knows every handler of a plugin, `probe` the events that it subscribes to, which may be fewer.
//! Such differences are explained, not disagreements.

use std::path::Path;

use nri_conformance::probe::{self, EventOutcome, Probed, RuntimeRelease, TargetResult};

use crate::check::assess::assess;
use crate::check::collect::{Request, collect};
use crate::check::evidence::READERS;
use crate::check::target::Target;
use crate::names::names;
use crate::report::check::{Outcome, Subject, Verdict};
use crate::sighting::FileKind;

/// The verdicts of both for one target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The name of the target.
    pub target: String,
    /// The verdict from the file.
    pub check: Outcome,
    /// The verdict from behavior.
    pub probe: probe::Verdict,
    /// The relation of the two.
    pub agreement: Agreement,
    /// The reason for anything but agreement, in lower case; empty for agreement.
    pub reason: String,
}

/// The relation of two verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Agreement {
    /// They say the same.
    Agree,
    /// They differ, and both are right.
    Explained,
    /// One of them could not decide.
    Undecided,
    /// They contradict each other.
    Disagree,
}

names! {
    Agreement {
        Agree = "agree",
        Explained = "explained",
        Undecided = "undecided",
        Disagree = "disagree",
    }
}

/// Returns a target of `check` in the terms of `probe`.
pub fn probe_target(target: &Target<'_>) -> probe::Target {
    let runtime = target.runtime().map(|(name, version)| RuntimeRelease {
        name: name.to_owned(),
        version: format!("v{version}"),
    });
    let mut probed = probe::Target::nri(&target.head.nri);
    probed.name = target.head.name.clone();
    probed.runtime = runtime;
    probed.sends_state_change = target.sends_state_change();
    probed
}

/// Judges the file of a plugin, as `check` does. Returns `None` if there is nothing to judge in it.
pub fn check_file(path: &Path, targets: &[Target<'_>]) -> Option<Subject> {
    let request = Request { paths: vec![path.to_owned()], ..Request::default() };
    let report = assess(collect(&request, READERS), targets);
    report.subjects.into_iter().find(|subject| !subject.verdicts.is_empty())
}

/// Compares the verdicts for every target that both have judged, in the order of the probe.
pub fn compare(checked: &Subject, probed: &Probed) -> Vec<Comparison> {
    let pairs = probed.targets.iter().filter_map(|result| {
        let mut verdicts = checked.verdicts.iter();
        Some((verdicts.find(|verdict| verdict.target == result.target)?, result))
    });
    pairs
        .map(|(verdict, result)| {
            let (agreement, reason) = relate(checked, verdict, result);
            Comparison {
                target: result.target.clone(),
                check: verdict.outcome,
                probe: result.verdict,
                agreement,
                reason,
            }
        })
        .collect()
}

/// Returns how the two verdicts for a target relate.
fn relate(checked: &Subject, check: &Verdict, probe: &TargetResult) -> (Agreement, String) {
    use probe::Verdict::{Breaks, Deprecated, Dropped, Errors, Loses, Unknown, Works};
    match (check.outcome, probe.verdict) {
        (Outcome::Unknown, _) => undecided("check", check.reason.as_ref()),
        (_, Unknown) => undecided("probe", &probe.reason),
        (Outcome::Ok, Works)
        | (Outcome::Removed, Loses)
        | (Outcome::Incompatible, Dropped | Breaks) => AGREE,
        (Outcome::Ok, Loses) => lost_because_unknown(probe),
        (Outcome::Ok, Errors) if probe.events_as_state_change().is_empty() => AGREE,
        (Outcome::Deprecated, Deprecated | Errors) => same_events(check, probe),
        (Outcome::Deprecated | Outcome::Removed | Outcome::Incompatible, Works | Loses)
        | (Outcome::Incompatible | Outcome::Removed, Deprecated | Errors) => {
            fewer_events(checked, check, probe)
        }
        (Outcome::Ok, Deprecated | Errors) => {
            disagree(format!("check sees no deprecated event, but {}", probe.reason))
        }
        (Outcome::Ok | Outcome::Deprecated | Outcome::Removed, Breaks | Dropped) => {
            disagree(format!("check sees nothing against it, but {}", probe.reason))
        }
    }
}

const AGREE: (Agreement, String) = (Agreement::Agree, String::new());

fn undecided(by: &str, reason: &str) -> (Agreement, String) {
    (Agreement::Undecided, format!("{by}: {reason}"))
}

fn disagree(reason: String) -> (Agreement, String) {
    (Agreement::Disagree, reason)
}

fn explained(reason: impl Into<String>) -> (Agreement, String) {
    (Agreement::Explained, reason.into())
}

/// `check` does not object to events that a plugin leaves out where the runtime does not know them.
fn lost_because_unknown(probe: &TargetResult) -> (Agreement, String) {
    let known = nri_adaptation::Revision::of(&probe.release).map(|revision| revision.events());
    let lost = probe.events_that(EventOutcome::Lost);
    let is_known = |name: &&str| {
        let event = nri_adaptation::Revision::rpcs()
            .iter()
            .find(|rpc| rpc.name == *name)
            .and_then(|rpc| rpc.event);
        event.is_some_and(|event| known.as_ref().is_ok_and(|known| known.contains(event)))
    };
    if !lost.iter().any(is_known) {
        return explained(format!(
            "leaves out {}, which {} does not know",
            lost.join(", "),
            probe.release
        ));
    }
    disagree(format!("check sees no loss, but {}", probe.reason))
}

/// Every event that arrives as StateChange has to be among those that `check` names.
fn same_events(check: &Verdict, probe: &TargetResult) -> (Agreement, String) {
    let arrived = probe.events_as_state_change();
    let is_new = |event: &&str| !check.events.iter().any(|named| named == event);
    let new: Vec<_> = arrived.iter().copied().filter(is_new).collect();
    if !new.is_empty() {
        let reason =
            format!("check does not name {}, which arrives as StateChange", new.join(", "));
        return disagree(reason);
    }
    let silent: Vec<&str> =
        check.events.iter().map(String::as_str).filter(|event| !arrived.contains(event)).collect();
    if silent.is_empty() {
        return AGREE;
    }
    unsubscribed(&silent, probe)
}

/// A plugin that does not subscribe to the events in question is not affected. Neither is one whose
/// stub hands the dedicated RPCs to its handler of StateChange.
fn fewer_events(checked: &Subject, check: &Verdict, probe: &TargetResult) -> (Agreement, String) {
    let events: Vec<&str> = check.events.iter().map(String::as_str).collect();
    let arrive = |event: &&str| {
        probe
            .events
            .iter()
            .any(|result| result.event == *event && result.outcome == EventOutcome::Works)
    };
    let by_dedicated_rpc = !events.is_empty() && events.iter().all(arrive);
    if by_dedicated_rpc
        && checked.kind == FileKind::RustBinary
        && check.outcome == Outcome::Deprecated
    {
        return explained("its stub passes the dedicated RPCs to its handler of StateChange");
    }
    unsubscribed(&events, probe)
}

fn unsubscribed(events: &[&str], probe: &TargetResult) -> (Agreement, String) {
    let subscribed = |event: &&str| {
        probe
            .events
            .iter()
            .any(|result| result.event == *event && result.outcome != EventOutcome::Lost)
    };
    let contradicting: Vec<_> = events.iter().copied().filter(subscribed).collect();
    match (events.join(", ").as_str(), contradicting.join(", ").as_str()) {
        ("", _) => disagree("check objects, but every event arrives".to_owned()),
        (handled, "") => explained(format!("does not subscribe to {handled}, which it handles")),
        (_, arrives) => disagree(format!("check objects to {arrives}, but it arrives")),
    }
}

#[cfg(test)]
mod tests;
