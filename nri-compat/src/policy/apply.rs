//! Applies policy and baseline to a finished report. Nothing is dropped.

use jiff::civil::Date;
use toml::Spanned;

use super::ignore::{Candidate, Ignore, Scope};
use super::parse::RuleLevel;
use super::{Baseline, Policy};
use crate::report::check::{CheckReport, Outcome, SuppressedBy, Suppression};
#[cfg(feature = "conformance")]
use crate::report::conformance::ConformanceReport;
use crate::report::diff::{DiffReport, SuppressedFinding};
use crate::report::finding::Level;

/// Sets the levels of verdicts, suppresses what the policy ignores or the baseline contains, and
/// reports unused ignores.
pub fn apply(
    report: &mut CheckReport,
    policy: &Policy,
    baseline: Option<&mut Baseline>,
    today: Date,
) {
    let mut decisions = AppliedDecisions::new(Scope::Check, policy, baseline, today);
    for subject in &mut report.subjects {
        let mut verdicts = std::mem::take(&mut subject.verdicts);
        for verdict in verdicts.iter_mut().filter(|verdict| verdict.outcome != Outcome::Ok) {
            let candidate = Candidate::verdict(subject, verdict);
            (verdict.level, verdict.suppressed) = decisions.of(candidate);
        }
        subject.verdicts = verdicts;
        let mut incidents = std::mem::take(&mut subject.incidents);
        for incident in &mut incidents {
            let candidate = Candidate::incident(subject, incident);
            (incident.level, incident.suppressed) = decisions.of(candidate);
        }
        subject.incidents = incidents;
    }
    report.policy.extend(decisions.notes());
    report.count();
}

/// Does the same for the findings of `diff`.
pub(crate) fn apply_to_diff(
    report: &mut DiffReport,
    policy: &Policy,
    baseline: Option<&mut Baseline>,
    today: Date,
) {
    let mut decisions = AppliedDecisions::new(Scope::Diff, policy, baseline, today);
    for mut finding in std::mem::take(&mut report.findings) {
        let (level, suppressed) = decisions.of(Candidate::finding(&finding));
        finding.level = level.unwrap_or(finding.level);
        match suppressed {
            Some(by) => report.suppressed.push(SuppressedFinding { finding, by }),
            None => report.findings.push(finding),
        }
    }
    report.count();
    report.policy = decisions.notes();
}

/// Does the same for the violations that `conformance` found.
#[cfg(feature = "conformance")]
pub(crate) fn apply_to_conformance(
    report: &mut ConformanceReport,
    policy: &Policy,
    baseline: Option<&mut Baseline>,
    today: Date,
) {
    let mut decisions = AppliedDecisions::new(Scope::Conformance, policy, baseline, today);
    for test in report.results.iter_mut().filter(|test| test.violation.is_some()) {
        let candidate = Candidate::test(&report.subject, test);
        let (level, suppressed) = decisions.of(candidate);
        (test.level, test.suppressed) = (level.unwrap_or(test.level), suppressed);
    }
    report.summary.policy = decisions.notes();
    report.count();
}

/// A policy and a baseline that are being applied.
struct AppliedDecisions<'p> {
    policy: &'p Policy,
    baseline: Option<&'p mut Baseline>,
    today: Date,
    /// The ignores of this scope, and whether each has matched.
    ignores: Vec<(&'p Spanned<Ignore>, bool)>,
}

impl<'p> AppliedDecisions<'p> {
    fn new(
        scope: Scope,
        policy: &'p Policy,
        baseline: Option<&'p mut Baseline>,
        today: Date,
    ) -> Self {
        let ignores = policy.ignores.iter().filter(|ignore| ignore.get_ref().scope() == scope);
        Self { policy, baseline, today, ignores: ignores.map(|ignore| (ignore, false)).collect() }
    }

    /// Returns the level that the policy gives to the rule of a finding, if any, and why it is
    /// suppressed: by an ignore in force that matches it, because its rule is `off`, or because the
    /// baseline contains it. Marks all that match as used.
    fn of(&mut self, candidate: Candidate) -> (Option<Level>, Option<Suppression>) {
        let rule = self
            .policy
            .rules
            .iter()
            .find(|(id, _)| id.0 == candidate.known.rule)
            .map(|(_, level)| *level);
        let off = (rule == Some(RuleLevel::Off)).then(|| "its rule is off".to_owned());
        let by_policy = self.ignored(&candidate).or(off);
        let baseline = self.baseline.as_mut();
        let is_known =
            baseline.is_some_and(|baseline| baseline.knows(candidate.known, by_policy.is_some()));
        let (by, reason) = match by_policy {
            Some(reason) => (SuppressedBy::Policy, reason),
            None => (SuppressedBy::Baseline, String::new()),
        };
        let is_suppressed = by == SuppressedBy::Policy || is_known;
        (rule.and_then(RuleLevel::level), is_suppressed.then_some(Suppression { by, reason }))
    }

    /// Returns the reason of the first ignore in force that matches, and marks all that match.
    fn ignored(&mut self, candidate: &Candidate) -> Option<String> {
        let mut reason = None;
        for (ignore, is_used) in &mut self.ignores {
            let ignore = ignore.get_ref();
            if ignore.matches(candidate) {
                *is_used = true;
                let has_expired = ignore.expires.is_some_and(|last| last < self.today);
                if reason.is_none() && !has_expired {
                    reason = Some(ignore.reason.clone());
                }
            }
        }
        reason
    }

    /// Returns notes about the ignores that have expired or match nothing, and about entries of the
    /// baseline that were not found.
    fn notes(&self) -> Vec<String> {
        let unused = self.ignores.iter().filter_map(|(spanned, is_used)| {
            let ignore = spanned.get_ref();
            let why = match ignore.expires {
                Some(last) if last < self.today => format!("expired on {last}"),
                Some(_) | None if *is_used => return None,
                Some(_) | None => "matches nothing".to_owned(),
            };
            let (place, shown) = (self.policy.place(spanned), ignore.shown());
            Some(format!("{place}: the ignore of `{shown}` {why}"))
        });
        let gone = self.baseline.as_ref().and_then(|baseline| baseline.gone());
        unused.chain(gone).collect()
    }
}

#[cfg(test)]
mod tests;
