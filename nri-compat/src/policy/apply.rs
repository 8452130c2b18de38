//! Applies policy and baseline to a finished report.

use jiff::civil::Date;

use super::ignore::Scope;
use super::uses::Uses;
use super::{Baseline, Ignore, Policy, RuleLevel};
use crate::report::check::{CheckReport, Outcome, Subject, Verdict};
use crate::report::fingerprint::fingerprint;

/// Sets levels, suppresses what the policy ignores or the baseline contains, and reports unused
/// ignores. Nothing is dropped.
pub fn apply(report: &mut CheckReport, policy: &Policy, baseline: Option<&Baseline>, today: Date) {
    let mut uses = Uses::new(policy, baseline, today);
    for subject in &mut report.subjects {
        let mut verdicts = std::mem::take(&mut subject.verdicts);
        for verdict in &mut verdicts {
            if verdict.outcome != Outcome::Ok {
                decide(subject, verdict, policy, &mut uses);
            }
        }
        subject.verdicts = verdicts;
    }
    report.policy.extend(uses.notes(Scope::Check));
}

fn decide(subject: &Subject, verdict: &mut Verdict, policy: &Policy, uses: &mut Uses<'_>) {
    let rule = policy.rules.get(verdict.rule);
    if let Some(RuleLevel::Level(level)) = rule {
        verdict.level = Some(*level);
    }
    let off = (rule == Some(&RuleLevel::Off)).then_some("its rule is off");
    let matches = |ignore: &Ignore| ignore.matches(subject, verdict);
    verdict.suppressed = uses.suppression(matches, off, fingerprint(subject, verdict));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::finding::Level;

    const TODAY: Date = jiff::civil::date(2026, 11, 21);

    fn report(names: &[&str]) -> CheckReport {
        let subject = |name: &&str| Subject {
            place: format!("/opt/nri/plugins/{name}").into(),
            name: Some((*name).to_owned()),
            verdicts: vec![Verdict {
                target: "containerd@2.4".into(),
                outcome: Outcome::Deprecated,
                rule: "CHECK_ONE_SHOT",
                ..Verdict::default()
            }],
            ..Subject::default()
        };
        CheckReport {
            subjects: names.iter().map(subject).collect(),
            ..CheckReport::default()
        }
    }

    fn applied(names: &[&str], policy: &str, baseline: Option<&Baseline>) -> CheckReport {
        let policy = Policy::parse("p.toml", policy).expect("a policy");
        let mut report = report(names);
        apply(&mut report, &policy, baseline, TODAY);
        report
    }

    fn suppressed(report: &CheckReport) -> Vec<Option<&str>> {
        let all = report.verdicts();
        all.map(|(_, verdict)| verdict.suppressed.as_ref().map(|by| by.reason.as_str()))
            .collect()
    }

    #[test]
    fn an_ignore_suppresses_what_it_matches_by_name_or_path() {
        let by_name = "[[ignore]]\nplugin = 'lo*'\nrule = 'CHECK_ONE_SHOT'\nreason = 'r'\n";
        let report = applied(&["logger", "other"], by_name, None);
        assert_eq!(suppressed(&report), [Some("r"), None]);
        assert!(report.policy.is_empty());
        let by_path = "[[ignore]]\nplugin = '/opt/*/other'\nreason = 'r'\n";
        let report = applied(&["logger", "other"], by_path, None);
        assert_eq!(suppressed(&report), [None, Some("r")]);
    }

    #[test]
    fn an_unused_ignore_is_reported() {
        let unused = "\n[[ignore]]\nplugin = 'gone'\nreason = 'r'\n";
        let report = applied(&["logger"], unused, None);
        assert_eq!(
            report.policy,
            ["p.toml:2: the ignore of `gone` matches nothing"]
        );
        let elsewhere = "[[ignore]]\nplugin = 'logger'\ntarget = 'nri@0.1.0'\nreason = 'r'\n";
        assert_eq!(suppressed(&applied(&["logger"], elsewhere, None)), [None]);
    }

    #[test]
    fn an_ignore_holds_through_its_last_day() {
        let until = |day| format!("[[ignore]]\nplugin = '*'\nreason = 'r'\nexpires = {day}\n");
        let report = applied(&["logger"], &until("2026-11-21"), None);
        assert_eq!(suppressed(&report), [Some("r")]);
        let report = applied(&["logger"], &until("2026-11-20"), None);
        assert_eq!(suppressed(&report), [None]);
        assert_eq!(
            report.policy,
            ["p.toml:1: the ignore of `*` expired on 2026-11-20"]
        );
    }

    #[test]
    fn levels_are_set_and_off_suppresses() {
        let report = applied(&["logger"], "[rules]\nCHECK_ONE_SHOT = 'error'\n", None);
        assert_eq!(report.subjects[0].verdicts[0].level, Some(Level::Error));
        let report = applied(&["logger"], "[rules]\nCHECK_ONE_SHOT = 'off'\n", None);
        assert_eq!(suppressed(&report), [Some("its rule is off")]);
    }

    #[test]
    fn a_baseline_suppresses_known_findings_only() {
        let baseline = Baseline::from_report(&report(&["logger", "gone"]));
        let report = applied(&["logger", "new"], "", Some(&baseline));
        assert_eq!(suppressed(&report), [Some(""), None]);
        let note = "baseline: 1 of 2 entries no longer matches anything";
        assert_eq!(report.policy, [note]);
    }
}
