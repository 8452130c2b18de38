//! The reasons for which a test ends early.

use nri::wire::CallError;

use crate::result::{Failure, Outcome};
use crate::session::Answer;

/// The reason for which a test ended early.
#[derive(Clone, Debug)]
pub(crate) enum Verdict {
    /// The statement cannot be tested, for this reason.
    Skip(String),
    /// The statement is broken.
    Fail(Failure),
    /// The statement is broken in a known way; the second part is a link.
    Known(Failure, &'static str),
}

/// The result of a step of a test.
pub(crate) type Judged<T = ()> = Result<T, Verdict>;

impl From<Verdict> for Outcome {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Skip(reason) => Outcome::Skip(reason),
            Verdict::Fail(failure) => Outcome::Fail(failure),
            Verdict::Known(failure, link) => Outcome::Known {
                failure,
                link: link.to_owned(),
            },
        }
    }
}

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
    Err(Verdict::Fail(Failure {
        sent: sent.into(),
        got: got.into(),
        expected: expected.into(),
    }))
}

/// Returns the reason for skipping a test because a step that it needs, but does not test, failed.
pub(crate) fn in_the_way(answer: &Answer) -> String {
    let see = match &answer.result {
        Err(CallError::Timeout(_)) => "P5",
        _ => "W4",
    };
    format!("{}: {}; see {see}", answer.sent(), answer.got())
}
