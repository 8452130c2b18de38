use nri_conformance::probe::{EventResult, Verdict as Probe};

use super::*;

/// Returns how a verdict of `check` that names some events relates to one of `probe` with a result
/// of a single event.
fn related(
    (outcome, named): (Outcome, &[&str]),
    (verdict, result): (Probe, Option<(&'static str, EventOutcome)>),
    release: &str,
) -> Agreement {
    let check = Verdict {
        outcome,
        events: named.iter().map(|event| (*event).to_owned()).collect(),
        ..Verdict::default()
    };
    let events = result.map(|(event, arrival)| EventResult {
        event,
        outcome: arrival,
        via: None,
        fell_back: false,
        detail: String::new(),
        took: None,
    });
    let probe = TargetResult {
        target: format!("nri@{release}"),
        release: release.to_owned(),
        verdict,
        reason: "some reason".to_owned(),
        events: events.into_iter().collect(),
    };
    relate(&Subject::default(), &check, &probe).0
}

#[test]
fn verdicts_contradict_each_other_only_where_both_decide_on_an_event() {
    use Agreement::{Agree, Disagree, Explained, Undecided};
    use Outcome::{Deprecated, Incompatible, Ok, Unknown};
    const RUN: &str = "RunPodSandbox";
    const STOP: &str = "StopPodSandbox";
    const UPDATE: &str = "UpdatePodSandbox";
    let deprecated = (Probe::Deprecated, Some((RUN, EventOutcome::Deprecated)));
    let works = (Probe::Works, Some((RUN, EventOutcome::Works)));
    let loses = (Probe::Loses, Some((UPDATE, EventOutcome::Lost)));
    let (breaks, unknown) = ((Probe::Breaks, None), (Probe::Unknown, None));
    let (old, new) = ("v0.9.0", "v0.12.5");
    let cases: [(Outcome, &[&str], _, _, _); 11] = [
        (Deprecated, &[RUN], deprecated, new, Agree),
        (Deprecated, &[RUN, STOP], deprecated, new, Explained),
        (Deprecated, &[STOP], deprecated, new, Disagree),
        (Incompatible, &[RUN], works, new, Disagree),
        (Incompatible, &[UPDATE], works, new, Explained),
        (Incompatible, &[], works, new, Disagree),
        // The old release does not know the event.
        (Ok, &[], loses, old, Explained),
        (Ok, &[], loses, new, Disagree),
        (Unknown, &[], breaks, new, Undecided),
        (Ok, &[], unknown, new, Undecided),
        (Ok, &[], breaks, new, Disagree),
    ];
    for (outcome, named, probe, release, agreement) in cases {
        let found = related((outcome, named), probe, release);
        assert_eq!(found, agreement, "{outcome:?} {named:?} {probe:?}");
    }
}
