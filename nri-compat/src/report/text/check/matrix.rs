//! The table of a text report: plugin by target.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use crate::report::check::{CheckReport, Subject, Verdict};
use crate::report::text::layout::Page;
use crate::report::text::palette::Palette;
use crate::report::text::table::{Cell, shortened};

/// The minimum number of columns of a path; with less room the table becomes a list.
const MIN_PATH: usize = 16;

/// Writes a row per plugin with a column per target, and the location of the plugin.
pub(super) fn matrix(
    page: &mut Page,
    report: &CheckReport,
    width: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let judged: Vec<&Subject> = report
        .subjects
        .iter()
        .filter(|subject| !subject.verdicts.is_empty())
        .collect();
    if judged.is_empty() {
        return Ok(());
    }
    let targets: Vec<&str> = report
        .targets
        .iter()
        .map(|target| target.name.as_str())
        .collect();
    let head: Vec<&str> = ["PLUGIN"]
        .into_iter()
        .chain(targets.iter().copied())
        .chain(["WHERE"])
        .collect();
    let room = width.and_then(|width| {
        let room = width.saturating_sub(taken(&judged, &targets));
        (room >= MIN_PATH).then_some(room)
    });
    let palette = page.palette;
    let rows = || {
        judged
            .iter()
            .map(|subject| row(subject, &targets, room, palette))
    };
    page.write_table(&head, rows, out)
}

/// Returns the number of columns of everything except the path.
fn taken(judged: &[&Subject], targets: &[&str]) -> usize {
    let longest = judged.iter().map(|subject| subject.label().width()).max();
    let verdicts = targets.iter().map(|target| {
        let cells = judged.iter().filter_map(|subject| verdict(subject, target));
        let widest = cells.map(|verdict| word(verdict).width()).max();
        widest.unwrap_or(0).max(target.width()) + 2
    });
    longest.unwrap_or(0).max("PLUGIN".len()) + verdicts.sum::<usize>() + 2
}

fn row(subject: &Subject, targets: &[&str], room: Option<usize>, palette: Palette) -> Vec<Cell> {
    let path = match room {
        Some(room) => shortened(&subject.place.to_string(), room),
        None => subject.place.to_string(),
    };
    let verdicts = targets
        .iter()
        .map(|target| cell(verdict(subject, target), palette));
    let mut cells = vec![Cell::new(subject.label(), palette.strong)];
    cells.extend(verdicts);
    cells.push(Cell::new(path, palette.faint));
    cells
}

fn verdict<'s>(subject: &'s Subject, target: &str) -> Option<&'s Verdict> {
    let mut verdicts = subject.verdicts.iter();
    verdicts.find(|verdict| verdict.target == target)
}

fn cell(verdict: Option<&Verdict>, palette: Palette) -> Cell {
    match verdict {
        Some(verdict) if verdict.suppressed.is_some() => Cell::new(word(verdict), palette.faint),
        Some(verdict) => Cell::new(word(verdict), palette.verdict(verdict.outcome)),
        None => Cell::new("-", palette.faint),
    }
}

/// Returns the outcome in one word, in brackets if it does not count.
fn word(verdict: &Verdict) -> String {
    match verdict.suppressed {
        Some(_) => format!("({})", verdict.outcome.as_str()),
        None => verdict.outcome.as_str().to_owned(),
    }
}
