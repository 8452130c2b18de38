use super::*;
use crate::report::check::{Subject, Verdict};
use crate::report::finding::Finding;
use crate::rules;

const TODAY: Date = jiff::civil::date(2026, 11, 21);

fn policy(text: &str) -> Policy {
    Policy::parse("p.toml", text).expect("a policy")
}

/// Returns an ignore with these keys.
fn ignore(keys: &str) -> String {
    format!("[[ignore]]\n{keys}\nreason = 'r'\n")
}

/// Returns a plugin with a verdict.
fn deprecated(name: &str) -> Subject {
    Subject {
        place: format!("/opt/nri/plugins/{name}").into(),
        name: Some(name.to_owned()),
        verdicts: vec![Verdict {
            target: "containerd@2.4.2".into(),
            outcome: Outcome::Deprecated,
            rule: "CHECK_ONE_SHOT",
            ..Verdict::default()
        }],
        ..Subject::default()
    }
}

/// Applies a policy to verdicts on the plugins `logger` and `other`.
fn applied(text: &str) -> CheckReport {
    let subjects = ["logger", "other"].map(deprecated).into();
    let mut report = CheckReport { subjects, ..CheckReport::default() };
    apply(&mut report, &policy(text), None, TODAY);
    report
}

fn reasons(report: &CheckReport) -> Vec<Option<&str>> {
    let all = report.verdicts();
    all.map(|(_, verdict)| verdict.suppressed.as_ref().map(|by| by.reason.as_str())).collect()
}

/// The keys of ignores, which of the two plugins they match, and the note about them.
const IGNORES: &str = "
plugin = 'lo*';rule = 'CHECK_ONE_SHOT' => logger
plugin = '/opt/*/other' => other
rule = 'CHECK_ONE_SHOT' => logger other
plugin = '*';target = 'containerd@2.4' => logger other
plugin = '*';target = 'containerd@2.4.2' => logger other
plugin = '*';target = 'containerd@2.4.1' => `* containerd@2.4.1` matches nothing
plugin = '*';target = 'containerd@2.41' => `* containerd@2.41` matches nothing
plugin = 'gone' => `gone` matches nothing
plugin = '*';expires = 2026-11-21 => logger other
plugin = '*';expires = 2026-11-20 => `*` expired on 2026-11-20
";

#[test]
fn an_ignore_suppresses_what_it_matches_or_is_reported() {
    for row in IGNORES.lines().filter(|row| !row.is_empty()) {
        let (keys, expected) = row.split_once(" => ").expect("a row");
        let report = applied(&ignore(&keys.replace(';', "\n")));
        let suppressed = reasons(&report)
            .into_iter()
            .zip(["logger", "other"])
            .filter_map(|(reason, name)| reason.and(Some(name)));
        let notes =
            report.policy.iter().filter_map(|note| note.strip_prefix("p.toml:1: the ignore of "));
        let shown: Vec<&str> = suppressed.chain(notes).collect();
        assert_eq!(shown.join(" "), expected, "{keys}");
    }
}

#[test]
fn levels_are_set_and_off_suppresses() {
    let strict = applied("[rules]\nCHECK_ONE_SHOT = 'error'\n");
    assert_eq!(strict.subjects[0].verdicts[0].level, Some(Level::Error));
    let off = applied("[rules]\nCHECK_ONE_SHOT = 'off'\n");
    assert_eq!(reasons(&off), [Some("its rule is off"); 2]);
}

/// Applies a policy to an incident of a plugin and a finding about a configuration.
fn applied_to_incidents(text: &str, baseline: Option<&mut Baseline>) -> CheckReport {
    let subjects = vec![
        with_incident("journal", Some("logger"), "INCIDENT_CLOSED", None),
        with_incident("config.toml", None, "CONFIG_NRI_OFF", Some("disable")),
    ];
    let mut report = CheckReport { subjects, ..CheckReport::default() };
    apply(&mut report, &policy(text), baseline, TODAY);
    report
}

fn with_incident(
    path: &str,
    name: Option<&str>,
    rule: &'static str,
    setting: Option<&str>,
) -> Subject {
    let incident = crate::report::check::Incident {
        setting: setting.map(str::to_owned),
        ..crate::report::check::Incident::of(rules::get(rule).expect("a rule"))
    };
    Subject {
        place: path.into(),
        name: name.map(str::to_owned),
        incidents: vec![incident],
        ..Subject::default()
    }
}

