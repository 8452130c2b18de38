//! What a handler is told beside the request itself.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::stub::{Metrics, Runtime, Tools, Updater};

/// The surroundings of one request, handed to every handler.
///
/// A test makes one with `Context::default()`, which has no deadline and no connection.
#[derive(Clone, Debug, Default)]
pub struct Context {
    deadline: Option<Instant>,
    tools: Arc<Tools>,
}

impl Context {
    /// Of a request that the stub serves.
    pub(crate) fn of_request(deadline: Instant, tools: Arc<Tools>) -> Self {
        Context {
            deadline: Some(deadline),
            tools,
        }
    }

    /// Of something that the stub tells of by itself.
    pub(crate) fn of_stub(tools: Arc<Tools>) -> Self {
        Context {
            deadline: None,
            tools,
        }
    }

    /// To ask the runtime for updates by oneself: not in the handler, which it would wait for, but in a task.
    pub fn updater(&self) -> Updater {
        self.tools.updater()
    }

    /// The runtime at the other end, and which NRI it speaks; `None` before Configure.
    pub fn runtime(&self) -> Option<Arc<Runtime>> {
        self.tools.runtime()
    }

    /// What happened to each event so far.
    pub fn metrics(&self) -> Metrics {
        self.tools.metrics()
    }

    /// The same context with a deadline: the moment at which the runtime gives up on the request.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// The moment at which the runtime gives up on this request; `None` where it did not say.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// How long the runtime still waits for the answer: zero once it has given up, `None` where it did not say.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_ends_at_zero() {
        let cx = Context::default().with_deadline(Instant::now());
        assert_eq!(cx.time_left(), Some(Duration::ZERO));
        assert_eq!(Context::default().time_left(), None);
    }
}
