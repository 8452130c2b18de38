//! CSV of `check` and `logs`.

use std::io::{self, Write};

use super::write_rows;
use crate::report::check::{CheckReport, ClusterView, Skipped, Subject, Verdict};
use crate::report::written;

const HEAD: [&str; 21] = [
    "path",
    "kind",
    "role",
    "name",
    "index",
    "nri_version",
    "nri_at_least",
    "nri_below",
    "target",
    "verdict",
    "rule",
    "level",
    "events",
    "since",
    "planned_removal",
    "reason",
    "remedy",
    "confidence",
    "suppressed_by",
    "suppressed_reason",
    "nodes",
];

/// Renders the result of `check` or `logs` as CSV: a row for each verdict, for each subject without
/// verdicts, for each node pool of a cluster, whose kind is `node_pool`, and for each skipped file,
/// whose verdict is `skipped`. Several events in a cell are separated by spaces.
pub fn check(report: &CheckReport) -> String {
    written(|out| write_check(report, out))
}

/// Writes the answer of `check` or `logs` as CSV.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_check(report: &CheckReport, out: &mut dyn Write) -> io::Result<()> {
    let subjects = report.subjects.iter().flat_map(subject_rows);
    let pools = report.cluster.iter().flat_map(pool_rows);
    let skipped = report.skipped.iter().map(skipped_row);
    write_rows(&HEAD, subjects.chain(pools).chain(skipped), out)
}

fn subject_rows(subject: &Subject) -> Vec<Vec<String>> {
    let nodes = match subject.nodes.len() {
        0 => String::new(),
        nodes => nodes.to_string(),
    };
    let with = |cells| [subject_cells(subject), cells, vec![nodes.clone()]].concat();
    if subject.verdicts.is_empty() {
        vec![with(vec![String::new(); 12])]
    } else {
        subject
            .verdicts
            .iter()
            .map(|verdict| with(verdict_cells(verdict)))
            .collect()
    }
}

fn subject_cells(subject: &Subject) -> Vec<String> {
    let known = |text: &Option<String>| text.clone().unwrap_or_default();
    vec![
        subject.place.whole_file().to_string(),
        subject.kind.as_str().to_owned(),
        subject.role.as_str().to_owned(),
        known(&subject.name),
        known(&subject.index),
        known(&subject.nri.version),
        known(&subject.nri.at_least),
        known(&subject.nri.below),
    ]
}

fn verdict_cells(verdict: &Verdict) -> Vec<String> {
    let suppressed = verdict.suppressed.as_ref();
    let (by, reason) = suppressed.map_or(("", ""), |suppression| {
        (suppression.by(), suppression.reason.as_str())
    });
    vec![
        verdict.target.clone(),
        verdict.outcome.as_str().to_owned(),
        verdict.rule.to_owned(),
        verdict.level().as_str().to_owned(),
        verdict.events.join(" "),
        verdict.since.clone().unwrap_or_default(),
        verdict.planned_removal.clone().unwrap_or_default(),
        verdict.reason.to_string(),
        verdict.remedy.to_string(),
        verdict.confidence.as_str().to_owned(),
        by.to_owned(),
        reason.to_owned(),
    ]
}

/// Returns a row for each node pool, whose kind is `node_pool`.
fn pool_rows(cluster: &ClusterView) -> impl Iterator<Item = Vec<String>> {
    cluster.pools.iter().map(|pool| {
        let cell = |title: &str| match title {
            "path" => format!("cluster {}: {}", cluster.name, pool.runtime),
            "kind" => "node_pool".to_owned(),
            "reason" => pool.judged(),
            "nodes" => pool.nodes.len().to_string(),
            _ => String::new(),
        };
        HEAD.iter().map(|title| cell(title)).collect()
    })
}

fn skipped_row(skipped: &Skipped) -> Vec<String> {
    let cell = |title: &str| match title {
        "path" => skipped.place.to_string(),
        "verdict" => "skipped".to_owned(),
        "reason" => skipped.reason.clone(),
        _ => String::new(),
    };
    HEAD.iter().map(|title| cell(title)).collect()
}
