use super::*;
use crate::merge::Merge;
use crate::place::Place;
use crate::report::check::{Incident, Subject, Verdict};
use crate::sighting::Role;

/// Returns a report about a node with plugins of these names.
fn report(plugins: impl IntoIterator<Item = (String, Outcome)>) -> CheckReport {
    let subjects = plugins.into_iter().map(|(name, outcome)| Subject {
        place: Place::from(format!("/opt/nri/plugins/10-{name}")),
        role: Role::Plugin,
        name: Some(name),
        index: Some("10".to_owned()),
        verdicts: vec![Verdict {
            target: "containerd@2.7".to_owned(),
            outcome,
            reason: "a reason".into(),
            ..Verdict::default()
        }],
        ..Subject::default()
    });
    let mut report = CheckReport { subjects: subjects.collect(), ..CheckReport::default() };
    report.summary.node = Some("Node_1.example".to_owned());
    report.summary.at = Some("2026-11-28T10:00:00Z".to_owned());
    report
}

#[test]
fn an_object_can_be_merged_like_the_report() {
    let outcomes = Outcome::ALL.map(|outcome| (outcome.as_str().to_owned(), outcome));
    let mut report = report(outcomes);
    let closed = crate::rules::get("INCIDENT_CLOSED").expect("a rule");
    report.subjects[0].incidents.push(Incident::of(closed));
    let off = crate::rules::get("CONFIG_NRI_OFF").expect("a rule");
    report.subjects.push(Subject {
        place: "/etc/containerd/config.toml".into(),
        incidents: vec![Incident { setting: Some("disable".to_owned()), ..Incident::of(off) }],
        ..Subject::default()
    });
    let direct = merged(&json::render(&report));
    for api in Api::ALL {
        let object = serde_json::to_value(of_check(&report, api)).expect("JSON");
        let document = document(object).expect("an object").expect("about a node");
        assert_eq!(merged(&document.to_string()).plugins.len(), Outcome::ALL.len());
        assert_eq!(merged(&document.to_string()).incidents.len(), 2);
        assert_eq!(merged(&document.to_string()), direct);
    }
}

fn merged(document: &str) -> MergeReport {
    let mut merge = Merge::default();
    merge.read("report", &mut document.as_bytes());
    let report = merge.finish(&[]);
    assert_eq!(report.skipped, []);
    report
}

#[test]
fn an_object_has_the_worst_results_that_fit_and_counts_all() {
    let outcome = |nth| if nth == 9_999 { Outcome::Removed } else { Outcome::Ok };
    let report = report((0..10_000).map(|nth| (format!("plugin-{nth}"), outcome(nth))));
    let object = of_check(&report, Api::OpenReports);
    assert_eq!(object.name(), "nri-compat-node-1.example");
    assert_eq!((object.summary.pass, object.summary.fail), (9_999, 1));
    assert_eq!(object.results[0].result, ResultKind::Fail);
    let left_out = 10_000 - object.results.len();
    assert_eq!(object.metadata.annotations[LEFT_OUT], left_out.to_string());
    let size = serde_json::to_vec(&object).expect("JSON").len();
    assert!((500 << 10..700 << 10).contains(&size), "{size} bytes");
}

#[test]
fn objects_of_others_are_none_or_errors() {
    let other = r#"{"apiVersion":"openreports.io/v1alpha1","kind":"ClusterReport","metadata":{"name":"a"},
        "scope":{"kind":"Node","name":"a"},"results":[{"policy":"p","properties":{"subject":"5"}}]}"#;
    let read = |json: &str| document(serde_json::from_str(json).expect("JSON"));
    assert!(read(other).is_err());
    assert_eq!(read(&other.replace("Node", "Namespace")).expect("an object"), None);
    assert!(read("[]").is_err());
}
