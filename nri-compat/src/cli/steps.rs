//! The progress of tests on standard error, shown only on a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use nri_conformance::plugin::Progress;

/// A progress bar with the current test. It is only shown on a terminal, and removed when dropped.
pub(super) struct Steps(ProgressBar);

impl Steps {
    /// Creates a display that shows this message until the first test begins.
    pub(super) fn new(message: &str) -> Self {
        let style = ProgressStyle::with_template("[{bar:40}] {pos} of {len} {msg}");
        let bar = ProgressBar::new(0)
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
            .with_message(message.to_owned());
        Self(bar)
    }
}

impl Progress for Steps {
    fn begins(&self, number: usize, all: usize, statement: &str, test: &str) {
        self.0.set_length(all as u64);
        self.0.set_position(number as u64);
        self.0.set_message(format!("{statement} {test}"));
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
