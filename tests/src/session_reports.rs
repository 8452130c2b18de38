//! Hand-written reports of `conformance`, `probe` and `replay`, one for each thing that a renderer
//! must show.

use std::time::Duration;

use nri_adaptation::Via;
use nri_compat::report::check::{SuppressedBy, Suppression};
use nri_compat::report::conformance::ConformanceReport;
use nri_compat::report::probe::ProbeReport;
use nri_conformance::incident::Incident;
use nri_conformance::probe::{
    EventOutcome, EventResult, FailurePolicy, Form, Probed, RpcAnswer, RpcResult, Subscription,
    TargetResult, Trouble, TroubleKind, Verdict,
};
use nri_conformance::record::Replayed;
use nri_conformance::record::replay::{Difference, DifferenceKind, Skipped};
use nri_conformance::result::{Failure, Outcome, Report, Subject, SubjectKind, TestResult};

/// Text that has an effect on a terminal, or a meaning in some format.
pub const HOSTILE: &str =
    "\u{1b}[2Jname\u{9b}31m\u{202e}|`'\"<b>&]::error::%,=\r\n# [x](y) *z*\0\u{feff}";

/// Returns every report of `conformance` with its name.
pub fn conformance() -> Vec<(&'static str, ConformanceReport)> {
    vec![
        ("empty", report(plugin("logger"), Vec::new())),
        ("kept", kept()),
        ("each_result", each_result()),
        ("runtime", runtime()),
        ("hostile", hostile(HOSTILE)),
    ]
}

/// Returns every report of `probe` with its name.
pub fn probes() -> Vec<(&'static str, ProbeReport)> {
    vec![
        ("probe_works", probe_works()),
        ("probe_trouble", probe_trouble("10-logger")),
        ("probe_hostile", probe_trouble(HOSTILE)),
    ]
}

/// Returns every report of `replay` with its name.
pub fn replays() -> Vec<(&'static str, Replayed)> {
    vec![
        ("replay_same", replay_same()),
        ("replay_differs", replay_differs("10-logger")),
        ("replay_hostile", replay_differs(HOSTILE)),
    ]
}

fn plugin(name: &str) -> Subject {
    Subject {
        kind: SubjectKind::Plugin,
        name: name.into(),
        index: "10".into(),
        version: "v0.12.5".into(),
    }
}

fn report(subject: Subject, results: Vec<TestResult>) -> ConformanceReport {
    let mut report = ConformanceReport::new("bin/10-logger", Report { subject, results });
    report.summary.millis = 18_640;
    report.summary.seed = Some(1);
    report
}

fn result(
    statement: &'static str,
    test: &'static str,
    revision: Option<&str>,
    outcome: Outcome,
) -> TestResult {
    TestResult { statement, test, revision: revision.map(str::to_owned), outcome }
}

fn failure(text: &str) -> Failure {
    Failure {
        sent: format!("StopPodSandbox of pod {text}, twice"),
        got: format!("the error \"no such pod {text}\", NOT_FOUND (5)"),
        expected: "success".into(),
        incident: Some(Incident::NotificationFailed),
    }
}

fn kept() -> ConformanceReport {
    let pass = |id, test| result(id, test, Some("v0.12.4"), Outcome::Pass);
    let results =
        vec![pass("W1", "registers"), pass("P7", "stop-twice"), pass("P7", "stop-never-seen")];
    report(plugin("logger"), results)
}

fn each_result() -> ConformanceReport {
    let fail = || Outcome::Fail(failure("web"));
    let known = Outcome::Known {
        failure: failure("db"),
        link: "https://github.com/containerd/nri/issues/63".into(),
    };
    let skip = || Outcome::Skip("sent no unsolicited update".into());
    let mut report = report(
        plugin("logger"),
        vec![
            result("W1", "registers", Some("v0.11.0"), Outcome::Pass),
            result("P7", "stop-twice", Some("v0.11.0"), fail()),
            result("P7", "stop-twice", Some("v0.12.4"), fail()),
            result("P8", "never-seen", Some("v0.12.4"), known),
            result("W14", "updates-outside-handlers", None, skip()),
            result("W14", "failed-updates", None, skip()),
            result("W16", "sigterm", None, fail()),
            result("S1", "stopped-or-stopping", None, fail()),
        ],
    );
    let ended = report.results.iter_mut().find(|test| test.test == "sigterm");
    ended.expect("it is there").suppressed =
        Some(Suppression { by: SuppressedBy::Policy, reason: "ends with the next release".into() });
    report.summary.policy = vec!["nri-compat.toml:3: the ignore of `P9` matches nothing".into()];
    report.count();
    report
}

fn runtime() -> ConformanceReport {
    let subject = Subject {
        kind: SubjectKind::Runtime,
        name: "containerd".into(),
        index: String::new(),
        version: "v2.4.2".into(),
    };
    let mut report = report(
        subject,
        vec![
            result("R1", "pod-cgroup", None, Outcome::Pass),
            result("E5", "teardown-to-all", None, Outcome::Fail(failure("web"))),
        ],
    );
    report.place = "/var/run/nri/nri.sock".into();
    report
}

