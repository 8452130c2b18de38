//! The log messages of a test.

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Metadata, Subscriber};

/// Crates whose messages are not those of a plugin.
const TOOLKIT: [&str; 3] = ["nri", "nri_adaptation", "nri_testing"];

/// Collects what the plugin logs with `tracing` on this thread, without the messages of the toolkit itself.
///
/// If one test of a program collects, all tests of the program should: `tracing` may switch off a message for good if a thread
/// without a subscriber logs it first.
///
/// ```
/// let logs = nri_testing::Logs::start();
/// tracing::info!(pods = 2, "synchronized");
/// assert_eq!(logs.lines(), ["synchronized pods=2"]);
/// ```
#[derive(Debug)]
pub struct Logs {
    lines: Lines,
    _guard: DefaultGuard,
}

impl Logs {
    /// Collects messages until it is dropped.
    pub fn start() -> Self {
        let lines = Lines::default();
        let guard = tracing::subscriber::set_default(Collector(Arc::clone(&lines)));
        Logs {
            lines,
            _guard: guard,
        }
    }

    /// Returns the messages with their fields, oldest first.
    pub fn lines(&self) -> Vec<String> {
        lock(&self.lines).clone()
    }
}

type Lines = Arc<Mutex<Vec<String>>>;

fn lock(lines: &Lines) -> MutexGuard<'_, Vec<String>> {
    lines.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Collector(Lines);

impl Subscriber for Collector {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let target = metadata.target();
        let name = target.split("::").next().unwrap_or(target);
        metadata.is_event() && !TOOLKIT.contains(&name)
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        lock(&self.0).push(line.0);
    }

    // Spans are not enabled.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let separator = if self.0.is_empty() { "" } else { " " };
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => write!(self.0, "{separator}{value:?}"),
            name => write!(self.0, "{separator}{name}={value:?}"),
        };
    }
}
