//! The results of `check` and `logs`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::read::{LEVEL, SETTING, SUBJECT};
use super::{ObjectReference, PolicyResult, ResultKind, SOURCE, Severity, Time, filled, shortened};
use crate::place::Place;
use crate::report::check::{CheckReport, Incident, Subject, Verdict};
use crate::sighting::{Built, FileKind, Role};

/// The policy that every result is about.
pub(super) const POLICY: &str = "nri-compatibility";

/// The category of every result.
pub(super) const CATEGORY: &str = "NRI";

/// The parts of a subject by which `merge` recognises it on other nodes.
#[derive(Serialize)]
struct Identity<'s> {
    place: Place,
    kind: FileKind,
    role: Role,
    name: &'s Option<String>,
    index: &'s Option<String>,
    program: &'s Option<String>,
    nri: &'s Built,
    events: &'s [String],
}

/// Returns a result for each verdict, incident and finding about a configuration.
pub(super) fn results(report: &CheckReport) -> Vec<PolicyResult> {
    let time = report.summary.at.as_deref().and_then(Time::of);
    let verdicts = report.verdicts().map(|(subject, verdict)| result(subject, verdict, time));
    let incidents = report.incidents().map(|(subject, incident)| happened(subject, incident, time));
    verdicts.chain(incidents).collect()
}

fn result(subject: &Subject, verdict: &Verdict, timestamp: Option<Time>) -> PolicyResult {
    let is_suppressed = verdict.suppressed.is_some();
    let kind = if is_suppressed { ResultKind::Skip } else { ResultKind::of(verdict.outcome) };
    let (label, target) = (subject.label(), &verdict.target);
    let message = match &*verdict.reason {
        "" => format!("{label} is {} under {target}", verdict.outcome.as_str()),
        reason => format!("{label} is {} under {target}: {reason}", verdict.outcome.as_str()),
    };
    PolicyResult {
        source: SOURCE.to_owned(),
        policy: POLICY.to_owned(),
        rule: verdict.rule.to_owned(),
        category: CATEGORY.to_owned(),
        severity: Some(Severity::of(verdict.outcome)),
        result: kind,
        scored: !is_suppressed,
        message: shortened(&message),
        timestamp,
        resources: resource(&subject.place).into_iter().collect(),
        properties: properties(subject, verdict),
    }
}

/// Returns the result about an incident. It has no target and no verdict.
fn happened(subject: &Subject, incident: &Incident, timestamp: Option<Time>) -> PolicyResult {
    let suppressed = incident.suppressed.as_ref().map(|by| by.phrase());
    let level = incident.level();
    let properties = [
        ("plugin", subject.label()),
        (LEVEL, level.as_str().to_owned()),
        (SETTING, incident.setting.clone().unwrap_or_default()),
        ("where", shortened(&incident.place.to_string())),
        ("events", shortened(&incident.events.join(", "))),
        ("remedy", shortened(&incident.remedy)),
        ("suppressed", shortened(suppressed.as_deref().unwrap_or_default())),
        (SUBJECT, identity(subject)),
    ];
    PolicyResult {
        source: SOURCE.to_owned(),
        policy: POLICY.to_owned(),
        rule: incident.rule.to_owned(),
        category: CATEGORY.to_owned(),
        severity: Some(Severity::of_level(level)),
        result: if suppressed.is_some() { ResultKind::Skip } else { ResultKind::of_level(level) },
        scored: suppressed.is_none(),
        message: shortened(&format!("{}: {}", subject.label(), incident.reason)),
        timestamp,
        resources: resource(&subject.place).into_iter().collect(),
        properties: filled(properties),
    }
}

/// Returns the workload that a subject runs in.
fn resource(place: &Place) -> Option<ObjectReference> {
    let workload = place.workload.as_deref()?;
    Some(ObjectReference {
        api_version: None,
        kind: workload.kind.clone(),
        name: workload.name.clone(),
        namespace: workload.namespace.clone(),
    })
}

/// Returns the parts by which `merge` recognises a subject, as JSON.
fn identity(subject: &Subject) -> String {
    let identity = Identity {
        place: subject.place.whole_file(),
        kind: subject.kind,
        role: subject.role,
        name: &subject.name,
        index: &subject.index,
        program: &subject.program,
        nri: &subject.nri,
        events: &subject.events,
    };
    serde_json::to_string(&identity).unwrap_or_default()
}

fn properties(subject: &Subject, verdict: &Verdict) -> BTreeMap<String, String> {
    let removal = verdict.planned_removal.as_deref().unwrap_or_default();
    let suppressed = verdict.suppressed.as_ref().map(|by| by.phrase()).unwrap_or_default();
    filled([
        ("plugin", subject.label()),
        ("target", verdict.target.clone()),
        ("verdict", verdict.outcome.as_str().to_owned()),
        ("where", shortened(&subject.place.to_string())),
        ("events", shortened(&verdict.events.join(", "))),
        ("planned removal", removal.to_owned()),
        ("remedy", shortened(&verdict.remedy)),
        ("suppressed", shortened(&suppressed)),
        ("nodes", shortened(&subject.nodes.join(", "))),
        (SUBJECT, identity(subject)),
    ])
}
