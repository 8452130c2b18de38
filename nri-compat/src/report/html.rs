//! HTML for browsers: one self-contained file per report, which loads nothing and also works without
//! its script.

use std::io::{self, Write};

use super::check::CheckReport;
use super::diff::DiffReport;
use super::merge::MergeReport;
use super::template::{self, check_context, diff_context, merge_context};
use super::written;

/// Renders the answer of `check` or `logs` as HTML.
pub fn check(report: &CheckReport) -> String {
    written(|out| write_check(report.clone(), out))
}

/// Writes the same, piece by piece.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_check(report: CheckReport, out: &mut dyn Write) -> io::Result<()> {
    template::write("check.html", check_context(report), out)
}

/// Renders the answer of `diff` as HTML.
pub fn diff(report: &DiffReport) -> String {
    written(|out| template::write("diff.html", diff_context(report), out))
}

/// Renders the answer of `merge` as HTML.
pub fn merge(report: &MergeReport) -> String {
    written(|out| template::write("merge.html", merge_context(report), out))
}
