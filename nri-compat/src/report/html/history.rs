//! The HTML reports of `versions` and `runtimes`.

use askama::Template;

use super::page::{self, Page};
use crate::report::count::counted;
use crate::report::history::{RuntimeRange, RuntimeReport, RuntimesReport, VersionsReport};
use crate::report::written;

/// Renders the answer of `versions` as HTML.
pub fn versions(report: &VersionsReport) -> String {
    let page = VersionsPage {
        page: Page::new(),
        report,
    };
    written(|out| page::write(&page, out))
}

/// Renders the answer of `runtimes` without a release as HTML.
pub fn runtimes(report: &RuntimesReport) -> String {
    let page = RuntimesPage {
        page: Page::new(),
        report,
    };
    written(|out| page::write(&page, out))
}

/// Renders the answer of `runtimes NAME@VERSION` as HTML.
pub fn runtime(report: &RuntimeReport) -> String {
    let page = RuntimePage {
        page: Page::new(),
        mask: mask(report.mask),
        report,
    };
    written(|out| page::write(&page, out))
}

#[derive(Template)]
#[template(path = "versions.html")]
struct VersionsPage<'r> {
    page: Page,
    report: &'r VersionsReport,
}

#[derive(Template)]
#[template(path = "runtimes.html")]
struct RuntimesPage<'r> {
    page: Page,
    report: &'r RuntimesReport,
}

#[derive(Template)]
#[template(path = "runtime.html")]
struct RuntimePage<'r> {
    page: Page,
    /// The event mask in hexadecimal.
    mask: String,
    report: &'r RuntimeReport,
}

impl VersionsPage<'_> {
    fn lead(&self) -> String {
        let rows = &self.report.rows;
        let count = counted(rows.len(), "release");
        match rows.last() {
            Some(newest) => format!("{count}, the newest {} of {}", newest.release, newest.date),
            None => count,
        }
    }
}

impl RuntimesPage<'_> {
    fn lead(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for row in &self.report.rows {
            if !names.contains(&row.runtime.as_str()) {
                names.push(&row.runtime);
            }
        }
        format!("Releases of {} that link the same NRI", names.join(" and "))
    }

    /// Returns the ranges with their event masks.
    fn rows(&self) -> impl Iterator<Item = (&RuntimeRange, String)> {
        let rows = self.report.rows.iter();
        rows.map(|row| (row, mask(row.mask)))
    }
}

/// Returns an event mask in hexadecimal; `-` if there is none.
fn mask(mask: Option<u32>) -> String {
    mask.map_or_else(|| "-".to_owned(), |mask| format!("{mask:#x}"))
}