/// Returns the reasons for which the two are suppressed.
fn reasons_of_incidents(report: &CheckReport) -> Vec<Option<&str>> {
    let all = report.incidents();
    all.map(|(_, one)| one.suppressed.as_ref().map(|by| by.reason.as_str())).collect()
}

#[test]
fn incidents_are_ignored_and_get_levels_like_rules() {
    let off = Some("its rule is off");
    for (text, expected) in [
        (ignore("rule = 'INCIDENT_CLOSED'"), [Some("r"), None]),
        (ignore("plugin = 'logger'"), [Some("r"), None]),
        (ignore("rule = 'CONFIG_NRI_OFF'"), [None, Some("r")]),
        (ignore("plugin = 'config.toml'"), [None, Some("r")]),
        ("[rules]\nINCIDENT_CLOSED = 'off'\n".to_owned(), [off, None]),
        ("[rules]\nCONFIG_NRI_OFF = 'off'\n".to_owned(), [None, off]),
    ] {
        let report = applied_to_incidents(&text, None);
        assert_eq!(reasons_of_incidents(&report), expected, "{text}");
        assert_eq!(report.policy.len(), 0, "{text}");
    }
    let report = applied_to_incidents("[rules]\nINCIDENT_CLOSED = 'note'\n", None);
    let levels: Vec<Level> = report.incidents().map(|(_, one)| one.level()).collect();
    assert_eq!(levels, [Level::Note, rules::get("CONFIG_NRI_OFF").expect("a rule").level]);
}

#[test]
fn a_baseline_hides_the_incidents_that_it_has() {
    let mut written = Baseline::to_write();
    applied_to_incidents("", Some(&mut written));
    let mut baseline = Baseline::parse("b.json", &written.to_json()).expect("a baseline");
    let report = applied_to_incidents("", Some(&mut baseline));
    assert!(reasons_of_incidents(&report).iter().all(Option::is_some));
    let mut other = applied_to_incidents("", None);
    other.subjects[0].name = Some("other".to_owned());
    other.subjects[1].incidents[0].setting = Some("enable_nri".to_owned());
    apply(&mut other, &Policy::default(), Some(&mut baseline), TODAY);
    assert_eq!(reasons_of_incidents(&other), [None, None], "another plugin, another setting");
}

fn findings(elements: &[&str], change: &str) -> DiffReport {
    let finding = |element: &&str| Finding {
        change: change.to_owned(),
        ..Finding::new("FIELD_NO_DELETE", Level::Error, *element, "a message")
    };
    DiffReport { findings: elements.iter().map(finding).collect(), ..DiffReport::default() }
}

#[test]
fn a_baseline_does_not_hide_another_change_of_the_same_element() {
    let mut written = Baseline::to_write();
    let mut known = findings(&["a.M.x"], "type string → bytes");
    apply_to_diff(&mut known, &Policy::default(), Some(&mut written), TODAY);
    assert_eq!(known.worst(), None, "it already applies");
    let text = written.to_json();
    for (change, worst) in
        [("type string → bytes", None), ("type string → int32", Some(Level::Error))]
    {
        let mut report = findings(&["a.M.x"], change);
        report.findings[0].message = "another message".to_owned();
        let mut baseline = Baseline::parse("b.json", &text).expect("a baseline");
        apply_to_diff(&mut report, &Policy::default(), Some(&mut baseline), TODAY);
        assert_eq!(report.worst(), worst, "{change}");
    }
}

#[test]
fn findings_of_diff_are_ignored_by_element_and_get_levels() {
    let error = Some(Level::Error);
    let rule = |level| format!("[rules]\nFIELD_NO_DELETE = '{level}'\n");
    for (text, worst, notes) in [
        (ignore("element = '[ab].*'"), None, 0),
        (ignore("element = 'a.*'"), error, 0),
        (ignore("plugin = '*'"), error, 0),
        (ignore("element = 'z'"), error, 1),
        (ignore("element = '*'\nexpires = 2026-11-20"), error, 1),
        (rule("note"), Some(Level::Note), 0),
        (rule("off"), None, 0),
    ] {
        let mut report = findings(&["a.M.x", "b.N.y"], "");
        apply_to_diff(&mut report, &policy(&text), None, TODAY);
        assert_eq!(report.worst(), worst, "{text}");
        assert_eq!(report.policy.len(), notes, "{text}");
        let all = report.findings.len() + report.suppressed.len();
        assert_eq!(all, 2, "{text}");
    }
}

