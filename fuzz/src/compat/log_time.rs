//! Parses any text as a time of `logs --since`, without a panic. An error quotes the text.

use nri_compat::check::logs::parse_time;

/// Runs the target once.
pub(crate) fn run(text: &str) {
    if let Err(error) = parse_time(text) {
        assert!(error.contains(text));
    }
}
