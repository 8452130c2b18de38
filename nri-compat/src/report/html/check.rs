//! The HTML report of `check` and `logs`.

mod removal;
mod row;

use std::collections::BTreeSet;
use std::io::{self, Write};

use askama::Template;

use super::page::{self, MAX_PLAIN_ROWS, Page};
use super::target::TargetRow;
use super::verdict::{Filter, SUPPRESSED, class};
use crate::report::check::{CheckReport, HOST_PLUGINS, Outcome};
use crate::report::{VisibleReport, written};
use crate::rules::{self, Rule};
use removal::RemovalRow;
use row::PluginRow;

/// Renders the answer of `check` or `logs` as HTML.
pub fn check(report: &CheckReport) -> String {
    written(|out| write_check(&report.visible(), out))
}

/// Writes the answer of `check` or `logs` as HTML.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_check(report: &VisibleReport, out: &mut dyn Write) -> io::Result<()> {
    let page = CheckPage {
        page: Page::new(),
        outcomes: Outcome::ALL.to_vec(),
        host_plugins: HOST_PLUGINS,
        max_plain_rows: MAX_PLAIN_ROWS,
        report,
    };
    page::write(&page, out)
}

#[derive(Template)]
#[template(path = "check.html")]
struct CheckPage<'r> {
    page: Page,
    /// The outcomes, in the order of columns.
    outcomes: Vec<Outcome>,
    /// The note on plugins that are not in pods.
    host_plugins: &'static str,
    /// The number of rows beyond which only visible ones are laid out.
    max_plain_rows: usize,
    report: &'r CheckReport,
}

impl CheckPage<'_> {
    fn has_plugins(&self) -> bool {
        self.report.verdicts().next().is_some()
    }

    /// Returns the counts of verdicts for the title.
    fn outcomes(&self) -> String {
        let headline = self.report.headline();
        headline.unwrap_or_else(|| "no plugin found".to_owned())
    }

    fn targets(&self) -> impl Iterator<Item = TargetRow> {
        let targets = self.report.targets.iter();
        targets.map(|target| {
            let counts = self.report.counts_under(&target.name);
            let counts = Outcome::ALL.map(|outcome| counts.of(outcome));
            TargetRow::new(&target.name, target.notes(), counts)
        })
    }

    /// Returns the planned removals that affect the plugins.
    fn removals(&self) -> Vec<RemovalRow<'_>> {
        removal::rows(self.report)
    }

    /// Returns a filter for every outcome that occurs.
    fn filters(&self) -> Vec<Filter> {
        let counts = self.report.counts();
        let of_outcome = |outcome: Outcome| Filter {
            class: class(outcome),
            word: outcome.as_str(),
            count: counts.of(outcome),
        };
        let suppressed = Filter {
            class: SUPPRESSED,
            word: "suppressed",
            count: counts.suppressed,
        };
        let all = Outcome::ALL.into_iter().map(of_outcome);
        let all = all.chain([suppressed]);
        all.filter(|filter| filter.count > 0).collect()
    }

    fn target_names(&self) -> Vec<&str> {
        let targets = self.report.targets.iter();
        targets.map(|target| target.name.as_str()).collect()
    }

    fn rows(&self) -> impl Iterator<Item = PluginRow<'_>> {
        let judged = self.report.subjects.iter();
        let judged = judged.filter(|subject| !subject.verdicts.is_empty());
        judged.map(|subject| PluginRow::new(subject, &self.report.targets))
    }

    /// Returns the subjects without verdicts: place and nature.
    fn others(&self) -> impl Iterator<Item = (String, String)> {
        let others = self.report.subjects.iter();
        let others = others.filter(|subject| subject.verdicts.is_empty());
        others.map(|subject| (subject.place.to_string(), subject.nature()))
    }

    /// Returns the skipped places with the reasons.
    fn skipped(&self) -> impl Iterator<Item = (String, &str)> {
        let skipped = self.report.skipped.iter();
        skipped.map(|skipped| (skipped.place.to_string(), skipped.reason.as_str()))
    }

    /// Returns the rules behind the verdicts.
    fn rules(&self) -> impl Iterator<Item = &'static Rule> {
        let ids: BTreeSet<&str> = self
            .report
            .verdicts()
            .map(|(_, verdict)| verdict.rule)
            .collect();
        ids.into_iter().filter_map(rules::get)
    }

    /// Returns the node and time of the report.
    fn origin(&self) -> Option<String> {
        let summary = &self.report.summary;
        match (&summary.node, &summary.at) {
            (Some(node), Some(at)) => Some(format!("{node}, {at}")),
            (Some(known), None) | (None, Some(known)) => Some(known.clone()),
            (None, None) => None,
        }
    }
}
