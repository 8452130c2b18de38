//! Applies policy and baseline to the findings of `diff`.

use jiff::civil::Date;

use super::ignore::Scope;
use super::uses::Uses;
use super::{Baseline, Ignore, Policy, RuleLevel};
use crate::report::diff::{DiffReport, SuppressedFinding};

/// Sets the levels of findings, suppresses those that the policy ignores or the baseline contains,
/// and adds notes about unused ignores.
pub(crate) fn apply_to_diff(
    report: &mut DiffReport,
    policy: &Policy,
    baseline: Option<&Baseline>,
    today: Date,
) {
    let mut uses = Uses::new(policy, baseline, today);
    for mut finding in std::mem::take(&mut report.findings) {
        let rule = policy.rules.get(finding.rule);
        if let Some(RuleLevel::Level(level)) = rule {
            finding.level = *level;
        }
        let off = (rule == Some(&RuleLevel::Off)).then_some("its rule is off");
        let matches = |ignore: &Ignore| ignore.matches_finding(&finding);
        match uses.suppression(matches, off, finding.fingerprint()) {
            Some(by) => report.suppressed.push(SuppressedFinding { finding, by }),
            None => report.findings.push(finding),
        }
    }
    report.policy = uses.notes(Scope::Diff);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::finding::{Finding, Level};

    const TODAY: Date = jiff::civil::date(2026, 11, 21);

    fn finding(element: &str, nth: usize) -> Finding {
        Finding {
            location: None,
            rule: "FIELD_NO_DELETE",
            element: element.to_owned(),
            nth,
            message: "a message".to_owned(),
            level: Level::Error,
            explained_by: None,
            change: String::new(),
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
    fn a_baseline_suppresses_known_findings_regardless_of_wording() {
        let before = report(&[finding("a.M", 0), finding("gone", 0)]);
        let text = Baseline::of_diff(&before).to_json();
        let baseline = Baseline::parse("b.json", &text).expect("a baseline");
        let mut now = report(&[finding("a.M", 0), finding("a.M", 1), finding("b", 0)]);
        now.findings[0].message = "another message".to_owned();
        let now = applied(&now, "", Some(&baseline));
        assert_eq!(now.findings, [finding("a.M", 1), finding("b", 0)]);
        assert!(now.suppressed[0].by.by_baseline);
        let note = "baseline: 1 of 2 entries no longer matches anything";
        assert_eq!(now.policy, [note]);
    }

    #[test]
    fn a_baseline_does_not_hide_another_change_of_the_same_element() {
        let changed = |change: &str| {
            let mut finding = finding("a.M.x", 0);
            change.clone_into(&mut finding.change);
            report(&[finding])
        };
        let baseline = Baseline::of_diff(&changed("type string → bytes"));
        let same = applied(&changed("type string → bytes"), "", Some(&baseline));
        assert_eq!(same.worst(), None);
        let other = applied(&changed("type string → int32"), "", Some(&baseline));
        assert_eq!(other.worst(), Some(Level::Error));
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
    fn ignores_of_plugins_do_not_apply_to_diff() {
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
