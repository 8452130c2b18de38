//! CSV for spreadsheets and small scripts: one row per verdict or finding, quoted as in RFC 4180.

use std::io::{self, Write};

use super::check::CheckReport;
use super::diff::DiffReport;
use super::template::{self, check_context, diff_context};
use super::written;

/// Renders the answer of `check` or `logs` as CSV: a row for each verdict, for each subject without
/// verdicts, for each node pool of a cluster, whose kind is `node_pool`, and for each skipped file,
/// whose verdict is `skipped`. Several events in a cell are separated by spaces.
pub fn check(report: &CheckReport) -> String {
    written(|out| write_check(report.clone(), out))
}

/// Writes the same, piece by piece.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_check(report: CheckReport, out: &mut dyn Write) -> io::Result<()> {
    template::write("check.csv", check_context(report), out)
}

/// Renders the findings of `diff` as CSV, one row each.
pub fn diff(report: &DiffReport) -> String {
    written(|out| template::write("diff.csv", diff_context(report), out))
}
