//! The plugins, verdicts and targets of the reports.

use nri_compat::place::Place;
use nri_compat::report::check::{
    CheckTarget, Confidence, Incident, Inputs, Outcome, Subject, Summary, Verdict,
};
use nri_compat::rules;
use nri_compat::rules::incident::Fate;
use nri_compat::sighting::{Built, Evidence, FileKind, Occurrences, Role};

pub(super) fn target(name: &str, nri: &str) -> CheckTarget {
    CheckTarget { name: name.into(), nri: nri.into(), ..CheckTarget::default() }
}

pub(super) fn summary(looked_at: &str, plugins: u64) -> Summary {
    Summary {
        inputs: Inputs { evidence: plugins, other_files: 7 - plugins, ..Inputs::default() },
        looked_at: vec![looked_at.into()],
        files: 7,
        bytes: 35_651_584,
        plugins,
        skipped: 0,
        millis: 31,
        ..Summary::default()
    }
}

pub(super) fn plugin(name: &str, index: &str) -> Subject {
    Subject {
        place: format!("/opt/nri/plugins/{index}-{name}").into(),
        kind: FileKind::GoBinary,
        role: Role::Plugin,
        name: Some(name.into()),
        index: Some(index.into()),
        nri: Built {
            version: Some("v0.11.0".into()),
            at_least: None,
            below: Some("v0.12.0".into()),
        },
        events: strings(&["RunPodSandbox", "CreateContainer", "StopContainer"]),
        evidence: vec![
            evidence("function table: main.(*plugin).CreateContainer and two more handlers"),
            evidence("the stub has no dedicated calls, so it is older than v0.12.0"),
        ],
        ..Subject::default()
    }
}

pub(super) fn evidence(detail: &str) -> Evidence {
    Evidence { reader: "go-binary", detail: detail.into() }
}

pub(super) fn strings(all: &[&str]) -> Vec<String> {
    all.iter().map(ToString::to_string).collect()
}

pub(super) fn ok(target: &str) -> Verdict {
    Verdict { target: target.into(), confidence: Confidence::High, ..Verdict::default() }
}

pub(super) fn state_change(target: &str, outcome: Outcome) -> Verdict {
    let gone = outcome == Outcome::Removed;
    Verdict {
        target: target.into(),
        outcome,
        rule: "CHECK_STATE_CHANGE",
        events: strings(&["RunPodSandbox"]).into(),
        since: Some("v0.12.0".into()),
        planned_removal: Some("containerd 2.7".into()),
        reason: if gone {
            "takes 1 event through StateChange, which is gone".into()
        } else {
            "takes 1 event through StateChange".into()
        },
        remedy: "go get github.com/containerd/nri@v0.12.0, then build again".into(),
        confidence: Confidence::High,
        ..Verdict::default()
    }
}

pub(super) fn unknown(target: &str) -> Verdict {
    Verdict {
        target: target.into(),
        outcome: Outcome::Unknown,
        rule: "CHECK_CANNOT_TELL",
        reason: "the function table is cut off".into(),
        remedy: "check the file that it was built from".into(),
        ..Verdict::default()
    }
}

pub(super) fn incompatible(target: &str) -> Verdict {
    Verdict {
        target: target.into(),
        outcome: Outcome::Incompatible,
        rule: "CHECK_EVENT_UNKNOWN",
        events: strings(&["UpdatePodSandbox"]).into(),
        reason: "subscribes to events that the runtime does not know, and is dropped".into(),
        remedy: "leave UpdatePodSandbox out under this runtime".into(),
        confidence: Confidence::Medium,
        ..Verdict::default()
    }
}

/// Returns an incident that was logged three times, first on a line of a file.
pub(super) fn incident(rule: &'static str, plugin: Fate, place: &str) -> Incident {
    let known = rules::get(rule).expect("a rule");
    let (file, line) = place.rsplit_once(':').unwrap_or((place, ""));
    Incident {
        rule,
        plugin,
        level: None,
        events: strings(&["RunPodSandbox"]),
        reason: known.summary.into(),
        remedy: known.remedy.into(),
        seen: Occurrences {
            count: 3,
            first: Some("2026-11-20T08:00:00Z".into()),
            last: Some("2026-11-20T09:30:00Z".into()),
        },
        place: Place { line: line.parse().ok(), ..Place::from(file) },
        setting: None,
        suppressed: None,
    }
}

pub(super) fn judged(mut subject: Subject, verdicts: Vec<Verdict>) -> Subject {
    subject.verdicts = verdicts;
    subject
}
