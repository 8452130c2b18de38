//! JUnit XML for CI systems: <https://github.com/testmoapp/junitxml>
//!
//! A test case fails if its finding is a warning or an error; a note passes, with its text as
//! output; cases that are suppressed or cannot be determined are skipped.

#[cfg(feature = "conformance")]
mod conformance;
mod diff;
mod write;

#[cfg(feature = "conformance")]
pub use conformance::conformance;
pub use diff::diff;

use std::io::{self, Write};

use super::check::CheckReport;
use super::template::{self, check_context};
use super::written;

/// Renders the result of `check` or `logs` as JUnit XML: a suite per target, a case per plugin. Skipped places are a
/// separate suite.
pub fn check(report: &CheckReport) -> String {
    written(|out| write_check(report.clone(), out))
}

/// Writes the answer of `check` or `logs` as JUnit XML.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_check(report: CheckReport, out: &mut dyn Write) -> io::Result<()> {
    template::write("check.xml", check_context(report), out)
}

/// A suite of test cases.
struct Suite<'r> {
    name: String,
    cases: Cases<'r>,
}

/// A function that creates the cases of a suite. There may be many, so they are created twice, once to
/// count them and once to write them.
type Cases<'r> = Box<dyn Fn() -> Box<dyn Iterator<Item = Case> + 'r> + 'r>;

/// A test case and its result.
struct Case {
    class: String,
    name: String,
    file: Option<String>,
    /// The line in the file, counted from 1, if known.
    line: Option<u32>,
    result: CaseResult,
}

/// The result of a test case.
enum CaseResult {
    /// It passed.
    Passed,
    /// It passed, with this note.
    Noted(String),
    /// It does not count, for this reason.
    Skipped(String),
    /// It failed: kind, fact, and the whole text.
    Failed {
        kind: String,
        message: String,
        text: String,
    },
}
