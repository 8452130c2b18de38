//! The conditions under which a report makes the exit code 100.

use serde::Deserialize;

use crate::exit::Exit;
use crate::report::check::{CheckReport, Outcome, Verdict};
use crate::report::finding::Level;

/// A condition of `--fail-on`; several may be given together.
///
/// `deprecated`, `removed` and `incompatible` each include everything more serious, in this order.
/// `unknown` adds what cannot be determined; alone, it means any verdict except `ok`. `skipped`
/// adds what could not be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// Unknown verdicts, in addition to others named; alone, any verdict except `ok`.
    Unknown,
    /// `deprecated`, `removed`, `incompatible`.
    Deprecated,
    /// `removed`, `incompatible`.
    Removed,
    /// `incompatible`.
    Incompatible,
    /// Anything that could not be checked, in addition to others named; alone, `deprecated` applies
    /// as well.
    Skipped,
    /// Nothing; overrides everything else.
    Never,
}

impl FailOn {
    /// All conditions, the least serious first.
    pub const ALL: [Self; 6] = [
        Self::Unknown,
        Self::Deprecated,
        Self::Removed,
        Self::Incompatible,
        Self::Skipped,
        Self::Never,
    ];

    /// The condition if neither the command line nor the policy names any.
    pub const DEFAULT: [Self; 1] = [Self::Deprecated];

    /// Returns the name used on the command line and in `nri-compat.toml`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Deprecated => "deprecated",
            Self::Removed => "removed",
            Self::Incompatible => "incompatible",
            Self::Skipped => "skipped",
            Self::Never => "never",
        }
    }

    /// Returns the least serious outcome that counts; `None` for `unknown` and `never`.
    fn threshold(self) -> Option<Outcome> {
        match self {
            Self::Deprecated => Some(Outcome::Deprecated),
            Self::Removed => Some(Outcome::Removed),
            Self::Incompatible => Some(Outcome::Incompatible),
            Self::Unknown | Self::Skipped | Self::Never => None,
        }
    }
}

/// Returns the exit code for a report: [`Exit::Findings`] if any verdict counts, else
/// [`Exit::Clean`]. An empty `fail_on` is [`FailOn::DEFAULT`].
///
/// A suppressed verdict never counts. A verdict whose rule is an `error` in the policy always
/// counts, a `note` never.
pub fn exit(report: &CheckReport, fail_on: &[FailOn]) -> Exit {
    let names_verdicts = fail_on
        .iter()
        .any(|condition| *condition != FailOn::Skipped);
    let verdicts_named = if names_verdicts {
        fail_on
    } else {
        &FailOn::DEFAULT
    };
    let mut verdicts = report.verdicts();
    let found = verdicts.any(|(_, verdict)| counts(verdict, verdicts_named));
    let unread = || {
        report
            .skipped
            .iter()
            .any(|skipped| skipped.kind.may_hold_plugin())
    };
    let skipped = fail_on.contains(&FailOn::Skipped) && !report.skipped.is_empty()
        || fail_on.contains(&FailOn::Unknown) && unread();
    if (found || skipped) && !fail_on.contains(&FailOn::Never) {
        Exit::Findings
    } else {
        Exit::Clean
    }
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

/// Returns true if `fail_on` includes the outcome.
pub(crate) fn named(outcome: Outcome, fail_on: &[FailOn]) -> bool {
    let unknown = fail_on.contains(&FailOn::Unknown);
    let thresholds = fail_on.iter().filter_map(|condition| condition.threshold());
    match (outcome, thresholds.min()) {
        (Outcome::Ok, _) => false,
        (Outcome::Unknown, _) | (_, None) => unknown,
        (_, Some(threshold)) => outcome >= threshold,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::check::{Subject, Suppression};

    const BAD: [Outcome; 4] = [
        Outcome::Unknown,
        Outcome::Deprecated,
        Outcome::Removed,
        Outcome::Incompatible,
    ];

    fn report(outcome: Outcome, level: Option<Level>) -> CheckReport {
        let verdict = Verdict {
            outcome,
            level,
            ..Verdict::default()
        };
        let subject = Subject {
            verdicts: vec![verdict],
            ..Subject::default()
        };
        CheckReport {
            subjects: vec![subject],
            ..CheckReport::default()
        }
    }

    fn failing(fail_on: &[FailOn]) -> Vec<Outcome> {
        let fails = |outcome: &Outcome| exit(&report(*outcome, None), fail_on) == Exit::Findings;
        Outcome::ALL.into_iter().filter(fails).collect()
    }

    #[test]
    fn a_verdict_includes_more_serious_ones() {
        assert_eq!(failing(&[FailOn::Deprecated]), BAD[1..]);
        assert_eq!(failing(&[FailOn::Removed]), BAD[2..]);
        assert_eq!(failing(&[FailOn::Incompatible]), BAD[3..]);
        assert_eq!(failing(&[FailOn::Incompatible, FailOn::Removed]), BAD[2..]);
        assert_eq!(failing(&[]), BAD[1..]);
    }

    #[test]
    fn unknown_adds_to_other_conditions() {
        assert_eq!(failing(&[FailOn::Unknown]), BAD);
        let with = [FailOn::Removed, FailOn::Unknown];
        assert_eq!(failing(&with), [BAD[0], BAD[2], BAD[3]]);
    }

    #[test]
    fn skipped_places_count_on_request() {
        let mut skipped = CheckReport::default();
        let one = crate::report::check::Skipped::default();
        skipped.skipped.push(one);
        assert_eq!(exit(&skipped, &[]), Exit::Clean);
        assert_eq!(exit(&skipped, &[FailOn::Unknown]), Exit::Findings);
        skipped.skipped[0].kind = crate::skipped::SkipKind::Link;
        assert_eq!(exit(&skipped, &[FailOn::Unknown]), Exit::Clean);
        assert_eq!(exit(&skipped, &[FailOn::Skipped]), Exit::Findings);
        assert_eq!(
            exit(&skipped, &[FailOn::Removed, FailOn::Skipped]),
            Exit::Findings
        );
        assert_eq!(
            exit(&skipped, &[FailOn::Skipped, FailOn::Never]),
            Exit::Clean
        );
        assert_eq!(failing(&[FailOn::Skipped]), BAD[1..]);
        assert_eq!(failing(&[FailOn::Skipped, FailOn::Removed]), BAD[2..]);
    }

    #[test]
    fn never_overrides_everything() {
        assert!(failing(&[FailOn::Never, FailOn::Unknown]).is_empty());
        let error = report(Outcome::Removed, Some(Level::Error));
        assert_eq!(exit(&error, &[FailOn::Never]), Exit::Clean);
    }

    #[test]
    fn levels_of_the_policy_take_precedence_over_outcomes() {
        let error = report(Outcome::Unknown, Some(Level::Error));
        assert_eq!(exit(&error, &[FailOn::Incompatible]), Exit::Findings);
        let note = report(Outcome::Incompatible, Some(Level::Note));
        assert_eq!(exit(&note, &[FailOn::Unknown]), Exit::Clean);
    }

    #[test]
    fn suppressed_verdicts_do_not_count() {
        let mut report = report(Outcome::Incompatible, None);
        report.subjects[0].verdicts[0].suppressed = Some(Suppression {
            by_baseline: true,
            reason: String::new(),
        });
        assert_eq!(exit(&report, &[FailOn::Unknown]), Exit::Clean);
    }
}
