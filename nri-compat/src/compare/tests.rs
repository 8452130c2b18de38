use nri_conformance::probe::{EventResult, Verdict as Probe};

use super::*;

fn check(outcome: Outcome, events: &[&str]) -> Verdict {
    Verdict {
        target: "nri@0.12.5".to_owned(),
        outcome,
        events: events.iter().map(|event| (*event).to_owned()).collect(),
        ..Verdict::default()
    }
}

fn result(verdict: Probe, release: &str, events: &[(&'static str, EventOutcome)]) -> TargetResult {
    let events = events.iter().map(|(event, outcome)| EventResult {
        event,
        outcome: *outcome,
        via: None,
        fell_back: false,
        detail: String::new(),
        took: None,
    });
    TargetResult {
        target: "nri@0.12.5".to_owned(),
        release: release.to_owned(),
        verdict,
        reason: "some reason".to_owned(),
        events: events.collect(),
    }
}

fn related(check: &Verdict, probe: &TargetResult) -> Agreement {
    relate(&Subject::default(), check, probe).0
}

#[test]
fn equal_verdicts_agree_if_they_name_the_same_events() {
    use EventOutcome::Deprecated;
    let run = [("RunPodSandbox", Deprecated)];
    let probe = result(Probe::Deprecated, "v0.12.5", &run);
    for (named, agreement) in [
        (&["RunPodSandbox"][..], Agreement::Agree),
        (&["RunPodSandbox", "StopPodSandbox"], Agreement::Explained),
        (&["StopPodSandbox"], Agreement::Disagree),
    ] {
        let check = check(Outcome::Deprecated, named);
        assert_eq!(related(&check, &probe), agreement, "{named:?}");
    }
}

#[test]
fn an_event_that_arrives_contradicts_an_objection() {
    let works = result(
        Probe::Works,
        "v0.12.5",
        &[("RunPodSandbox", EventOutcome::Works)],
    );
    let objects = check(Outcome::Incompatible, &["RunPodSandbox"]);
    assert_eq!(related(&objects, &works), Agreement::Disagree);
    let other = check(Outcome::Incompatible, &["UpdatePodSandbox"]);
    assert_eq!(related(&other, &works), Agreement::Explained);
    let nothing = check(Outcome::Incompatible, &[]);
    assert_eq!(related(&nothing, &works), Agreement::Disagree);
}

#[test]
fn a_loss_is_explained_if_the_release_does_not_know_the_event() {
    let lost = [("UpdatePodSandbox", EventOutcome::Lost)];
    let ok = check(Outcome::Ok, &[]);
    let old = result(Probe::Loses, "v0.9.0", &lost);
    assert_eq!(related(&ok, &old), Agreement::Explained);
    let new = result(Probe::Loses, "v0.12.5", &lost);
    assert_eq!(related(&ok, &new), Agreement::Disagree);
}

#[test]
fn whoever_cannot_decide_does_not_disagree() {
    let broken = result(Probe::Breaks, "v0.12.5", &[]);
    assert_eq!(
        related(&check(Outcome::Unknown, &[]), &broken),
        Agreement::Undecided
    );
    let unknown = result(Probe::Unknown, "v0.12.5", &[]);
    assert_eq!(
        related(&check(Outcome::Ok, &[]), &unknown),
        Agreement::Undecided
    );
    assert_eq!(
        related(&check(Outcome::Ok, &[]), &broken),
        Agreement::Disagree
    );
}