#[cfg(feature = "conformance")]
mod conformance {
    use nri_conformance::result::{Failure, Outcome, Report, Subject, SubjectKind, TestResult};

    use super::*;
    use crate::exit::Exit;
    use crate::policy::{FailOnTest, exit_of_conformance};

    fn failure(got: &str) -> Failure {
        Failure { sent: "a".into(), got: got.into(), expected: "c".into(), incident: None }
    }

    /// Returns a report about the plugin 10-logger with these results of statements and releases.
    fn report<const N: usize>(results: [(&'static str, &str, Outcome); N]) -> ConformanceReport {
        let subject = Subject {
            kind: SubjectKind::Plugin,
            name: "logger".into(),
            index: "10".into(),
            version: String::new(),
        };
        let tests = results.map(|(statement, revision, outcome)| TestResult {
            statement,
            test: "test",
            revision: Some(revision.to_owned()),
            outcome,
        });
        ConformanceReport::new("10-logger", Report { subject, results: tests.into() })
    }

    fn failing<const N: usize>(statements: [&'static str; N]) -> ConformanceReport {
        report(statements.map(|id| (id, "v0.11.0", Outcome::Fail(failure("b")))))
    }

    #[test]
    fn a_failure_counts_unless_it_is_ambiguous_or_the_policy_says_otherwise() {
        for (statement, text, fails) in [
            ("P7", String::new(), true),
            ("S1", String::new(), false),
            ("S1", "[rules]\nS1 = 'error'\n".to_owned(), true),
            ("P7", "[rules]\nP7 = 'note'\n".to_owned(), false),
            ("P7", "[rules]\nP7 = 'off'\n".to_owned(), false),
            ("P7", ignore("rule = 'P7'\nplugin = '10-*'"), false),
            ("P7", ignore("rule = 'P7'\nplugin = 'log*'"), false),
            ("P7", ignore("rule = 'P7'\nplugin = 'other'"), true),
            ("P7", ignore("rule = 'P7'\ntest = 'test'"), false),
            ("P7", ignore("rule = 'P7'\ntest = 'other'"), true),
            ("P7", ignore("rule = 'P7'\ntarget = 'nri@0.11'"), false),
            ("P7", ignore("rule = 'P7'\ntarget = 'nri@0.12'"), true),
            ("P7", ignore("rule = 'P7'\nexpires = 2026-11-20"), true),
            ("P7", ignore("plugin = '*'"), true),
        ] {
            let mut report = failing([statement]);
            apply_to_conformance(&mut report, &policy(&text), None, TODAY);
            let exit = exit_of_conformance(&report, &[FailOnTest::Fail]);
            assert_eq!(exit, Exit::of(fails), "{text}");
            let never = [FailOnTest::Skip, FailOnTest::Never];
            assert_eq!(exit_of_conformance(&report, &never), Exit::Clean, "{text}");
        }
    }

    #[test]
    fn skips_and_known_deviations_count_on_request() {
        let (failure, link) = (failure("b"), "https://example.com".to_owned());
        let known = Outcome::Known { failure, link };
        for (outcome, condition) in
            [(known, FailOnTest::Known), (Outcome::Skip("r".into()), FailOnTest::Skip)]
        {
            let report = report([("P7", "v0.11.0", outcome)]);
            assert_eq!(exit_of_conformance(&report, &[]), Exit::Clean);
            assert_eq!(exit_of_conformance(&report, &[condition]), Exit::Findings);
        }
    }

    #[test]
    fn a_baseline_suppresses_violations_across_patch_releases_and_wording() {
        let mut written = Baseline::to_write();
        let mut before = failing(["P7", "W3"]);
        apply_to_conformance(&mut before, &Policy::default(), Some(&mut written), TODAY);
        let mut baseline = Baseline::parse("b.json", &written.to_json()).expect("a baseline");
        let failed = || Outcome::Fail(failure("other words"));
        let mut now = report([("P7", "v0.11.9", failed()), ("P7", "v0.12.0", failed())]);
        apply_to_conformance(&mut now, &Policy::default(), Some(&mut baseline), TODAY);
        let suppressed = now.results.iter().map(|test| test.suppressed.is_some());
        assert_eq!(suppressed.collect::<Vec<_>>(), [true, false]);
        let note = "baseline: 1 of 2 entries no longer matches anything";
        assert_eq!(now.summary.policy, [note]);
    }
}
