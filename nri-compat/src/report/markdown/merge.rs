//! The markdown report of `merge`.

use super::{code, prose, table};
use crate::report::merge::{
    MergeReport, MergedCluster, MergedPlugin, MergedPool, WITHOUT_CLUSTER, WITHOUT_HOST,
};

/// Renders the answer of `merge` as markdown.
pub fn merge(report: &MergeReport) -> String {
    let report = report.visible();
    let mut text = format!(
        "## NRI plugins\n\n{}; {}.\n",
        prose(&report.headline()),
        prose(&report.phrase())
    );
    if !report.plugins.is_empty() {
        text.push_str(&format!("\n{}", plugins(&report)));
    }
    for cluster in &report.clusters {
        text.push_str(&pools(cluster));
    }
    text.push_str(&names("Silent nodes", &report.silent));
    text.push_str(&names(WITHOUT_HOST, &report.without_host));
    text.push_str(&names(WITHOUT_CLUSTER, &report.without_cluster));
    text.push_str(&section("Skipped", &skipped(&report)));
    text
}

/// Returns the matrix of plugins and targets.
fn plugins(report: &MergeReport) -> String {
    let targets = report.targets();
    let titles: Vec<String> = targets.iter().map(|target| prose(target)).collect();
    let mut head = vec!["plugin", "NRI", "nodes"];
    head.extend(titles.iter().map(String::as_str));
    head.extend(["first seen", "last seen", "where"]);
    let row = |plugin: &MergedPlugin| {
        let maybe = |text: &Option<String>| text.as_deref().map_or("-".to_owned(), prose);
        let mut cells = vec![
            code(&plugin.label()),
            prose(&plugin.nri.phrase().unwrap_or_else(|| "-".to_owned())),
            plugin.nodes.to_string(),
        ];
        cells.extend(targets.iter().map(|target| plugin.outcomes_phrase(target)));
        cells.extend([
            maybe(&plugin.first_seen),
            maybe(&plugin.last_seen),
            code(&plugin.path),
        ]);
        cells
    };
    let rows: Vec<Vec<String>> = report.plugins.iter().map(row).collect();
    table(&head, &rows)
}

/// Returns the nodes of a cluster by runtime.
fn pools(cluster: &MergedCluster) -> String {
    let head = ["nodes", "runtime", "plugins in pods", "plugins on hosts"];
    let row = |pool: &MergedPool| {
        vec![
            pool.nodes.len().to_string(),
            code(&pool.name()),
            prose(&pool.judged()),
            pool.hosts(),
        ]
    };
    let rows: Vec<Vec<String>> = cluster.pools.iter().map(row).collect();
    let title = format!("\n### Nodes of {}\n\n", prose(&cluster.phrase()));
    title + &table(&head, &rows)
}

fn names(title: &str, nodes: &[String]) -> String {
    let lines: Vec<String> = nodes
        .iter()
        .map(|node| format!("- {}\n", code(node)))
        .collect();
    section(title, &lines)
}

fn skipped(report: &MergeReport) -> Vec<String> {
    let skipped = report.skipped.iter();
    let lines = skipped.map(|skipped| {
        let place = code(&skipped.place.to_string());
        format!("- {place}: {}\n", prose(&skipped.reason))
    });
    let more = report.more_skipped().map(|more| format!("- {more}\n"));
    lines.chain(more).collect()
}

/// Returns lines under a title; nothing if there are none.
fn section(title: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    format!("\n### {title}\n\n{}", lines.concat())
}
