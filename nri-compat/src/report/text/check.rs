//! The text report of `check` and `logs`.

mod finding;
mod matrix;

use std::io::{self, Write};

use anstyle::Style;

use super::layout::Page;
use super::palette::Palette;
use super::width::{Look, Width};
use crate::report::check::{CheckReport, ClusterView, HOST_PLUGINS, Skipped, Subject};
use crate::report::{VisibleReport, written};

/// The style of the text report of `check`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckText {
    /// The colours, or none.
    pub palette: Palette,
    /// The columns of the terminal, from 20 to 200; `None` means that tables are not shortened.
    pub width: Option<usize>,
    /// True if the evidence behind every verdict is shown, including `ok`.
    pub explain: bool,
}

/// Renders the answer of `check` or `logs` as text.
pub fn check(report: &CheckReport, look: &CheckText) -> String {
    written(|out| write_check(&report.visible(), look, out))
}

/// Writes the answer of `check` or `logs` as text.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_check(
    report: &VisibleReport,
    look: &CheckText,
    out: &mut dyn Write,
) -> io::Result<()> {
    let width = look.width.map_or_else(Width::default, Width::columns);
    let mut page = Page::new(Look {
        palette: look.palette,
        width,
    });
    matrix::matrix(&mut page, report, width.requested(), out)?;
    finding::findings(&mut page, &report.subjects, look.explain, out)?;
    others(&mut page, &report.subjects);
    if let Some(cluster) = &report.cluster {
        nodes(&mut page, cluster);
    }
    skipped(&mut page, &report.skipped);
    policy(&mut page, &report.policy);
    summary(&mut page, report);
    page.write_to(out)
}

/// Adds runtimes and users of the library, which have no verdicts.
fn others(page: &mut Page, subjects: &[Subject]) {
    let others = subjects
        .iter()
        .filter(|subject| subject.verdicts.is_empty());
    for (nth, other) in others.enumerate() {
        if nth == 0 {
            page.heading("Also found, without verdicts");
        }
        page.prose(
            2,
            &format!("{}: ", other.place),
            Style::new(),
            &other.nature(),
        );
    }
}

/// Adds the nodes by runtime.
fn nodes(page: &mut Page, cluster: &ClusterView) {
    page.heading("Nodes");
    let style = page.palette.strong;
    for pool in &cluster.pools {
        page.prose(2, &format!("{}: ", pool.phrase()), style, &pool.judged());
    }
    page.prose(2, "note: ", style, HOST_PLUGINS);
}

fn skipped(page: &mut Page, all: &[Skipped]) {
    if all.is_empty() {
        return;
    }
    page.heading("Skipped");
    for skipped in all {
        page.prose(
            2,
            &format!("{}: ", skipped.place),
            Style::new(),
            &skipped.reason,
        );
    }
}

fn policy(page: &mut Page, notes: &[String]) {
    if notes.is_empty() {
        return;
    }
    page.heading("Policy");
    let style = page.palette.strong;
    for note in notes {
        page.prose(2, "warning: ", style, note);
    }
}

/// Adds the counts of verdicts, the targets and the places that were checked.
fn summary(page: &mut Page, report: &CheckReport) {
    page.gap();
    match report.headline() {
        Some(headline) => page.prose(0, "", Style::new(), &headline),
        None => page.line(0, "no plugin found", Style::new(), ""),
    }
    if let Some((label, targets)) = report.targets_phrase() {
        page.prose(0, label, Style::new(), &targets);
    }
    page.prose(0, "", Style::new(), &report.summary.phrase());
}
