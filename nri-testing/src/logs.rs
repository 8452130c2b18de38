//! The log messages of a test.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nri::__private::{EventSubscriber, Line};
use tracing::Metadata;
use tracing::subscriber::DefaultGuard;

/// Crates whose messages are not those of a plugin.
const TOOLKIT: [&str; 3] = ["nri", "nri_adaptation", "nri_testing"];

/// Collects what the plugin logs with `tracing` on this thread, without the messages of the toolkit
/// itself.
///
/// If one test of a program collects, all tests of the program should: `tracing` may switch off a
/// message for good if a thread without a subscriber logs it first.
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
        let collected = Arc::clone(&lines);
        let guard = tracing::subscriber::set_default(EventSubscriber {
            is_enabled: is_of_plugin,
            write: move |_, line: &Line| lock(&collected).push(line.to_string()),
        });
        Logs { lines, _guard: guard }
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

/// Returns true for messages of the plugin.
fn is_of_plugin(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target();
    let name = target.split("::").next().unwrap_or(target);
    !TOOLKIT.contains(&name)
}
