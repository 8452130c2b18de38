//! The text report of `merge`.

use std::collections::BTreeSet;

use anstyle::Style;

use super::layout::Page;
use super::width::Look;
use crate::report::merge::{
    MergeReport, MergedCluster, MergedPlugin, WITHOUT_CLUSTER, WITHOUT_HOST,
};
use crate::report::visible;

/// Renders the answer of `merge` as text.
pub fn merge(report: &MergeReport, look: impl Into<Look>) -> String {
    let mut page = Page::new(look.into());
    plugins(&mut page, &report.plugins, &report.targets());
    for cluster in &report.clusters {
        pools(&mut page, cluster);
    }
    nodes(&mut page, "Silent nodes", &report.silent);
    nodes(&mut page, WITHOUT_HOST, &report.without_host);
    nodes(&mut page, WITHOUT_CLUSTER, &report.without_cluster);
    skipped(&mut page, report);
    summary(&mut page, report);
    page.finish()
}

fn plugins(page: &mut Page, plugins: &[MergedPlugin], targets: &BTreeSet<&str>) {
    if plugins.is_empty() {
        return page.line(0, "no plugins", Style::new(), "");
    }
    let shown: Vec<String> = targets.iter().map(|target| visible(target)).collect();
    let mut head = vec!["PLUGIN", "NRI", "NODES"];
    head.extend(shown.iter().map(String::as_str));
    head.extend(["FIRST SEEN", "LAST SEEN", "WHERE"]);
    let rows: Vec<Vec<String>> = plugins.iter().map(|plugin| row(plugin, targets)).collect();
    page.table(&head, &rows);
}

fn row(plugin: &MergedPlugin, targets: &BTreeSet<&str>) -> Vec<String> {
    let maybe = |text: &Option<String>| text.as_deref().map_or_else(|| "-".to_owned(), visible);
    let mut cells = vec![
        visible(&plugin.label()),
        built(plugin),
        plugin.nodes.to_string(),
    ];
    cells.extend(targets.iter().map(|target| plugin.outcomes_phrase(target)));
    cells.extend([
        maybe(&plugin.first_seen),
        maybe(&plugin.last_seen),
        visible(&plugin.path),
    ]);
    cells
}

/// Returns the release or range of releases.
fn built(plugin: &MergedPlugin) -> String {
    let nri = &plugin.nri;
    let text = match (&nri.version, &nri.at_least, &nri.below) {
        (Some(version), ..) => version.clone(),
        (None, Some(at_least), Some(below)) => format!("{at_least} to before {below}"),
        (None, Some(at_least), None) => format!("{at_least} or later"),
        (None, None, Some(below)) => format!("before {below}"),
        (None, None, None) => "-".to_owned(),
    };
    visible(&text)
}

/// Adds the nodes of a cluster by runtime.
fn pools(page: &mut Page, cluster: &MergedCluster) {
    page.heading(&visible(&format!("Nodes of {}", cluster.phrase())));
    if cluster.pools.is_empty() {
        page.line(2, "", Style::new(), "no nodes");
    }
    for pool in &cluster.pools {
        let label = format!("{}: ", visible(&pool.phrase()));
        let text = format!("{}; {}", pool.judged(), pool.hosts());
        page.prose(2, &label, Style::new(), &visible(&text));
    }
}

/// Adds the names of nodes under a title; nothing if there are none.
fn nodes(page: &mut Page, title: &str, nodes: &[String]) {
    if nodes.is_empty() {
        return;
    }
    page.heading(title);
    for node in nodes {
        page.line(2, "", Style::new(), &visible(node));
    }
}

fn skipped(page: &mut Page, report: &MergeReport) {
    if report.skipped.is_empty() {
        return;
    }
    page.heading("Skipped");
    for skipped in &report.skipped {
        let label = format!("{}: ", visible(&skipped.place.to_string()));
        page.prose(2, &label, Style::new(), &visible(&skipped.reason));
    }
    if let Some(more) = report.more_skipped() {
        page.line(2, "", Style::new(), &more);
    }
}

fn summary(page: &mut Page, report: &MergeReport) {
    page.gap();
    if !report.plugins.is_empty() {
        page.line(0, "", Style::new(), &visible(&report.headline()));
    }
    page.line(0, "", Style::new(), &report.phrase());
}
