//! The HTML report of `merge`.

use std::io::{self, Write};

use askama::Template;

use super::page::{self, MAX_PLAIN_ROWS, Page};
use super::target::TargetRow;
use super::verdict::{Filter, class};
use crate::report::check::Outcome;
use crate::report::count::counted;
use crate::report::merge::{MergeReport, MergedPlugin, WITHOUT_CLUSTER, WITHOUT_HOST};
use crate::report::written;

/// Renders the answer of `merge` as HTML.
pub fn merge(report: &MergeReport) -> String {
    written(|out| write_merge(report, out))
}

/// Writes the answer of `merge` as HTML.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_merge(report: &MergeReport, out: &mut dyn Write) -> io::Result<()> {
    let report = &report.visible();
    let page = MergePage {
        page: Page::new(),
        outcomes: Outcome::ALL.to_vec(),
        targets: report.targets().into_iter().collect(),
        max_plain_rows: MAX_PLAIN_ROWS,
        without_host: WITHOUT_HOST,
        without_cluster: WITHOUT_CLUSTER,
        report,
    };
    page::write(&page, out)
}

#[derive(Template)]
#[template(path = "merge.html")]
struct MergePage<'r> {
    page: Page,
    /// The outcomes, in the order of columns.
    outcomes: Vec<Outcome>,
    /// The targets, in the order of columns.
    targets: Vec<&'r str>,
    /// The number of rows beyond which only visible ones are laid out.
    max_plain_rows: usize,
    /// The title of the nodes that only a report of a cluster has.
    without_host: &'static str,
    /// The title of the nodes that no report of a cluster has.
    without_cluster: &'static str,
    report: &'r MergeReport,
}

/// A plugin in the matrix.
struct MergedPluginRow<'r> {
    name: String,
    place: &'r str,
    built: String,
    nodes: u64,
    /// The outcomes under each target.
    cells: Vec<Vec<NodesCell>>,
    /// The times of the first and the last report.
    seen: [Moment<'r>; 2],
    handles: String,
    events: &'r [String],
}

/// A time as two lines of a cell.
#[derive(Clone, Copy)]
struct Moment<'r> {
    day: &'r str,
    /// The time of day; empty if unknown.
    time: &'r str,
}

/// An outcome under a target.
struct NodesCell {
    class: &'static str,
    word: &'static str,
    /// The number of nodes, unless all nodes agree.
    nodes: Option<u64>,
}

impl MergePage<'_> {
    fn nodes(&self) -> String {
        counted(
            usize::try_from(self.report.nodes).unwrap_or(usize::MAX),
            "node",
        )
    }

    fn rows(&self) -> impl Iterator<Item = MergedPluginRow<'_>> {
        let plugins = self.report.plugins.iter();
        plugins.map(|plugin| MergedPluginRow::new(plugin, &self.targets))
    }

    /// Returns the targets with the number of plugins by their worst verdict on any node.
    fn target_rows(&self) -> impl Iterator<Item = TargetRow> {
        let row = |target: &&str| {
            let counts = self.report.counts_under(target);
            let counts = Outcome::ALL.map(|outcome| counts.of(outcome));
            TargetRow::new(target, None, counts)
        };
        self.targets.iter().map(row)
    }

    /// Returns a filter for each outcome that occurs, with the number of plugins.
    fn filters(&self) -> Vec<Filter> {
        let of_outcome = |outcome: Outcome| {
            let plugins = self.report.plugins.iter();
            let count = plugins.filter(|plugin| has(plugin, outcome)).count();
            Filter {
                class: class(outcome),
                word: outcome.as_str(),
                count,
            }
        };
        let all = Outcome::ALL.into_iter().map(of_outcome);
        all.filter(|filter| filter.count > 0).collect()
    }

    /// Returns the skipped inputs with the reasons.
    fn skipped(&self) -> impl Iterator<Item = (String, &str)> {
        let skipped = self.report.skipped.iter();
        skipped.map(|skipped| (skipped.place.to_string(), skipped.reason.as_str()))
    }

    /// Returns the number of skipped inputs that are not listed.
    fn more_skipped(&self) -> Option<String> {
        self.report.more_skipped()
    }
}

impl<'r> MergedPluginRow<'r> {
    fn new(plugin: &'r MergedPlugin, targets: &[&str]) -> Self {
        let cells = targets.iter().map(|target| cells(plugin, target));
        Self {
            name: plugin.label(),
            place: &plugin.path,
            built: plugin.nri.phrase().unwrap_or_else(|| "-".to_owned()),
            nodes: plugin.nodes,
            cells: cells.collect(),
            seen: [&plugin.first_seen, &plugin.last_seen].map(|at| Moment::new(at.as_deref())),
            handles: counted(plugin.events.len(), "event"),
            events: &plugin.events,
        }
    }
}

impl<'r> Moment<'r> {
    fn new(at: Option<&'r str>) -> Self {
        let at = at.unwrap_or("-");
        let (day, time) = at.split_once('T').unwrap_or((at, ""));
        Self { day, time }
    }
}

fn cells(plugin: &MergedPlugin, target: &str) -> Vec<NodesCell> {
    let outcomes = plugin.outcomes_under(target).into_iter();
    let cell = |(outcome, nodes): (Outcome, u64)| NodesCell {
        class: class(outcome),
        word: outcome.as_str(),
        nodes: (nodes != plugin.nodes).then_some(nodes),
    };
    outcomes.map(cell).collect()
}

fn has(plugin: &MergedPlugin, outcome: Outcome) -> bool {
    let verdicts = plugin.verdicts.iter();
    verdicts
        .flat_map(|verdict| verdict.outcomes())
        .any(|(it, _)| it == outcome)
}
