//! The text report of `merge`.

use std::collections::BTreeSet;

use anstyle::Style;

use super::layout::{Page, Palette, counted};
use crate::report::merge::{MergeReport, MergedPlugin};
use crate::report::visible;

/// Renders the answer of `merge` as text.
pub fn merge(report: &MergeReport, palette: Palette) -> String {
    let mut page = Page::new(palette);
    let verdicts = report.plugins.iter().flat_map(|plugin| &plugin.verdicts);
    let targets: BTreeSet<&str> = verdicts.map(|verdict| verdict.target.as_str()).collect();
    plugins(&mut page, &report.plugins, &targets);
    skipped(&mut page, report);
    summary(&mut page, report);
    page.finish()
}

fn plugins(page: &mut Page, plugins: &[MergedPlugin], targets: &BTreeSet<&str>) {
    if plugins.is_empty() {
        return page.line("no plugins");
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

/// The release, or what is known of it.
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

/// `deprecated 40, ok 2`, the worst first; no number where all nodes agree.
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

fn skipped(page: &mut Page, report: &MergeReport) {
    if report.skipped.is_empty() {
        return;
    }
    page.heading("Skipped");
    for one in &report.skipped {
        let label = format!("{}: ", visible(&one.place.to_string()));
        page.prose(2, &label, Style::new(), &visible(&one.reason));
    }
    let listed = report.skipped.len() as u64;
    if report.skipped_in_all > listed {
        page.line(format_args!(
            "  and {} more",
            report.skipped_in_all - listed
        ));
    }
}

fn summary(page: &mut Page, report: &MergeReport) {
    let count = |count: u64, noun| counted(usize::try_from(count).unwrap_or(usize::MAX), noun);
    let mut line = format!(
        "\n{}, one a node: {}, {} skipped",
        count(report.reports, "report"),
        count(report.plugins.len() as u64, "plugin"),
        report.skipped_in_all
    );
    if report.beyond > 0 {
        line.push_str(&format!(
            "; {} beyond those kept apart",
            count(report.beyond, "plugin")
        ));
    }
    page.line(line);
}
