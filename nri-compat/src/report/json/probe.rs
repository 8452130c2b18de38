//! The JSON report of `probe`, described by `schema/probe.schema.json`.

use std::time::Duration;

use nri_adaptation::Via;
use nri_conformance::probe::{
    EventResult, FailurePolicy, Latency, Probed, RpcResult, Subscription, TargetResult, Trouble,
};
use serde::Serialize;

use super::conformance::{JsonSubject, subject};
use super::{SCHEMA, print};
use crate::report::probe::ProbeReport;

#[derive(Serialize)]
struct JsonProbe<'r> {
    schema: u32,
    subject: JsonSubject<'r>,
    form: &'static str,
    registered_after_millis: Option<f64>,
    subscription: Option<JsonSubscription<'r>>,
    exports: &'r [String],
    rpcs: Vec<JsonRpc<'r>>,
    targets: Vec<JsonTarget<'r>>,
    latencies: Vec<JsonLatency>,
    troubles: Vec<JsonTrouble<'r>>,
    summary: JsonSummary,
}

#[derive(Serialize)]
struct JsonSubscription<'r> {
    mask: i32,
    events: &'r [&'static str],
    failure_policy: Option<JsonPolicy>,
}

#[derive(Serialize)]
struct JsonPolicy {
    fail_request: bool,
    keep_connected: bool,
}

#[derive(Serialize)]
struct JsonRpc<'r> {
    rpc: &'r str,
    since: Option<&'r str>,
    answer: &'static str,
    detail: &'r str,
    millis: Option<f64>,
}

#[derive(Serialize)]
struct JsonTarget<'r> {
    target: &'r str,
    nri: &'r str,
    verdict: &'static str,
    reason: &'r str,
    events: Vec<JsonEvent<'r>>,
}

#[derive(Serialize)]
struct JsonEvent<'r> {
    event: &'r str,
    outcome: &'static str,
    via: Option<&'static str>,
    detail: &'r str,
    millis: Option<f64>,
}

#[derive(Serialize)]
struct JsonLatency {
    event: &'static str,
    median_millis: f64,
    slowest_millis: f64,
    answers: usize,
}

#[derive(Serialize)]
struct JsonTrouble<'r> {
    kind: &'static str,
    step: &'r str,
    nri: &'r str,
    message: &'r str,
    last_lines: &'r [String],
}

#[derive(Serialize)]
struct JsonSummary {
    worst: Option<&'static str>,
    millis: f64,
}

/// Renders the answer of `probe` as JSON.
pub fn probe(report: &ProbeReport) -> String {
    print(&json(&report.probed))
}

fn json(probed: &Probed) -> JsonProbe<'_> {
    JsonProbe {
        schema: SCHEMA,
        subject: subject(&probed.subject),
        form: probed.form.as_str(),
        registered_after_millis: probed.registered_after.map(millis),
        subscription: probed.subscription.as_ref().map(subscription),
        exports: &probed.exports,
        rpcs: probed.rpcs.iter().map(rpc).collect(),
        targets: probed.targets.iter().map(target).collect(),
        latencies: probed.latencies().iter().map(latency).collect(),
        troubles: probed.troubles.iter().map(trouble).collect(),
        summary: JsonSummary {
            worst: probed.worst().map(|verdict| verdict.as_str()),
            millis: millis(probed.took),
        },
    }
}

/// Returns milliseconds, to the microsecond.
fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

fn subscription(subscription: &Subscription) -> JsonSubscription<'_> {
    let policy = |policy: FailurePolicy| JsonPolicy {
        fail_request: policy.fail_request,
        keep_connected: policy.keep_connected,
    };
    JsonSubscription {
        mask: subscription.mask,
        events: &subscription.events,
        failure_policy: subscription.failure_policy.map(policy),
    }
}

fn rpc(rpc: &RpcResult) -> JsonRpc<'_> {
    JsonRpc {
        rpc: rpc.rpc,
        since: rpc.since,
        answer: rpc.answer.as_str(),
        detail: &rpc.detail,
        millis: rpc.took.map(millis),
    }
}

fn target(target: &TargetResult) -> JsonTarget<'_> {
    JsonTarget {
        target: &target.target,
        nri: &target.release,
        verdict: target.verdict.as_str(),
        reason: &target.reason,
        events: target.events.iter().map(event).collect(),
    }
}

fn event(event: &EventResult) -> JsonEvent<'_> {
    JsonEvent {
        event: event.event,
        outcome: event.outcome.as_str(),
        via: event.via.map(via),
        detail: &event.detail,
        millis: event.took.map(millis),
    }
}

fn via(via: Via) -> &'static str {
    match via {
        Via::Dedicated => "dedicated",
        Via::StateChange => "state-change",
    }
}

fn latency(latency: &Latency) -> JsonLatency {
    JsonLatency {
        event: latency.event,
        median_millis: millis(latency.median),
        slowest_millis: millis(latency.slowest),
        answers: latency.answers,
    }
}

fn trouble(trouble: &Trouble) -> JsonTrouble<'_> {
    JsonTrouble {
        kind: trouble.kind.as_str(),
        step: &trouble.step,
        nri: &trouble.release,
        message: &trouble.message,
        last_lines: &trouble.last_lines,
    }
}
