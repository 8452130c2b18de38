//! The reasons for which a test ends early.

use nri::wire::{CallError, Code};

use crate::incident::Incident;
use crate::result::Failure;
use crate::session::{Answer, Trace, describe};

/// The reason for which a test ended early.
#[derive(Clone, Debug)]
pub(crate) enum Verdict {
    /// The statement cannot be tested, for this reason.
    Skip(String),
    /// The statement cannot be tested, because the plugin broke another one.
    Blocked(Breach),
    /// The statement is broken.
    Fail(Failure),
    /// The statement is broken in a known way; the second part is a link.
    Known(Failure, &'static str),
}

/// A violation of a statement, seen in a test of another one.
#[derive(Clone, Debug)]
pub(crate) struct Breach {
    /// The id of the statement that is broken.
    pub(crate) statement: &'static str,
    /// The violation.
    pub(crate) failure: Failure,
}

impl Breach {
    /// Returns the reason for skipping the test.
    pub(crate) fn reason(&self) -> String {
        let Failure { sent, got, .. } = &self.failure;
        format!("{sent}: {got}; see {}", self.statement)
    }
}

impl Verdict {
    /// Returns the same verdict, with what the log of a runtime would say about the violation.
    pub(crate) fn seen_as(mut self, incident: Option<Incident>) -> Self {
        match &mut self {
            Self::Skip(_) => {}
            Self::Blocked(Breach { failure, .. })
            | Self::Fail(failure)
            | Self::Known(failure, _) => failure.incident = incident,
        }
        self
    }

    /// Returns the observation that ended the test.
    pub(crate) fn into_got(self) -> String {
        match self {
            Self::Skip(reason) => reason,
            Self::Blocked(Breach { failure, .. })
            | Self::Fail(failure)
            | Self::Known(failure, _) => failure.got,
        }
    }
}

/// The result of a step of a test.
pub(crate) type Judged<T = ()> = Result<T, Verdict>;

/// Ends a test as skipped.
pub(crate) fn skip<T>(reason: impl Into<String>) -> Judged<T> {
    Err(Verdict::Skip(reason.into()))
}

/// Ends a test with a violation.
pub(crate) fn fail<T>(
    sent: impl Into<String>,
    got: impl Into<String>,
    expected: impl Into<String>,
) -> Judged<T> {
    Err(Verdict::Fail(Failure::new(sent, got, expected)))
}

/// Ends a test with a violation that the log of a runtime would report as this incident.
pub(crate) fn fail_as<T>(
    incident: Incident,
    sent: impl Into<String>,
    got: impl Into<String>,
    expected: impl Into<String>,
) -> Judged<T> {
    Err(Verdict::Fail(Failure::new(sent, got, expected)).seen_as(Some(incident)))
}

/// The time in which a plugin must answer every request.
pub(crate) const IN_TIME: &str = "an answer within the request timeout";

/// The number of answers that a plugin must send to every request.
pub(crate) const ONCE: &str = "one answer per request";

/// Returns the violation of W10 by a plugin that has answered a request twice on a connection, in
/// whichever test.
pub(crate) fn answered_twice(trace: &Trace) -> Option<Breach> {
    let sent = format!("one request on stream {}", trace.answered_twice()?);
    Some(Breach { statement: "W10", failure: Failure::new(sent, "more than one answer", ONCE) })
}

/// Returns the verdict on a test that the plugin blocks by breaking another statement.
pub(crate) fn blocked(
    statement: &'static str,
    sent: impl Into<String>,
    got: impl Into<String>,
    expected: impl Into<String>,
) -> Verdict {
    Verdict::Blocked(Breach { statement, failure: Failure::new(sent, got, expected) })
}

/// Returns the verdict on a call that had to succeed and failed. A late answer breaks P5 instead.
pub(crate) fn failed(sent: impl Into<String>, error: &CallError, expected: &str) -> Verdict {
    let got = describe(error);
    match error {
        CallError::Timeout(_) => blocked("P5", sent, got, IN_TIME),
        _ => Verdict::Fail(Failure::new(sent, got, expected)),
    }
}

/// Returns the verdict on a test if a request that it needs, but does not test, failed. A plugin
/// that is late or ends breaks a statement; one that answers with an error rejects the sample.
pub(crate) fn in_the_way(answer: &Answer) -> Verdict {
    let verdict = match &answer.result {
        Err(CallError::Timeout(_)) => blocked("P5", answer.sent(), answer.got(), IN_TIME),
        Err(CallError::Status(_)) => Verdict::Skip(format!(
            "{}: {}; the plugin rejects the sample",
            answer.sent(),
            answer.got()
        )),
        _ => blocked("W4", answer.sent(), answer.got(), "success"),
    };
    verdict.seen_as(answer.incident())
}

/// Returns the verdict on a test if the plugin answered Configure with an error. A plugin may
/// require something of the runtime, which is its own decision.
pub(crate) fn unconfigured(error: &CallError) -> Verdict {
    let got = describe(error);
    match error {
        CallError::Status(status) if status.code == Code::FAILED_PRECONDITION => {
            Verdict::Skip(format!("Configure: {got}"))
        }
        _ => blocked("P6", "Configure", got, "the event mask")
            .seen_as(Incident::of_call("Configure", error)),
    }
}
