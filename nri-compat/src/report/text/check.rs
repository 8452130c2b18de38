//! The text report of `check` and `logs`.

mod finding;
mod matrix;

use std::io::{self, Write};

use anstyle::Style;

use super::layout::{Page, Palette};
use crate::report::check::{CheckReport, Skipped, Subject};
use crate::report::{VisibleReport, written};

/// How the text report of `check` looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckText {
    /// Colours, or none.
    pub palette: Palette,
    /// Columns of the terminal; nothing is shortened without one.
    pub width: Option<usize>,
    /// Whether to show the evidence behind every verdict, good ones too.
    pub explain: bool,
}

/// Narrower terminals get longer lines than they can show.
const NARROWEST: usize = 40;

/// Wider terminals get shorter lines than they can show, as prose is hard to read there.
const WIDEST: usize = 120;

/// Renders the answer of `check` or `logs` as text.
pub fn check(report: &CheckReport, look: &CheckText) -> String {
    written(|out| write_check(&report.visible(), look, out))
}

/// Writes the answer of `check` or `logs` as text.
///
/// # Errors
///
/// When `out` cannot be written.
pub fn write_check(
    report: &VisibleReport,
    look: &CheckText,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(look.palette);
    if let Some(width) = look.width {
        page = page.with_width(width.clamp(NARROWEST, WIDEST));
    }
    matrix::matrix(&mut page, report, look.width, out)?;
    finding::findings(&mut page, &report.subjects, look.explain, out)?;
    others(&mut page, &report.subjects);
    skipped(&mut page, &report.skipped);
    policy(&mut page, &report.policy);
    summary(&mut page, report);
    page.write_to(out)
}

/// Runtimes, users of the library: found, but nothing to judge.
fn others(page: &mut Page, subjects: &[Subject]) {
    let others = subjects.iter().filter(|one| one.verdicts.is_empty());
    for (nth, other) in others.enumerate() {
        if nth == 0 {
            page.heading("Found besides, with nothing to judge");
        }
        page.prose(
            2,
            &format!("{}: ", other.place),
            Style::new(),
            &other.nature(),
        );
    }
}

fn skipped(page: &mut Page, all: &[Skipped]) {
    if all.is_empty() {
        return;
    }
    page.heading("Skipped");
    for one in all {
        page.prose(2, &format!("{}: ", one.place), Style::new(), &one.reason);
    }
}

fn policy(page: &mut Page, notes: &[String]) {
    if notes.is_empty() {
        return;
    }
    page.heading("The policy itself");
    let style = page.palette.strong();
    for note in notes {
        page.prose(2, "warning: ", style, note);
    }
}

/// What was judged, against what, and what was looked at: there whatever was found.
fn summary(page: &mut Page, report: &CheckReport) {
    page.gap();
    if report.verdicts().next().is_some() {
        page.prose(0, "", Style::new(), &report.outcomes());
    } else {
        page.line("no plugin found");
    }
    if let Some((label, targets)) = report.targets_phrase() {
        page.prose(0, label, Style::new(), &targets);
    }
    page.prose(0, "", Style::new(), &report.summary.phrase());
}
