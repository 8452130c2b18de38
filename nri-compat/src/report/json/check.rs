//! The JSON report of `check` and `logs`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::{Serialize, Serializer};

use super::{SCHEMA, write, write_line};
use crate::place::{Place, WorkloadPlace};
use crate::report::check::{
    CheckReport, CheckTarget, ClusterView, NodePool, Outcome, Skipped, Subject, Summary,
    Suppression, Verdict,
};
use crate::report::written;
use crate::sighting::{Built, Evidence, Occurrences};

#[derive(Serialize)]
struct JsonCheck<'r> {
    schema: u32,
    data_date: &'r str,
    targets: Vec<JsonTarget<'r>>,
    subjects: Each<'r, Subject, JsonSubject<'r>>,
    skipped: Each<'r, Skipped, JsonSkipped<'r>>,
    policy: &'r [String],
    cluster: Option<JsonCluster<'r>>,
    summary: JsonSummary<'r>,
}

#[derive(Serialize)]
struct JsonTarget<'r> {
    name: &'r str,
    given: Option<&'r str>,
    nri: &'r str,
    assumed: Option<&'r str>,
    planned: bool,
    by_default: bool,
}

#[derive(Serialize)]
struct JsonSubject<'r> {
    path: String,
    place: JsonPlace<'r>,
    kind: &'static str,
    role: &'static str,
    name: Option<&'r str>,
    index: Option<&'r str>,
    program: Option<&'r str>,
    nri: JsonBuilt<'r>,
    events: &'r [String],
    verdicts: Vec<JsonVerdict<'r>>,
    evidence: Vec<JsonEvidence<'r>>,
    seen: Option<JsonOccurrences<'r>>,
    nodes: &'r [String],
}

#[derive(Serialize)]
struct JsonCluster<'r> {
    name: &'r str,
    server: &'r str,
    id: Option<&'r str>,
    namespace: Option<&'r str>,
    pods: u64,
    workloads: u64,
    pools: Vec<JsonPool<'r>>,
}

#[derive(Serialize)]
struct JsonPool<'r> {
    runtime: &'r str,
    target: Option<&'r str>,
    note: Option<&'r str>,
    nodes: &'r [String],
}

#[derive(Serialize)]
struct JsonPlace<'r> {
    file: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    workload: Option<JsonWorkload<'r>>,
    image: Option<&'r str>,
    layer: Option<u32>,
    entry: Option<&'r str>,
    line: Option<u32>,
    pids: &'r [u32],
}

#[derive(Serialize)]
struct JsonWorkload<'r> {
    document: Option<u32>,
    line: Option<u32>,
    kind: &'r str,
    namespace: Option<&'r str>,
    name: &'r str,
    container: &'r str,
}

#[derive(Serialize)]
pub(super) struct JsonBuilt<'r> {
    version: Option<&'r str>,
    at_least: Option<&'r str>,
    below: Option<&'r str>,
}

#[derive(Serialize)]
struct JsonVerdict<'r> {
    target: &'r str,
    verdict: &'static str,
    rule: Option<&'static str>,
    level: &'static str,
    events: &'r [String],
    since: Option<&'r str>,
    planned_removal: Option<&'r str>,
    reason: &'r str,
    remedy: &'r str,
    confidence: &'static str,
    suppressed: Option<JsonSuppression<'r>>,
}

#[derive(Serialize)]
struct JsonSuppression<'r> {
    by: &'static str,
    reason: &'r str,
}

#[derive(Serialize)]
struct JsonEvidence<'r> {
    reader: &'static str,
    detail: &'r str,
}

#[derive(Serialize)]
struct JsonOccurrences<'r> {
    count: u64,
    first: Option<&'r str>,
    last: Option<&'r str>,
}

#[derive(Serialize)]
pub(super) struct JsonSkipped<'r> {
    path: String,
    place: JsonPlace<'r>,
    kind: &'static str,
    reason: &'r str,
}

#[derive(Serialize)]
struct JsonSummary<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scan: Option<&'r str>,
    looked_at: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_looked_for: Vec<&'static str>,
    files: u64,
    inputs: BTreeMap<&'static str, u64>,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    workloads: Option<JsonWorkloads>,
    plugins: u64,
    skipped: u64,
    millis: u64,
    ok: usize,
    unknown: usize,
    deprecated: usize,
    removed: usize,
    incompatible: usize,
    suppressed: usize,
}

#[derive(Serialize)]
struct JsonWorkloads {
    examined: u64,
    candidates: u64,
}

/// An array whose elements are created when they are written, because there may be many.
struct Each<'r, T, J>(&'r [T], fn(&'r T) -> J);

impl<T, J: Serialize> Serialize for Each<'_, T, J> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(self.1))
    }
}

/// Renders the answer of `check` or `logs` as JSON.
pub fn check(report: &CheckReport) -> String {
    written(|out| write_check(report, out))
}

/// Writes the answer of `check` or `logs` as JSON.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_check(report: &CheckReport, out: &mut dyn Write) -> io::Result<()> {
    write(&document(report), out)
}

/// Renders the same document on one line, for logs that are collected line by line.
pub fn check_line(report: &CheckReport) -> String {
    written(|out| write_check_line(report, out))
}

/// Writes the same document on one line, for logs that are collected line by line.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_check_line(report: &CheckReport, out: &mut dyn Write) -> io::Result<()> {
    write_line(&document(report), out)
}

