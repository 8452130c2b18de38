//! The text reports of `versions` and `runtimes`.

use anstyle::Style;

use super::layout::Page;
use super::width::Look;
use crate::report::count::counted;
use crate::report::group::short;
use crate::report::history::{
    RuntimeDeprecation, RuntimeRange, RuntimeReport, RuntimesReport, VersionsReport,
};

/// Renders the answer of `versions` as a table.
pub fn versions(report: &VersionsReport, look: impl Into<Look>) -> String {
    let mut page = Page::new(look.into());
    let rows: Vec<Vec<String>> = report
        .rows
        .iter()
        .map(|row| {
            let shipped = if row.runtimes.is_empty() {
                "-".into()
            } else {
                row.runtimes.join(", ")
            };
            vec![
                row.release.clone(),
                row.revision.clone(),
                row.date.clone(),
                row.rpcs.to_string(),
                row.events.to_string(),
                shipped,
            ]
        })
        .collect();
    page.table(
        &[
            "RELEASE",
            "REVISION",
            "DATE",
            "RPCS",
            "EVENTS",
            "SHIPPED BY",
        ],
        &rows,
    );
    let date = format!("data of {}", report.data_date);
    page.line(0, "", Style::new(), &date);
    page.finish()
}

/// Renders the answer of `runtimes` without a name as a table.
pub fn runtimes(report: &RuntimesReport, look: impl Into<Look>) -> String {
    let mut page = Page::new(look.into());
    let rows: Vec<Vec<String>> = report.rows.iter().map(range_row).collect();
    page.table(
        &[
            "RUNTIME",
            "RELEASES",
            "DATES",
            "NRI",
            "REVISION",
            "EVENT MASK",
        ],
        &rows,
    );
    page.finish()
}

fn range_row(row: &RuntimeRange) -> Vec<String> {
    let range = |first: &str, last: &str| {
        if first == last {
            first.to_owned()
        } else {
            format!("{first}–{last}")
        }
    };
    let mask = row.mask.map_or("-".to_owned(), |mask| format!("{mask:#x}"));
    vec![
        row.runtime.clone(),
        range(&row.first, &row.last),
        range(&row.first_date, &row.last_date),
        row.nri.clone(),
        row.revision
            .clone()
            .unwrap_or_else(|| "one-shot, no protocol".to_owned()),
        mask,
    ]
}

/// Renders the answer of `runtimes NAME@VERSION`.
pub fn runtime(report: &RuntimeReport, look: impl Into<Look>) -> String {
    let mut page = Page::new(look.into());
    let title = format!("{} {}", report.runtime, report.release);
    let date = format!(", {}", report.date);
    page.line(0, &title, page.palette.strong, &date);
    page.gap();
    protocol(&mut page, report);
    if !report.events.is_empty() {
        events(&mut page, report);
    }
    deprecations(&mut page, &report.deprecations);
    if report.revision.is_some() {
        lost_fields(&mut page, report);
    }
    page.finish()
}

fn protocol(page: &mut Page, report: &RuntimeReport) {
    let strong = page.palette.strong;
    match &report.revision {
        Some(revision) => {
            let facts = format!("{} (protocol revision {revision})", report.nri);
            page.prose(2, "links NRI   ", strong, &facts);
        }
        None => {
            let facts = format!("{}: one-shot JSON plugins, no protocol", report.nri);
            page.prose(2, "links NRI   ", strong, &facts);
        }
    }
    if let Some(mask) = report.mask {
        let facts = format!(
            "{mask:#x} ({}); a plugin that subscribes to any other bit is dropped",
            counted(report.events.len(), "event")
        );
        page.prose(2, "event mask  ", strong, &facts);
    }
}

fn events(page: &mut Page, report: &RuntimeReport) {
    page.heading("Events");
    let rows: Vec<Vec<String>> = report
        .events
        .iter()
        .map(|event| {
            vec![
                format!("  {}", event.number),
                event.name.clone(),
                event.rpc.clone(),
            ]
        })
        .collect();
    page.table(&["   #", "EVENT", "SENT AS"], &rows);
}

fn deprecations(page: &mut Page, all: &[RuntimeDeprecation]) {
    page.heading("Deprecated here");
    if all.is_empty() {
        page.line(2, "nothing", Style::new(), "");
    }
    for deprecation in all {
        let warns = if deprecation.warns {
            "warns the operator"
        } else {
            "without warning the operator"
        };
        let facts = format!("{}, removal {}", deprecation.summary, deprecation.removal);
        page.prose(2, "", Style::new(), &format!("{facts}; {warns}"));
        page.prose(4, "help: ", page.palette.strong, &deprecation.remedy);
    }
}

fn lost_fields(page: &mut Page, report: &RuntimeReport) {
    page.heading(&format!("Ignored if sent by a plugin of {}", report.newest));
    if report.lost_fields.is_empty() {
        page.line(2, "nothing", Style::new(), "");
        return;
    }
    for field in &report.lost_fields {
        let fact = format!("{} (since {})", short(&field.element), field.since);
        page.line(2, "", Style::new(), &fact);
    }
}
