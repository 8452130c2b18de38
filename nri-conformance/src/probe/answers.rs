//! The kinds of answers, and their descriptions.

use std::time::Duration;

use bytes::Bytes;
use nri::wire::{CallError, Code, Status};

use crate::probe::RpcAnswer;
use crate::session::describe;

/// The maximum number of characters of an answer that a result shows.
const MAX_SHOWN: usize = 400;

/// Returns the kind of an answer.
///
/// `denial` is the code with which the plugin answers a call to an RPC that does not exist. An
/// error with this code says that the plugin does not implement the RPC; an error with another code
/// comes from the plugin's handler. The stub in Go, for example, denies with UNIMPLEMENTED, and
/// sends NOT_FOUND if the handler did not find a file.
pub(super) fn kind<T>(result: &Result<T, CallError>, denial: Option<Code>) -> RpcAnswer {
    match result {
        Ok(_) => RpcAnswer::Implemented,
        Err(CallError::Status(status)) if status.code == Code::UNIMPLEMENTED => RpcAnswer::Fallback,
        Err(CallError::Closed | CallError::Timeout(_)) => RpcAnswer::Silent,
        Err(CallError::Status(Status { code, .. }))
            if code.name().is_some() && Some(*code) != denial =>
        {
            RpcAnswer::Error
        }
        // A denial, a code that does not exist, or an answer that cannot be decoded.
        Err(_) => RpcAnswer::Breaks,
    }
}

/// Describes an answer.
pub(super) fn words<T>(result: &Result<T, CallError>) -> String {
    match result {
        Ok(_) => "success".to_owned(),
        Err(error) => short(&describe(error)),
    }
}

/// Returns the beginning of a text from a plugin.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

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

    /// Reads the answer, if there is one.
    pub(super) fn and_then<U>(self, read: impl FnOnce(T) -> Result<U, CallError>) -> Reply<U> {
        Reply { result: self.result.and_then(read), took: self.took }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_answers_are_cut_between_characters() {
        let long = "ä".repeat(1000);
        assert_eq!(short(&long).chars().count(), MAX_SHOWN + 1);
        assert_eq!(short("ä"), "ä");
    }
}
