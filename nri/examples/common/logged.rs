//! The logs of a test.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use tracing::subscriber::DefaultGuard;

/// Collects what the examples log on this thread, without the logs of `nri` itself.
///
/// If one test of an example has it, all have: tracing may switch off a message for good that a
/// thread without subscriber is about to log when another thread starts to collect.
pub(crate) struct Logs {
    written: Written,
    _guard: DefaultGuard,
}

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        written.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Logs {
    /// Collects from now on, until it is dropped.
    pub(crate) fn start() -> Self {
        let written = Written::default();
        let writer = written.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .without_time()
            .with_level(false)
            .with_writer(move || writer.clone());
        let guard = tracing::subscriber::set_default(subscriber.finish());
        Logs {
            written,
            _guard: guard,
        }
    }

    /// Returns the messages, oldest first.
    pub(crate) fn lines(&self) -> Vec<String> {
        let written = &self.written.0;
        let written = written.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&written);
        // A line has the target before the message, and spans before the target.
        let target = concat!(env!("CARGO_CRATE_NAME"), ": ");
        let messages = text.lines().filter_map(|line| line.split_once(target));
        messages.map(|(_, message)| message.to_owned()).collect()
    }
}
