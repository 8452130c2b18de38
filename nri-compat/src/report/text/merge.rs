//! The text report of `merge`.

use std::collections::BTreeSet;

use anstyle::Style;

use super::layout::{Page, counted};
use super::width::Look;
use crate::report::merge::{MergeReport, MergedPlugin};
use crate::report::visible;

/// Renders the answer of `merge` as text.
pub fn merge(report: &MergeReport, look: impl Into<Look>) -> String {
    let mut page = Page::new(look.into());
    let verdicts = report.plugins.iter().flat_map(|plugin| &plugin.verdicts);
    let targets: BTreeSet<&str> = verdicts.map(|verdict| verdict.target.as_str()).collect();
    plugins(&mut page, &report.plugins, &targets);
    nodes(&mut page, "Silent nodes", &report.silent);
    nodes(
        &mut page,
        "Nodes of a cluster without a report of their own: plugins on these hosts are unknown",
        &report.without_host,
    );
    nodes(
        &mut page,
        "Nodes that no report of a cluster has: plugins in their pods may be unknown",
        &report.without_cluster,
    );
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
    cells.extend(targets.iter().map(|target| outcomes(plugin, target)));
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

/// Returns `deprecated 40, ok 2`, the worst first; without a number if all nodes agree.
fn outcomes(plugin: &MergedPlugin, target: &str) -> String {
    let verdict = plugin
        .verdicts
        .iter()
        .find(|verdict| verdict.target == target);
    let mut all: Vec<_> = verdict
        .into_iter()
        .flat_map(|verdict| verdict.outcomes())
        .collect();
    all.reverse();
    match all.as_slice() {
        [] => "-".to_owned(),
        [(outcome, count)] if *count == plugin.nodes => outcome.as_str().to_owned(),
        all => {
            let each = all
                .iter()
                .map(|(outcome, count)| format!("{} {count}", outcome.as_str()));
            each.collect::<Vec<_>>().join(", ")
        }
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
    let listed = report.skipped.len() as u64;
    if report.skipped_in_all > listed {
        let more = format!("and {} more", report.skipped_in_all - listed);
        page.line(2, "", Style::new(), &more);
    }
}

fn summary(page: &mut Page, report: &MergeReport) {
    let count = |count: u64, noun| counted(usize::try_from(count).unwrap_or(usize::MAX), noun);
    let mut facts = vec![
        format!(
            "{} of {}",
            count(report.reports, "report"),
            count(report.nodes, "node")
        ),
        count(report.plugins.len() as u64, "plugin"),
    ];
    let mut add = |count: u64, fact: String| {
        if count > 0 {
            facts.push(fact);
        }
    };
    add(
        report.superseded,
        format!("{} superseded", report.superseded),
    );
    add(report.clusters, count(report.clusters, "cluster"));
    add(
        report.unnamed,
        format!("{} without the name of a node", report.unnamed),
    );
    let silent = report.silent.len() as u64;
    add(
        report.expected,
        format!(
            "{silent} of {} silent",
            count(report.expected, "expected node")
        ),
    );
    add(
        report.beyond,
        format!("{} findings beyond the limits", report.beyond),
    );
    facts.push(format!("{} skipped", report.skipped_in_all));
    page.gap();
    page.line(0, "", Style::new(), &facts.join(", "));
}
