//! JUnit XML, as CI systems collect it: <https://github.com/testmoapp/junitxml>
//!
//! A test case fails when its finding is a warning or an error; a note passes, with what it has to say as output;
//! what is suppressed or cannot be told is skipped.

mod check;
mod diff;
mod write;

pub use check::{check, write_check};
pub use diff::diff;

/// A suite of test cases.
struct Suite<'r> {
    name: String,
    cases: Cases<'r>,
}

/// Makes the cases of a suite, of which there may be many: once to count them, once to write them.
type Cases<'r> = Box<dyn Fn() -> Box<dyn Iterator<Item = Case> + 'r> + 'r>;

/// A test case and how it went.
struct Case {
    class: String,
    name: String,
    file: Option<String>,
    went: Went,
}

/// How a test case went.
enum Went {
    /// Well.
    Passed,
    /// Well, but there is something to say.
    Noted(String),
    /// It does not count: why.
    Skipped(String),
    /// It failed: kind, fact, and the whole text.
    Failed {
        kind: String,
        message: String,
        text: String,
    },
}