/// Returns a report with this text in place of everything that comes from outside.
pub fn hostile(text: &str) -> ConformanceReport {
    let known = Outcome::Known { failure: failure(text), link: text.into() };
    let mut report = report(
        plugin(text),
        vec![
            result("P7", "stop-twice", Some(text), Outcome::Fail(failure(text))),
            result("P8", "never-seen", Some(text), known),
            result("W14", "failed-updates", Some(text), Outcome::Skip(text.into())),
        ],
    );
    report.subject.index = text.into();
    report.subject.version = text.into();
    report.place = text.into();
    report.summary.policy = vec![text.into()];
    report
}

fn rpc(
    rpc: &'static str,
    since: Option<&'static str>,
    answer: RpcAnswer,
    detail: &str,
) -> RpcResult {
    RpcResult {
        rpc,
        since,
        answer,
        detail: detail.into(),
        took: (answer != RpcAnswer::Silent).then_some(Duration::from_micros(412)),
    }
}

fn event(
    event: &'static str,
    outcome: EventOutcome,
    via: Option<Via>,
    detail: &str,
) -> EventResult {
    EventResult {
        event,
        outcome,
        via,
        fell_back: outcome == EventOutcome::Deprecated,
        detail: detail.into(),
        took: via.map(|_| Duration::from_micros(380)),
    }
}

fn probe_works() -> ProbeReport {
    let works = |name| event(name, EventOutcome::Works, Some(Via::Dedicated), "success");
    let probed = Probed {
        subject: plugin("logger"),
        form: Form::Native,
        subscription: Some(Subscription {
            mask: 0b101,
            events: vec!["RunPodSandbox", "RemovePodSandbox"],
            failure_policy: Some(FailurePolicy { fail_request: true, keep_connected: false }),
        }),
        registered_after: Some(Duration::from_millis(12)),
        rpcs: vec![
            rpc("RunPodSandbox", Some("v0.12.0"), RpcAnswer::Implemented, "success"),
            rpc("NoSuchRpc", None, RpcAnswer::Fallback, "UNIMPLEMENTED (12)"),
        ],
        targets: vec![TargetResult {
            target: "nri@0.12.4".into(),
            release: "v0.12.4".into(),
            verdict: Verdict::Works,
            reason: String::new(),
            events: vec![works("RunPodSandbox"), works("RemovePodSandbox")],
        }],
        troubles: Vec::new(),
        exports: Vec::new(),
        took: Duration::from_millis(298),
    };
    ProbeReport::new("bin/10-logger", probed)
}

/// Returns a report with every kind of verdict, and with this text in place of everything that
/// comes from outside.
pub fn probe_trouble(text: &str) -> ProbeReport {
    let all = [
        Verdict::Works,
        Verdict::Deprecated,
        Verdict::Loses,
        Verdict::Unknown,
        Verdict::Errors,
        Verdict::Breaks,
        Verdict::Dropped,
    ];
    let events = [
        (EventOutcome::Works, Some(Via::Dedicated)),
        (EventOutcome::Deprecated, Some(Via::StateChange)),
        (EventOutcome::Lost, None),
        (EventOutcome::NotTried, None),
        (EventOutcome::Error, Some(Via::Dedicated)),
        (EventOutcome::Fails, Some(Via::Dedicated)),
        (EventOutcome::Silent, None),
    ];
    let targets = all.into_iter().zip(events).map(|(verdict, (outcome, via))| TargetResult {
        target: text.into(),
        release: text.into(),
        verdict,
        reason: text.into(),
        events: vec![event("RunPodSandbox", outcome, via, text)],
    });
    let probed = Probed {
        subject: Subject {
            kind: SubjectKind::Plugin,
            name: text.into(),
            index: text.into(),
            version: text.into(),
        },
        form: Form::Wasm,
        subscription: None,
        registered_after: None,
        rpcs: vec![
            rpc("RunPodSandbox", Some("v0.12.0"), RpcAnswer::Breaks, text),
            rpc("StopPodSandbox", Some("v0.12.0"), RpcAnswer::Silent, text),
        ],
        targets: targets.collect(),
        troubles: vec![Trouble {
            kind: TroubleKind::Died,
            step: text.into(),
            release: text.into(),
            incident: Some(Incident::Closed),
            message: text.into(),
            last_lines: vec![text.into()],
        }],
        exports: vec![text.into()],
        took: Duration::from_millis(2004),
    };
    ProbeReport::new(text, probed)
}

fn replay_same() -> Replayed {
    Replayed {
        plugin: "10-logger".into(),
        recorded_plugin: "10-logger".into(),
        requests: 12,
        compared: 12,
        elapsed: Duration::from_millis(7),
        ..Replayed::default()
    }
}

/// Returns a replay with differences, and with this text in place of everything that comes from
/// outside.
pub fn replay_differs(text: &str) -> Replayed {
    let difference = |request, kind| Difference {
        request,
        at: Duration::from_millis(1500),
        method: "CreateContainer".into(),
        subject: text.into(),
        incident: (request == 7).then_some(Incident::RequestFailed),
        kind,
    };
    let field = DifferenceKind::Field {
        path: format!("adjust.env[{text}].value"),
        recorded: text.into(),
        got: "absent".into(),
    };
    Replayed {
        redacted: true,
        plugin: text.into(),
        recorded_plugin: text.into(),
        requests: 12,
        compared: 11,
        skipped: Skipped { unsubscribed: 3, repeated: 0, withheld: 1, after_end: 0 },
        differences: vec![difference(7, field), difference(0, DifferenceKind::MissingUpdate)],
        more_differences: 2,
        elapsed: Duration::from_millis(7),
    }
}
