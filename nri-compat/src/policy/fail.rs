//! The conditions under which a report makes the exit code 100.

use clap::ValueEnum;
use serde::Deserialize;

use crate::exit::Exit;
use crate::report::check::{CheckReport, Incident, Outcome, Verdict};
#[cfg(feature = "conformance")]
use crate::report::conformance::{ConformanceReport, JudgedTest, TestOutcome};
use crate::report::finding::Level;

/// A condition of `--fail-on`; several may be given together.
///
/// `deprecated`, `removed` and `incompatible` each include everything more serious, in this order.
/// `unknown` adds what cannot be determined; alone, it means any verdict except `ok`. `skipped`
/// adds what could not be checked; alone, `deprecated` applies as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// Unknown verdicts, in addition to others named; alone, every verdict except ok.
    Unknown,
    /// Works through a fallback, or worse.
    Deprecated,
    /// Uses something that was removed, or worse.
    Removed,
    /// Would be dropped or refused.
    Incompatible,
    /// Anything that was skipped, in addition to others named.
    Skipped,
    /// No finding changes the exit code.
    Never,
}

/// A condition of `conformance --fail-on`; several may be given together.
#[cfg(feature = "conformance")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum)]
pub(crate) enum FailOnTest {
    /// Failures, unless their statement is ambiguous; always included.
    Fail,
    /// Known deviations.
    Known,
    /// Tests that were skipped.
    Skip,
    /// No result changes the exit code.
    Never,
}

impl FailOn {
    /// The condition if neither the command line nor the policy names any.
    pub const DEFAULT: [Self; 1] = [Self::Deprecated];
}

/// Returns the exit code for a report: [`Exit::Findings`] if any verdict counts, else
/// [`Exit::Clean`]. An empty `fail_on` is [`FailOn::DEFAULT`].
///
/// An incident counts like a verdict of its level: an `error` like `incompatible`, a `warning` like
/// `deprecated`; a `note` never counts. A suppressed verdict never counts. A verdict whose rule is
/// an `error` in the policy always counts, a `note` never.
pub fn exit(report: &CheckReport, fail_on: &[FailOn]) -> Exit {
    let names = |wanted| fail_on.contains(&wanted);
    let names_verdicts = fail_on.iter().any(|condition| *condition != FailOn::Skipped);
    let conditions = if names_verdicts { fail_on } else { &FailOn::DEFAULT };
    let mut verdicts = report.verdicts();
    let has_verdict = verdicts.any(|(_, verdict)| counts(verdict, conditions));
    let mut incidents = report.incidents();
    let found = has_verdict || incidents.any(|(_, incident)| incident_counts(incident, conditions));
    let mut skipped = report.skipped.iter();
    let is_incomplete = names(FailOn::Skipped) && !report.skipped.is_empty()
        || names(FailOn::Unknown) && skipped.any(|one| one.kind.may_hold_plugin());
    Exit::of((found || is_incomplete) && !names(FailOn::Never))
}

fn counts(verdict: &Verdict, fail_on: &[FailOn]) -> bool {
    if verdict.suppressed.is_some() || verdict.outcome == Outcome::Ok {
        return false;
    }
    match verdict.level {
        Some(Level::Error) => true,
        Some(Level::Note) => false,
        Some(Level::Warning) | None => named(verdict.outcome, fail_on),
    }
}

fn incident_counts(incident: &Incident, fail_on: &[FailOn]) -> bool {
    let is_forced = incident.level == Some(Level::Error);
    incident.suppressed.is_none() && (is_forced || level_counts(incident.level(), fail_on))
}

/// Returns true if an incident of this level counts.
pub(crate) fn level_counts(level: Level, fail_on: &[FailOn]) -> bool {
    match level {
        Level::Error => named(Outcome::Incompatible, fail_on),
        Level::Warning => named(Outcome::Deprecated, fail_on),
        Level::Note => false,
    }
}