fn document(report: &CheckReport) -> JsonCheck<'_> {
    JsonCheck {
        schema: SCHEMA,
        data_date: &report.data_date,
        targets: report.targets.iter().map(target).collect(),
        subjects: Each(&report.subjects, subject),
        skipped: Each(&report.skipped, skipped),
        policy: &report.policy,
        cluster: report.cluster.as_ref().map(cluster),
        summary: summary(report),
    }
}

fn target(target: &CheckTarget) -> JsonTarget<'_> {
    JsonTarget {
        name: &target.name,
        given: target.given.as_deref(),
        nri: &target.nri,
        assumed: target.assumed.as_deref(),
        planned: target.planned,
        by_default: target.by_default,
    }
}

fn subject(subject: &Subject) -> JsonSubject<'_> {
    JsonSubject {
        path: subject.place.whole_file().to_string(),
        place: place(&subject.place),
        kind: subject.kind.as_str(),
        role: subject.role.as_str(),
        name: subject.name.as_deref(),
        index: subject.index.as_deref(),
        program: subject.program.as_deref(),
        nri: built(&subject.nri),
        events: &subject.events,
        verdicts: subject.verdicts.iter().map(verdict).collect(),
        evidence: subject.evidence.iter().map(evidence).collect(),
        seen: subject.occurrences.as_ref().map(seen),
        nodes: &subject.nodes,
    }
}

fn cluster(cluster: &ClusterView) -> JsonCluster<'_> {
    JsonCluster {
        name: &cluster.name,
        server: &cluster.server,
        id: cluster.id.as_deref(),
        namespace: cluster.namespace.as_deref(),
        pods: cluster.pods,
        workloads: cluster.workloads,
        pools: cluster.pools.iter().map(pool).collect(),
    }
}

fn pool(pool: &NodePool) -> JsonPool<'_> {
    JsonPool {
        runtime: &pool.runtime,
        target: pool.target(),
        note: pool.note(),
        nodes: &pool.nodes,
    }
}

fn place(place: &Place) -> JsonPlace<'_> {
    JsonPlace {
        file: &place.file,
        workload: place.workload.as_deref().map(workload),
        image: place.image.as_deref(),
        layer: place.layer,
        entry: place.entry.as_deref(),
        line: place.line,
        pids: &place.pids,
    }
}

fn workload(workload: &WorkloadPlace) -> JsonWorkload<'_> {
    JsonWorkload {
        document: workload.document,
        line: workload.line,
        kind: &workload.kind,
        namespace: workload.namespace.as_deref(),
        name: &workload.name,
        container: &workload.container,
    }
}

pub(super) fn built(built: &Built) -> JsonBuilt<'_> {
    JsonBuilt {
        version: built.version.as_deref(),
        at_least: built.at_least.as_deref(),
        below: built.below.as_deref(),
    }
}

fn verdict(verdict: &Verdict) -> JsonVerdict<'_> {
    JsonVerdict {
        target: &verdict.target,
        verdict: verdict.outcome.as_str(),
        rule: (!verdict.rule.is_empty()).then_some(verdict.rule),
        level: verdict.level().as_str(),
        events: &verdict.events,
        since: verdict.since.as_deref(),
        planned_removal: verdict.planned_removal.as_deref(),
        reason: &verdict.reason,
        remedy: &verdict.remedy,
        confidence: verdict.confidence.as_str(),
        suppressed: verdict.suppressed.as_ref().map(suppression),
    }
}

fn suppression(suppression: &Suppression) -> JsonSuppression<'_> {
    JsonSuppression {
        by: suppression.by(),
        reason: &suppression.reason,
    }
}

fn evidence(evidence: &Evidence) -> JsonEvidence<'_> {
    JsonEvidence {
        reader: evidence.reader,
        detail: &evidence.detail,
    }
}

fn seen(seen: &Occurrences) -> JsonOccurrences<'_> {
    JsonOccurrences {
        count: seen.count,
        first: seen.first.as_deref(),
        last: seen.last.as_deref(),
    }
}

pub(super) fn skipped(skipped: &Skipped) -> JsonSkipped<'_> {
    JsonSkipped {
        path: skipped.place.to_string(),
        place: place(&skipped.place),
        kind: skipped.kind.as_str(),
        reason: &skipped.reason,
    }
}

/// Returns the places that were checked, with the usual places that have no configuration.
fn looked_at(summary: &Summary) -> Vec<String> {
    let absent = summary.without_configuration.iter();
    let absent = absent.map(|place| format!("{place} (no configuration)"));
    summary.looked_at.iter().cloned().chain(absent).collect()
}

fn summary(report: &CheckReport) -> JsonSummary<'_> {
    let summary = &report.summary;
    JsonSummary {
        at: summary.at.as_deref(),
        node: summary.node.as_deref(),
        scan: summary.scan.as_deref(),
        looked_at: looked_at(summary),
        not_looked_for: summary
            .not_looked_for
            .iter()
            .map(|kind| kind.as_str())
            .collect(),
        files: summary.files,
        inputs: summary.inputs.named().into_iter().collect(),
        bytes: summary.bytes,
        workloads: summary.workloads.map(|workloads| JsonWorkloads {
            examined: workloads.examined,
            candidates: workloads.candidates,
        }),
        plugins: summary.plugins,
        skipped: summary.skipped,
        millis: summary.millis,
        ok: report.count(Outcome::Ok),
        unknown: report.count(Outcome::Unknown),
        deprecated: report.count(Outcome::Deprecated),
        removed: report.count(Outcome::Removed),
        incompatible: report.count(Outcome::Incompatible),
        suppressed: report.suppressed(),
    }
}
