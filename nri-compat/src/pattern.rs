//! Regular expressions that are constants of the source code.

use regex::Regex;

/// Compiles a constant pattern.
///
/// # Panics
///
/// Panics if the pattern is invalid, which the first test that uses it shows.
pub(crate) fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant")
}
