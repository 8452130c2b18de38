//! The log of the whole test process, as lines: level, message, fields, and the spans that were
//! made.

use std::fmt::{Debug, Write};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

static LINES: LazyLock<Mutex<Vec<String>>> = LazyLock::new(|| {
    tracing::subscriber::set_global_default(Lines).expect("nothing else installs a subscriber");
    Mutex::default()
});

/// Starts to collect.
pub(crate) fn collect() {
    drop(LINES.lock());
}

/// Returns the lines so far that contain all of these.
pub(crate) fn with(parts: &[&str]) -> Vec<String> {
    let lines = LINES.lock().expect("no panic while locked");
    let all = |line: &&String| parts.iter().all(|part| line.contains(part));
    lines.iter().filter(all).cloned().collect()
}

/// Waits for a line that contains all of these, which another thread writes.
pub(crate) fn wait_for(parts: &[&str]) -> String {
    let start = Instant::now();
    loop {
        if let Some(line) = with(parts).pop() {
            return line;
        }
        assert!(start.elapsed() < super::PATIENCE, "no line with {parts:?}");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

struct Lines;

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let _ = write!(self.0, " {field}={value}");
    }
}

impl Line {
    fn keep(self) {
        LINES.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(self.0);
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("nri")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut line = Line(format!("SPAN {}", span.metadata().name()));
        span.record(&mut line);
        line.keep();
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        let mut line = Line("RECORD".to_owned());
        values.record(&mut line);
        line.keep();
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        line.keep();
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
