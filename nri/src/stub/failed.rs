//! Answers a request whose handler failed.

use crate::api::Event;
use crate::plugin::{Body, Plugin, Subject};
use crate::{Error, ErrorKind, Result};

/// Logs the error of a handler. Returns the answer: the error, or success if `#[nri(on_error(…))]` says so.
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
    let ignored = ignorable && error.kind() != ErrorKind::Malformed;
    let answered = if ignored {
        "; answered with success, as `on_error` says"
    } else {
        ""
    };
    tracing::warn!(
        event = name,
        pod = subject.pod(),
        container = subject.container(),
        help = error.help(),
        "the handler of {name} failed: {error:#}{answered}"
    );
    if ignored {
        Ok(Body::default())
    } else {
        Err(error)
    }
}
