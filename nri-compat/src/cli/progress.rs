//! Progress displays on standard error, which are only shown on a terminal.

use std::io::{IsTerminal as _, stderr};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::check::progress::{Counts, Progress};
use crate::report::bytes;

/// The time after which the display appears.
const DELAY: Duration = Duration::from_secs(1);

/// The interval between updates.
const TICK: Duration = Duration::from_millis(100);

/// Runs the work, and shows its progress if it takes more than a second.
pub(super) fn shown<T>(work: impl FnOnce(&Progress) -> T) -> T {
    let progress = Progress::default();
    if !stderr().is_terminal() {
        return work(&progress);
    }
    thread::scope(|scope| {
        let (working, ended) = channel();
        scope.spawn(|| watch(&progress, ended));
        let done = work(&progress);
        drop(working);
        done
    })
}

/// Shows the progress until the other end of the channel is dropped, then removes the display.
fn watch(progress: &Progress, ended: Receiver<()>) {
    let mut bar: Option<ProgressBar> = None;
    let mut wait = DELAY;
    while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        let counts = progress.now();
        let bar = bar.get_or_insert_with(|| started(counts));
        bar.set_length(counts.expected.max(counts.bytes));
        bar.set_position(counts.bytes);
        bar.set_message(message(counts));
        bar.tick();
        wait = TICK;
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

/// Returns a progress bar if the total is known, else a spinner.
fn started(counts: Counts) -> ProgressBar {
    let template = match counts.expected {
        0 => "{spinner} {msg}",
        _ => "[{bar:40}] {msg}",
    };
    bar(counts.expected, template).with_message(message(counts))
}

fn bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn message(counts: Counts) -> String {
    let read = match counts.expected {
        0 => bytes(counts.bytes),
        expected => format!("{} of {}", bytes(counts.bytes), bytes(expected)),
    };
    format!("{} files, {read}", counts.files)
}

/// A progress bar with the current test. It is only shown on a terminal, and removed when dropped.
#[cfg(feature = "conformance")]
pub(super) struct Steps(ProgressBar);

#[cfg(feature = "conformance")]
impl Steps {
    /// Creates a display that shows this message until the first test begins.
    pub(super) fn new(message: &str) -> Self {
        let bar = bar(0, "[{bar:40}] {pos} of {len} {msg}");
        Self(bar.with_message(message.to_owned()))
    }

    /// Shows that a test begins after `number` of all tests.
    pub(super) fn begins(&self, number: usize, all: usize, test: &nri_conformance::plugin::Test) {
        let statement = test.statements.first().copied().unwrap_or_default();
        self.0.set_length(all as u64);
        self.0.set_position(number as u64);
        self.0.set_message(format!("{statement} {}", test.name));
    }
}

#[cfg(feature = "conformance")]
impl Drop for Steps {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_omits_unknown_totals() {
        let mut counts = Counts { files: 12, bytes: 2048, ..Counts::default() };
        assert_eq!(message(counts), "12 files, 2.0 KiB");
        counts.expected = 4096;
        assert_eq!(message(counts), "12 files, 2.0 KiB of 4.0 KiB");
    }
}
