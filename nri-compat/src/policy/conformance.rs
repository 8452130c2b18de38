//! Applies policy and baseline to the results of `conformance`, and decides which of them count.

use jiff::civil::Date;
use nri_conformance::result::Outcome;

use super::ignore::Scope;
use super::uses::Uses;
use super::{Baseline, Ignore, Policy, RuleLevel};
use crate::exit::Exit;
use crate::report::conformance::{ConformanceReport, JudgedTest};
use crate::report::finding::Level;

/// A condition of `conformance --fail-on`; several may be given together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum FailOnTest {
    /// A failed test, unless its statement is ambiguous. Always included.
    Fail,
    /// A known deviation.
    Known,
    /// A skipped test.
    Skip,
    /// Nothing; overrides everything else.
    Never,
}

/// Sets levels, suppresses the violations that the policy ignores or the baseline contains, and
/// reports unused ignores. Nothing is dropped.
pub(crate) fn apply_to_conformance(
    report: &mut ConformanceReport,
    policy: &Policy,
    baseline: Option<&Baseline>,
    today: Date,
) {
    let mut uses = Uses::new(policy, baseline, today);
    let ConformanceReport {
        subject, results, ..
    } = report;
    for test in results {
        let rule = policy.rules.get(test.result.statement);
        if let Some(RuleLevel::Level(level)) = rule {
            test.level = *level;
        }
        if test.violation().is_some() {
            let off = (rule == Some(&RuleLevel::Off)).then_some("its statement is off");
            let matches = |ignore: &Ignore| ignore.matches_test(subject, test);
            test.suppressed = uses.suppression(matches, off, test.fingerprint(subject));
        }
    }
    report.policy = uses.notes(Scope::Conformance);
}

/// Returns the exit code for a report: [`Exit::Findings`] if any result counts, else
/// [`Exit::Clean`].
///
/// A failed test counts unless it is suppressed or its level is `note`, which is the level of
/// ambiguous statements.
pub(crate) fn exit_of_conformance(report: &ConformanceReport, fail_on: &[FailOnTest]) -> Exit {
    let found = report.results.iter().any(|test| counts(test, fail_on));
    if found && !fail_on.contains(&FailOnTest::Never) {
        Exit::Findings
    } else {
        Exit::Clean
    }
}

