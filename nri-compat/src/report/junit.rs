//! JUnit XML for CI systems: <https://github.com/testmoapp/junitxml>
//!
//! A test case fails if its finding is a warning or an error; a note passes, with its text as
//! output; cases that are suppressed or cannot be determined are skipped.

use std::io::{self, Write};

use super::check::CheckReport;
#[cfg(feature = "conformance")]
use super::conformance::ConformanceReport;
use super::diff::DiffReport;
#[cfg(feature = "conformance")]
use super::template::conformance_context;
use super::template::{self, check_context, diff_context};
use super::written;

/// Renders the answer of `check` or `logs` as JUnit XML: a suite per target, a case per plugin. Skipped places are a
/// separate suite.
pub fn check(report: &CheckReport) -> String {
    written(|out| write_check(report.clone(), out))
}

/// Writes the same, piece by piece.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_check(report: CheckReport, out: &mut dyn Write) -> io::Result<()> {
    template::write("check.xml", check_context(report), out)
}

/// Renders the findings of `diff` as JUnit XML, a case per rule; without findings, there is one case that passed.
pub fn diff(report: &DiffReport) -> String {
    written(|out| template::write("diff.xml", diff_context(report), out))
}

/// Renders the answer of `conformance` as JUnit XML: a suite per statement, a case per test and revision.
#[cfg(feature = "conformance")]
pub fn conformance(report: &ConformanceReport) -> String {
    written(|out| template::write("conformance.xml", conformance_context(report), out))
}
