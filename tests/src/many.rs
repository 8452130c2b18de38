//! A report of many plugins with realistic findings: a few programs, each with its findings under
//! three targets, on many nodes.

use nri_compat::place::Place;
use nri_compat::report::check::{
    CheckReport, CheckTarget, Confidence, Outcome, Subject, Summary, Verdict,
};
use nri_compat::sighting::{Built, Evidence, FileKind, Role};

const EVENTS: [&str; 9] = [
    "RunPodSandbox",
    "StopPodSandbox",
    "RemovePodSandbox",
    "PostCreateContainer",
    "StartContainer",
    "PostStartContainer",
    "PostUpdateContainer",
    "RemoveContainer",
    "PostUpdatePodSandbox",
];

const TARGETS: [(&str, &str, bool); 3] = [
    ("containerd@2.2.9", "v0.11.0", false),
    ("containerd@2.4.2", "v0.12.3", false),
    ("containerd@2.7", "v0.12.5", true),
];

const NAMES: [&str; 8] = [
    "device-injector",
    "hook-injector",
    "logger",
    "memory-qos",
    "network-device-injector",
    "resource-annotator",
    "topology-aware",
    "ulimit-adjuster",
];

/// Returns a report of `count` plugins.
pub fn check(count: usize) -> CheckReport {
    let plugins = u64::try_from(count).unwrap_or(u64::MAX);
    let mut report = CheckReport {
        targets: TARGETS.iter().map(target).collect(),
        subjects: (0..count).map(plugin).collect(),
        summary: Summary {
            looked_at: vec!["/var/lib/images".into()],
            files: plugins,
            plugins,
            bytes: plugins * 7_000_000,
            millis: 84_000,
            ..Summary::default()
        },
        ..CheckReport::default()
    };
    report.count();
    report
}

/// Returns the same report with a name in place of everything that comes from outside.
pub fn named(count: usize, name: &str) -> CheckReport {
    let mut report = check(count);
    for subject in &mut report.subjects {
        subject.name = Some(name.into());
        subject.program = Some(name.into());
        subject.evidence.push(Evidence { reader: "go-binary", detail: name.into() });
        for verdict in &mut subject.verdicts {
            verdict.reason = name.into();
            verdict.remedy = name.into();
        }
    }
    report
}

fn target(&(name, nri, planned): &(&str, &str, bool)) -> CheckTarget {
    CheckTarget { name: name.into(), nri: nri.into(), planned, ..CheckTarget::default() }
}

fn plugin(nth: usize) -> Subject {
    let (name, index) = (NAMES[nth % NAMES.len()], format!("{:02}", nth % 100));
    let image =
        format!("registry.example.com/team-{}/nri-plugins/{name}:v1.{}", nth % 37, nth % 11);
    let outcomes = match nth % 5 {
        0 => [Outcome::Ok; 3],
        1 => [Outcome::Unknown; 3],
        2 | 3 => [Outcome::Ok, Outcome::Deprecated, Outcome::Removed],
        _ => [Outcome::Incompatible, Outcome::Ok, Outcome::Ok],
    };
    let verdicts = TARGETS.iter().zip(outcomes);
    Subject {
        place: Place::from(format!("/var/lib/images/{nth:05}.tar"))
            .in_image(&image)
            .entry(format!("/opt/nri/plugins/{index}-{name}")),
        kind: FileKind::GoBinary,
        role: Role::Plugin,
        name: Some(name.into()),
        index: Some(index),
        program: Some(format!("example.com/team-{}/nri-plugins/cmd/{name}", nth % 37)),
        nri: Built {
            version: Some("v0.11.0".into()),
            at_least: None,
            below: Some("v0.12.0".into()),
        },
        events: EVENTS.iter().map(ToString::to_string).collect(),
        verdicts: verdicts.map(|((target, ..), outcome)| verdict(target, outcome)).collect(),
        evidence: evidence(),
        ..Subject::default()
    }
}

fn evidence() -> Vec<Evidence> {
    let details = [
        "build information: module github.com/containerd/nri v0.11.0",
        "function table: main.(*plugin).StateChange, main.(*plugin).CreateContainer and seven more handlers",
        "type descriptors: *main.plugin has StateChange(context.Context, *api.StateChangeEvent)",
        "the stub has no dedicated calls, so it is older than v0.12.0",
    ];
    let evidence = |detail: &&str| Evidence { reader: "go-binary", detail: (*detail).into() };
    details.iter().map(evidence).collect()
}

fn verdict(target: &str, outcome: Outcome) -> Verdict {
    let verdict = Verdict {
        target: target.into(),
        outcome,
        confidence: Confidence::High,
        ..Verdict::default()
    };
    let events = || EVENTS.map(String::from).to_vec().into();
    let all = EVENTS.join(", ");
    match outcome {
        Outcome::Ok => verdict,
        Outcome::Unknown => Verdict {
            rule: "CHECK_CANNOT_TELL",
            reason: "may rely on StateChange; cannot determine which events it handles".into(),
            remedy: "go get github.com/containerd/nri@v0.12.0 && go mod tidy".into(),
            confidence: Confidence::Low,
            ..verdict
        },
        Outcome::Deprecated | Outcome::Removed => Verdict {
            rule: "CHECK_STATE_CHANGE",
            events: events(),
            since: Some("v0.12.0".into()),
            planned_removal: Some("containerd 2.7".into()),
            reason: "receives 9 events through StateChange, which its stub does not replace".into(),
            remedy: format!("implement {all} instead of StateChange").into(),
            ..verdict
        },
        Outcome::Incompatible => Verdict {
            rule: "CHECK_EVENT_UNKNOWN",
            events: events(),
            reason: "subscribes to events that the runtime does not know, and is dropped".into(),
            remedy: format!("leave {all} out under this runtime").into(),
            ..verdict
        },
    }
}