fn counts(test: &JudgedTest, fail_on: &[FailOnTest]) -> bool {
    if test.suppressed.is_some() {
        return false;
    }
    match test.result.outcome {
        Outcome::Pass => false,
        Outcome::Fail(_) => test.level != Level::Note,
        Outcome::Known { .. } => fail_on.contains(&FailOnTest::Known),
        Outcome::Skip(_) => fail_on.contains(&FailOnTest::Skip),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nri_conformance::result::{Failure, Report, Subject, SubjectKind, TestResult};

    const TODAY: Date = jiff::civil::date(2026, 11, 21);

    fn failure() -> Failure {
        Failure {
            sent: "a".into(),
            got: "b".into(),
            expected: "c".into(),
        }
    }

    fn result(statement: &'static str, revision: &str, outcome: Outcome) -> TestResult {
        TestResult {
            statement,
            test: "test",
            revision: Some(revision.to_owned()),
            outcome,
        }
    }

    fn report(results: Vec<TestResult>) -> ConformanceReport {
        let subject = Subject {
            kind: SubjectKind::Plugin,
            name: "logger".into(),
            index: "10".into(),
            version: String::new(),
        };
        ConformanceReport::new("10-logger", Report { subject, results })
    }

    fn failing(statements: &[&'static str]) -> ConformanceReport {
        let fail = |id: &&'static str| result(id, "v0.11.0", Outcome::Fail(failure()));
        report(statements.iter().map(fail).collect())
    }

    fn applied(
        report: &ConformanceReport,
        policy: &str,
        baseline: Option<&Baseline>,
    ) -> ConformanceReport {
        let policy = Policy::parse("p.toml", policy).expect("a policy");
        let mut report = report.clone();
        apply_to_conformance(&mut report, &policy, baseline, TODAY);
        report
    }

    fn suppressed(report: &ConformanceReport) -> Vec<bool> {
        let results = report.results.iter();
        results.map(|test| test.suppressed.is_some()).collect()
    }

    #[test]
    fn a_failure_counts_unless_its_statement_is_ambiguous() {
        assert_eq!(exit_of_conformance(&failing(&["P7"]), &[]), Exit::Findings);
        assert_eq!(
            exit_of_conformance(&failing(&["S1", "O6", "E6"]), &[]),
            Exit::Clean
        );
        let raised = applied(&failing(&["S1"]), "[rules]\nS1 = 'error'\n", None);
        assert_eq!(exit_of_conformance(&raised, &[]), Exit::Findings);
        let lowered = applied(&failing(&["P7"]), "[rules]\nP7 = 'note'\n", None);
        assert_eq!(exit_of_conformance(&lowered, &[]), Exit::Clean);
        let never = [FailOnTest::Skip, FailOnTest::Never];
        assert_eq!(exit_of_conformance(&failing(&["P7"]), &never), Exit::Clean);
    }

    #[test]
    fn skips_and_known_deviations_count_on_request() {
        let link = "https://example.com".to_owned();
        let failure = failure();
        let known = report(vec![result(
            "P7",
            "v0.11.0",
            Outcome::Known { failure, link },
        )]);
        let skip = report(vec![result("P7", "v0.11.0", Outcome::Skip("r".into()))]);
        for (report, condition) in [(known, FailOnTest::Known), (skip, FailOnTest::Skip)] {
            assert_eq!(
                exit_of_conformance(&report, &[FailOnTest::Fail]),
                Exit::Clean
            );
            assert_eq!(exit_of_conformance(&report, &[condition]), Exit::Findings);
        }
    }

    #[test]
    fn an_ignore_names_a_statement_and_narrows_it() {
        let found = failing(&["P7", "W3"]);
        for (narrowed, is_ignored) in [
            ("", true),
            ("plugin = '10-*'", true),
            ("plugin = 'log*'", true),
            ("plugin = 'other'", false),
            ("test = 'test'", true),
            ("test = 'other'", false),
            ("target = 'nri@0.11'", true),
            ("target = 'nri@0.12'", false),
        ] {
            let policy = format!("[[ignore]]\nrule = 'P7'\nreason = 'r'\n{narrowed}\n");
            let left = applied(&found, &policy, None);
            assert_eq!(suppressed(&left), [is_ignored, false], "{narrowed}");
            assert_eq!(left.policy.is_empty(), is_ignored, "{:?}", left.policy);
        }
        let of_plugins = "[[ignore]]\nplugin = '*'\nreason = 'r'\n";
        let left = applied(&found, of_plugins, None);
        assert_eq!((suppressed(&left), left.policy.len()), (vec![false; 2], 0));
    }

    #[test]
    fn an_ignore_expires_and_off_suppresses() {
        let found = failing(&["P7"]);
        let until = |day| format!("[[ignore]]\nrule = 'P7'\nreason = 'r'\nexpires = {day}\n");
        assert_eq!(
            suppressed(&applied(&found, &until("2026-11-21"), None)),
            [true]
        );
        let expired = applied(&found, &until("2026-11-20"), None);
        assert_eq!(suppressed(&expired), [false]);
        let note = "p.toml:1: the ignore of `P7` expired on 2026-11-20";
        assert_eq!(expired.policy, [note]);
        assert_eq!(
            suppressed(&applied(&found, "[rules]\nP7 = 'off'\n", None)),
            [true]
        );
    }

    #[test]
    fn a_baseline_suppresses_violations_across_patch_releases_and_wording() {
        let before = Baseline::of_conformance(&failing(&["P7", "W3"]));
        let baseline = Baseline::parse("b.json", &before.to_json()).expect("a baseline");
        let mut failure = failure();
        failure.got = "other words".into();
        let now = report(vec![
            result("P7", "v0.11.9", Outcome::Fail(failure.clone())),
            result("P7", "v0.12.0", Outcome::Fail(failure)),
        ]);
        let now = applied(&now, "", Some(&baseline));
        assert_eq!(suppressed(&now), [true, false]);
        let note = "baseline: 1 of 2 entries no longer matches anything";
        assert_eq!(now.policy, [note]);
    }

    #[test]
    fn a_mistyped_statement_or_test_is_an_error() {
        let error = Policy::parse("p.toml", "[rules]\nP70 = 'note'\n").expect_err("no statement");
        let message = error.to_string();
        let expected = "p.toml:2: unknown rule `P70`; did you mean P7";
        assert!(message.starts_with(expected), "{message}");
        let test = "[[ignore]]\nrule = 'CHECK_ONE_SHOT'\ntest = 'x'\nreason = 'r'\n";
        let error = Policy::parse("p.toml", test).expect_err("a rule has no tests");
        assert!(
            error
                .to_string()
                .starts_with("p.toml:1: an ignore with a `test`")
        );
    }
}
