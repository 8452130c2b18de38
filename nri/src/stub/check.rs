//! Checks the answers and errors of handlers, so that mistakes show up in the log of the plugin.

use crate::adjust::Invalid;
use crate::api::Event;
use crate::context::{CheckAnswers, Tools};
use crate::plugin::{Answer, Body, Plugin, Subject};
use crate::wire::MAX_ANSWER;
use crate::{Error, ErrorKind, Result};

impl Tools {
    /// Returns the response to send, and logs the problems that the check of the answer has found.
    ///
    /// # Errors
    ///
    /// Returns the problems of the answer, if answers with problems are refused, and
    /// [`ErrorKind::TooLarge`].
    pub(crate) fn accept(&self, rpc: &str, subject: &Subject, answer: Answer) -> Result<Body> {
        match (answer.invalid, self.check_answers) {
            (None, _) | (Some(_), CheckAnswers::Off) => {}
            (Some(invalid), CheckAnswers::Warn) => warn(rpc, subject, &invalid),
            (Some(invalid), CheckAnswers::Refuse) => return Err(Error::from(invalid)),
        }
        within_limit(rpc, subject, answer.response)
    }
}

/// Returns an answer that can be sent. The connection refuses a larger one, but cannot name the
/// event, pod and container.
///
/// # Errors
///
/// Returns [`ErrorKind::TooLarge`].
fn within_limit(rpc: &str, subject: &Subject, response: Body) -> Result<Body> {
    let size = response.encoded_size().unwrap_or_default();
    if size <= MAX_ANSWER {
        return Ok(response);
    }
    let message =
        format!("the answer to {rpc}{subject} has {size} bytes, at most {MAX_ANSWER} can be sent");
    Err(Error::with_kind(ErrorKind::TooLarge, message)
        .with_help("answer with less, and send updates of other containers with `EventContext::updater`, in several requests"))
}

fn warn(rpc: &str, subject: &Subject, invalid: &Invalid) {
    let (pod, container) = (subject.pod(), subject.container());
    for problem in invalid.problems() {
        tracing::warn!(
            pod,
            container,
            help = problem.help(),
            "invalid answer to {rpc}{subject}: {problem}"
        );
    }
}

/// Logs the error of a handler. Returns the answer: the error, or success if `#[nri(on_error(…))]`
/// says so.
///
/// # Errors
///
/// Returns the error of the handler, unless errors of the event are ignored.
pub(crate) fn failed<P: Plugin>(
    name: &str,
    event: Option<Event>,
    subject: &Subject,
    error: Error,
) -> Result<Body> {
    let ignorable = event.is_some_and(|event| P::POLICIES.ignore_errors.contains(event));
    let is_unread = matches!(error.kind(), ErrorKind::Malformed | ErrorKind::TooLarge);
    let ignored = ignorable && !is_unread;
    let answered = if ignored { "; answered with success, as `on_error` says" } else { "" };
    tracing::warn!(
        event = name,
        pod = subject.pod(),
        container = subject.container(),
        help = error.help(),
        "the handler of {name} failed: {error:#}{answered}"
    );
    if ignored { Ok(Body::default()) } else { Err(error) }
}
