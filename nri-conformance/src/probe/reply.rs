//! The answer to one request of a probe.

use std::time::Duration;

use bytes::Bytes;
use nri::codec::Message;
use nri::wire::CallError;

/// The answer to a request, or the failure instead of it.
#[derive(Debug)]
pub(super) struct Reply<T = Bytes> {
    pub(super) result: Result<T, CallError>,
    pub(super) took: Duration,
}

impl<T> Reply<T> {
    /// Returns the time until the answer; `None` if there was none.
    pub(super) fn answered_after(&self) -> Option<Duration> {
        let silent = matches!(
            self.result,
            Err(CallError::Closed | CallError::Timeout(_) | CallError::TooLarge { .. })
        );
        (!silent).then_some(self.took)
    }
}

impl Reply {
    /// Decodes the answer.
    pub(super) fn decoded<M: Message + Default>(self) -> Reply<M> {
        let read =
            |answer| M::decode(answer).map_err(|error| CallError::Unreadable(error.to_string()));
        Reply {
            result: self.result.and_then(read),
            took: self.took,
        }
    }
}