/// Returns the exit code for a report of `conformance`: [`Exit::Findings`] if any result counts,
/// else [`Exit::Clean`].
///
/// A failed test counts unless it is suppressed or its level is `note`, which is the level of
/// ambiguous statements.
#[cfg(feature = "conformance")]
pub(crate) fn exit_of_conformance(report: &ConformanceReport, fail_on: &[FailOnTest]) -> Exit {
    let counts = |test: &JudgedTest| match test.result {
        TestOutcome::Pass => false,
        TestOutcome::Fail => test.level != Level::Note,
        TestOutcome::Known => fail_on.contains(&FailOnTest::Known),
        TestOutcome::Skip => fail_on.contains(&FailOnTest::Skip),
    };
    let found = report.results.iter().any(|test| test.suppressed.is_none() && counts(test));
    Exit::of(found && !fail_on.contains(&FailOnTest::Never))
}

/// Returns true if `fail_on` includes the outcome.
pub(crate) fn named(outcome: Outcome, fail_on: &[FailOn]) -> bool {
    let least = fail_on.iter().filter_map(|condition| match condition {
        FailOn::Deprecated => Some(Outcome::Deprecated),
        FailOn::Removed => Some(Outcome::Removed),
        FailOn::Incompatible => Some(Outcome::Incompatible),
        FailOn::Unknown | FailOn::Skipped | FailOn::Never => None,
    });
    match (outcome, least.min()) {
        (Outcome::Ok, _) => false,
        (Outcome::Unknown, _) | (_, None) => fail_on.contains(&FailOn::Unknown),
        (_, Some(least)) => outcome >= least,
    }
}

#[cfg(test)]
mod tests {
    use super::FailOn::{Deprecated, Incompatible, Never, Removed, Skipped, Unknown};
    use super::*;
    use crate::report::check::{self, Subject};
    use crate::skipped::SkipKind::{Io, Link};

    fn report(outcome: Outcome, level: Option<Level>) -> CheckReport {
        let verdict = Verdict { outcome, level, ..Verdict::default() };
        let subject = Subject { verdicts: vec![verdict], ..Subject::default() };
        CheckReport { subjects: vec![subject], ..CheckReport::default() }
    }

    #[test]
    fn conditions_include_more_serious_verdicts_and_add_up() {
        for (fail_on, failing) in [
            (&[][..], "deprecated removed incompatible"),
            (&[Deprecated], "deprecated removed incompatible"),
            (&[Removed], "removed incompatible"),
            (&[Incompatible], "incompatible"),
            (&[Incompatible, Removed], "removed incompatible"),
            (&[Unknown], "unknown deprecated removed incompatible"),
            (&[Removed, Unknown], "unknown removed incompatible"),
            (&[Skipped], "deprecated removed incompatible"),
            (&[Skipped, Removed], "removed incompatible"),
            (&[Never, Unknown], ""),
        ] {
            let fails = |outcome: &Outcome| {
                let report = report(*outcome, None);
                exit(&report, fail_on) == Exit::Findings
            };
            let found: Vec<&str> =
                Outcome::ALL.into_iter().filter(fails).map(Outcome::as_str).collect();
            assert_eq!(found.join(" "), failing, "{fail_on:?}");
        }
    }

    #[test]
    fn skipped_places_count_on_request() {
        for (kind, fail_on, fails) in [
            (Io, &[][..], false),
            (Io, &[Unknown], true),
            (Link, &[Unknown], false),
            (Link, &[Removed, Skipped], true),
            (Io, &[Skipped, Never], false),
        ] {
            let mut report = report(Outcome::Ok, None);
            report.skipped = vec![check::Skipped::new("a", kind, "")];
            assert_eq!(exit(&report, fail_on), Exit::of(fails), "{fail_on:?}");
        }
    }

    #[test]
    fn levels_take_precedence_over_outcomes() {
        for (outcome, level, fail_on, fails) in [
            (Outcome::Unknown, Level::Error, Incompatible, true),
            (Outcome::Unknown, Level::Error, Never, false),
            (Outcome::Incompatible, Level::Note, Unknown, false),
        ] {
            let report = report(outcome, Some(level));
            assert_eq!(exit(&report, &[fail_on]), Exit::of(fails), "{fail_on:?}");
        }
    }
}
