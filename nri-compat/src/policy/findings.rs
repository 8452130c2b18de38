//! Applies policy and baseline to the findings of `diff`.

use std::collections::BTreeSet;

use jiff::civil::Date;

use super::ignore::Scope;
use super::{Baseline, Ignore, Policy, RuleLevel};
use crate::report::check::Suppression;
use crate::report::diff::{DiffReport, SuppressedFinding};
use crate::report::finding::Finding;

/// Sets the levels of findings, suppresses those that the policy ignores or the baseline contains,
/// and adds notes about unused ignores.
///
/// ```
/// use nri_compat::diff::diff;
/// use nri_compat::policy::{Baseline, Policy, apply_to_diff, today};
/// use nri_compat::report::finding::Category;
///
/// let mut report = diff("v0.11.0", "v0.12.0", Category::File)?;
/// let baseline = Baseline::of_diff(&report);
/// apply_to_diff(&mut report, &Policy::default(), Some(&baseline), today());
/// assert!(report.findings.is_empty());
/// # Ok::<(), nri_compat::error::Error>(())
/// ```
pub fn apply_to_diff(
    report: &mut DiffReport,
    policy: &Policy,
    baseline: Option<&Baseline>,
    today: Date,
) {
    let mut uses = Uses {
        ignores: vec![false; policy.ignores.len()],
        known: BTreeSet::new(),
    };
    for mut finding in std::mem::take(&mut report.findings) {
        if let Some(RuleLevel::Level(level)) = policy.rules.get(finding.rule) {
            finding.level = *level;
        }
        match uses.suppression(&finding, policy, baseline, today) {
            Some(by) => report.suppressed.push(SuppressedFinding { finding, by }),
            None => report.findings.push(finding),
        }
    }
    report.policy = uses.notes(policy, baseline, today);
}

/// The used ignores and entries of the baseline.
struct Uses {
    ignores: Vec<bool>,
    known: BTreeSet<String>,
}

impl Uses {
    fn suppression(
        &mut self,
        finding: &Finding,
        policy: &Policy,
        baseline: Option<&Baseline>,
        today: Date,
    ) -> Option<Suppression> {
        let ignored = self.ignored(finding, policy, today);
        let is_off = policy.rules.get(finding.rule) == Some(&RuleLevel::Off);
        let off = is_off.then(|| "its rule is off".to_owned());
        let is_known = self.is_known(finding, baseline);
        match ignored.or(off) {
            Some(reason) => Some(Suppression {
                by_baseline: false,
                reason,
            }),
            None => is_known.then(|| Suppression {
                by_baseline: true,
                reason: String::new(),
            }),
        }
    }

    /// Returns the reason of the first ignore in force that matches, and marks all that match.
    fn ignored(&mut self, finding: &Finding, policy: &Policy, today: Date) -> Option<String> {
        let mut reason = None;
        for (ignore, used) in policy.ignores.iter().zip(&mut self.ignores) {
            if ignore.matches_finding(finding) {
                *used = true;
                if reason.is_none() && !ignore.expired(today) {
                    reason = Some(ignore.reason.clone());
                }
            }
        }
        reason
    }

    fn is_known(&mut self, finding: &Finding, baseline: Option<&Baseline>) -> bool {
        let fingerprint = finding.fingerprint();
        let is_known = baseline.is_some_and(|baseline| baseline.contains(&fingerprint));
        if is_known {
            self.known.insert(fingerprint);
        }
        is_known
    }

    fn notes(&self, policy: &Policy, baseline: Option<&Baseline>, today: Date) -> Vec<String> {
        let ignores = policy.ignores.iter().zip(&self.ignores);
        let ignores = ignores.filter(|(ignore, _)| ignore.scope() == Scope::Diff);
        let unused = ignores.filter_map(|(ignore, used)| note(policy, ignore, *used, today));
        let gone = baseline.and_then(|baseline| baseline.gone(self.known.len()));
        unused.chain(gone).collect()
    }
}

/// Returns why an ignore has no effect, if so.
pub(super) fn note(policy: &Policy, ignore: &Ignore, used: bool, today: Date) -> Option<String> {
    let at = || {
        format!(
            "{}:{}: the ignore of `{}`",
            policy.file,
            ignore.line,
            ignore.shown()
        )
    };
    match ignore.expires {
        Some(last) if last < today => Some(format!("{} expired on {last}", at())),
        _ if !used => Some(format!("{} matches nothing", at())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::finding::Level;

    const TODAY: Date = jiff::civil::date(2026, 11, 21);

    fn finding(element: &str, nth: usize) -> Finding {
        Finding {
            location: None,
            rule: "FIELD_NO_DELETE",
            element: element.to_owned(),
            nth,
            message: "said in some way".to_owned(),
            level: Level::Error,
            explained_by: None,
        }
    }

    fn report(findings: &[Finding]) -> DiffReport {
        DiffReport {
            findings: findings.to_vec(),
            ..DiffReport::default()
        }
    }

    fn applied(report: &DiffReport, policy: &str, baseline: Option<&Baseline>) -> DiffReport {
        let policy = Policy::parse("p.toml", policy).expect("a policy");
        let mut report = report.clone();
        apply_to_diff(&mut report, &policy, baseline, TODAY);
        report
    }

    #[test]
    fn a_baseline_holds_known_findings_whatever_their_wording() {
        let before = report(&[finding("a.M", 0), finding("gone", 0)]);
        let text = Baseline::of_diff(&before).to_json();
        let baseline = Baseline::parse("b.json", &text).expect("a baseline");
        let mut now = report(&[finding("a.M", 0), finding("a.M", 1), finding("b", 0)]);
        now.findings[0].message = "said in another way".to_owned();
        let now = applied(&now, "", Some(&baseline));
        assert_eq!(now.findings, [finding("a.M", 1), finding("b", 0)]);
        assert!(now.suppressed[0].by.by_baseline);
        let note = "baseline: 1 of 2 entries no longer matches anything";
        assert_eq!(now.policy, [note]);
    }

    #[test]
    fn a_policy_ignores_elements_and_sets_levels() {
        let found = report(&[finding("a.M.x", 0), finding("b.N.y", 0)]);
        let ignore = "[[ignore]]\nelement = 'a.*'\nreason = 'never used'\n";
        let left = applied(&found, ignore, None);
        assert_eq!(left.findings, [finding("b.N.y", 0)]);
        assert_eq!(left.suppressed[0].by.reason, "never used");
        let levels = applied(&found, "[rules]\nFIELD_NO_DELETE = 'note'\n", None);
        assert_eq!(levels.worst(), Some(Level::Note));
        let off = applied(&found, "[rules]\nFIELD_NO_DELETE = 'off'\n", None);
        assert_eq!(off.worst(), None);
    }

    #[test]
    fn ignores_of_plugins_are_not_for_diff() {
        let found = report(&[finding("a.M.x", 0)]);
        let plugins = "[[ignore]]\nplugin = '*'\nreason = 'r'\n";
        let left = applied(&found, plugins, None);
        assert_eq!((left.findings.len(), left.policy.len()), (1, 0));
        let unused = "[[ignore]]\nelement = 'z'\nreason = 'r'\n";
        let note = "p.toml:1: the ignore of `z` matches nothing";
        assert_eq!(applied(&found, unused, None).policy, [note]);
        let expired = "[[ignore]]\nelement = 'a.M.x'\nreason = 'r'\nexpires = 2026-11-20\n";
        assert_eq!(applied(&found, expired, None).findings.len(), 1);
    }
}
