//! The results of `merge`.

use super::check::{CATEGORY, POLICY};
use super::read::{LEVEL, SETTING};
use super::{PolicyResult, ResultKind, SOURCE, Severity, filled, shortened};
use crate::report::check::Outcome;
use crate::report::counted;
use crate::report::merge::{MergeReport, MergedIncident, MergedPlugin};
use crate::rules;

/// Returns a result for each plugin, target and outcome, and for each incident, with the number of
/// nodes.
pub(super) fn results(report: &MergeReport) -> Vec<PolicyResult> {
    let results = report.plugins.iter().flat_map(|plugin| {
        plugin.verdicts.iter().flat_map(move |verdict| {
            let outcomes = verdict.outcomes();
            outcomes.map(move |(outcome, nodes)| result(plugin, &verdict.target, outcome, nodes))
        })
    });
    results.chain(report.incidents.iter().map(happened)).collect()
}

/// Returns the result about an incident, which has no target and no verdict.
fn happened(incident: &MergedIncident) -> PolicyResult {
    let nodes = counted(incident.nodes, "node");
    let summary = rules::get(incident.rule).map_or(incident.rule, |rule| rule.summary);
    let properties = [
        ("plugin", incident.label.clone()),
        (LEVEL, incident.level.as_str().to_owned()),
        (SETTING, incident.setting.clone().unwrap_or_default()),
        ("where", shortened(&incident.path)),
        ("nodes", nodes.clone()),
    ];
    PolicyResult {
        source: SOURCE.to_owned(),
        policy: POLICY.to_owned(),
        rule: incident.rule.to_owned(),
        category: CATEGORY.to_owned(),
        severity: Some(Severity::of_level(incident.level)),
        result: ResultKind::of_level(incident.level),
        scored: true,
        message: shortened(&format!("{}: {summary} on {nodes}", incident.label)),
        properties: filled(properties),
        ..PolicyResult::default()
    }
}

fn result(plugin: &MergedPlugin, target: &str, outcome: Outcome, nodes: usize) -> PolicyResult {
    let (label, word) = (plugin.label(), outcome.as_str());
    let nodes = counted(nodes, "node");
    let properties = [
        ("plugin", label.clone()),
        ("target", target.to_owned()),
        ("verdict", word.to_owned()),
        ("where", shortened(&plugin.path)),
        ("events", shortened(&plugin.events.join(", "))),
        ("nodes", nodes.clone()),
        ("first seen", plugin.first_seen.clone().unwrap_or_default()),
        ("last seen", plugin.last_seen.clone().unwrap_or_default()),
    ];
    PolicyResult {
        source: SOURCE.to_owned(),
        policy: POLICY.to_owned(),
        category: CATEGORY.to_owned(),
        severity: Some(Severity::of(outcome)),
        result: ResultKind::of(outcome),
        scored: true,
        message: shortened(&format!("{label} is {word} under {target} on {nodes}")),
        properties: filled(properties),
        ..PolicyResult::default()
    }
}
