//! What a handler is told beside the request itself.

use std::time::{Duration, Instant};

/// The surroundings of one request, handed to every handler.
///
/// A test makes one with `Context::default()`, which has no deadline.
#[derive(Clone, Debug, Default)]
pub struct Context {
    deadline: Option<Instant>,
}

impl Context {
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
