//! The outcome of a replay, as data.

use std::fmt;
use std::time::Duration;

use nri::wire::{CallError, Status};
use serde::{Serialize, Serializer};

use crate::incident::{Ending, Incident};

/// The maximum number of differences that are kept. Further ones are only counted.
pub(super) const MAX_DIFFERENCES: usize = 1000;

/// The reservation about the differences from a redacted recording.
const REDACTED_NOTE: &str = " (the recording is redacted: the plugin may answer differently because it got `<redacted>` for values of \
     variables and annotations)";

/// The outcome of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// The index and the name that the plugin registered with, such as `10-logger`.
    pub plugin: String,
    /// The index and the name of the recorded plugin.
    pub recorded_plugin: String,
    /// True if the recording is redacted: the plugin got `<redacted>` in place of the values of
    /// variables and annotations, and may have answered differently because of it.
    pub redacted: bool,
    /// The number of requests that were sent.
    pub requests: u64,
    /// The number of answers that were compared with a recorded one.
    pub compared: u64,
    /// The number of requests that were not sent, by reason.
    pub skipped: Skipped,
    /// The differences from the recording, in the order of the requests; at most 1000.
    pub differences: Vec<Difference>,
    /// The number of further differences.
    pub more_differences: u64,
    /// The time from the first request to the last answer.
    pub elapsed: Duration,
}

/// The number of recorded requests that were not sent to the plugin, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Skipped {
    /// Requests for events that the plugin did not subscribe to.
    pub unsubscribed: u64,
    /// Requests that repeat, as StateChange, an event that the plugin handled through its dedicated
    /// RPC.
    pub repeated: u64,
    /// Requests that were withheld from the recording.
    pub withheld: u64,
    /// Requests that came after the plugin did not answer, or closed the connection.
    pub after_end: u64,
}

/// One difference between a plugin's behavior and the recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Difference {
    /// The number of the request on its connection, from 1; 0 for an unsolicited update.
    pub request: u64,
    /// The time of the request since the start of the recording.
    #[serde(rename = "at_millis", serialize_with = "millis")]
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub at: Duration,
    /// The method, such as `CreateContainer`.
    pub method: String,
    /// The pod and the container of the request, such as `default/web/server`; empty if it has
    /// none.
    pub subject: String,
    /// The incident that the log of a runtime would report for it, if any.
    pub incident: Option<Incident>,
    /// The difference.
    #[serde(rename = "detail", serialize_with = "phrase")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub kind: DifferenceKind,
}

/// The kinds of differences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// A field of the answer has another value.
    Field {
        /// The path of the field, such as `adjust.env[DEBUG].value`.
        path: String,
        /// The recorded value, or `absent`.
        recorded: String,
        /// The value in the answer of the plugin, or `absent`.
        got: String,
    },
    /// The plugin answered with another status, which a runtime treats differently. `None` is
    /// success.
    Status {
        /// The recorded error.
        recorded: Option<Status>,
        /// The error of this plugin.
        got: Option<Status>,
    },
    /// The plugin did not answer within this time.
    NoAnswer(Duration),
    /// The recorded plugin did not answer; this one did.
    Answered,
    /// The plugin closed the connection instead of answering.
    Closed,
    /// The answer cannot be decoded, for this reason.
    Unreadable(String),
    /// The plugin did not send a recorded unsolicited update.
    MissingUpdate,
    /// The plugin sent an unsolicited update that the recorded one did not.
    ExtraUpdate,
}

fn millis<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u128(time.as_millis())
}

fn phrase<S: Serializer>(kind: &DifferenceKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(kind)
}

impl Replayed {
    /// Returns true if the plugin behaved like the recorded one.
    pub fn is_same(&self) -> bool {
        self.differences.is_empty()
    }

    /// Panics with a list of the differences if there are any.
    ///
    /// # Panics
    ///
    /// Panics if [`Replayed::is_same`] returns false.
    #[track_caller]
    pub fn assert(&self) {
        const SHOWN: usize = 50;
        let total = self.differences.len() as u64 + self.more_differences;
        let lines: Vec<_> = self.differences.iter().map(ToString::to_string).collect();
        let shown = lines.get(..SHOWN).unwrap_or(&lines);
        assert!(
            self.is_same(),
            "{total} differences in {} requests{}:\n{}",
            self.requests,
            if self.redacted { REDACTED_NOTE } else { "" },
            shown.join("\n")
        );
    }

    pub(super) fn add(&mut self, difference: Difference) {
        if self.differences.len() < MAX_DIFFERENCES {
            self.differences.push(difference);
        } else {
            self.more_differences += 1;
        }
    }
}

impl fmt::Display for Difference {
    /// Writes `request 7, CreateContainer of default/web/server: adjust.env[DEBUG].value: recorded
    /// "1", got absent`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.request > 0 {
            write!(f, "request {}, ", self.request)?;
        }
        f.write_str(&self.method)?;
        if !self.subject.is_empty() {
            write!(f, " of {}", self.subject)?;
        }
        write!(f, ": {}", self.kind)
    }
}

impl DifferenceKind {
    /// Returns what the log of a runtime would say about the difference in the answer to a method.
    pub(super) fn incident(&self, method: &str) -> Option<Incident> {
        match self {
            DifferenceKind::Field { path, .. } => {
                let in_parts = method == "Synchronize" && path == "more";
                in_parts.then_some(Incident::SynchronizeParts)
            }
            DifferenceKind::Status { got, .. } => {
                Incident::of_call(method, &CallError::Status(got.clone()?))
            }
            DifferenceKind::NoAnswer(_) => Incident::at(method, Ending::Silent),
            DifferenceKind::Closed | DifferenceKind::Unreadable(_) => {
                Incident::at(method, Ending::Closed)
            }
            DifferenceKind::Answered
            | DifferenceKind::MissingUpdate
            | DifferenceKind::ExtraUpdate => None,
        }
    }
}

impl fmt::Display for DifferenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DifferenceKind::Field { path, recorded, got } => {
                write!(f, "{path}: recorded {recorded}, got {got}")
            }
            DifferenceKind::Status { recorded, got } => {
                let success = || "success".to_owned();
                let text =
                    |it: &Option<Status>| it.as_ref().map_or_else(success, Status::to_string);
                write!(f, "recorded {}, got {}", text(recorded), text(got))
            }
            DifferenceKind::NoAnswer(within) => write!(f, "no answer within {within:?}"),
            DifferenceKind::Answered => f.write_str("recorded no answer, got one"),
            DifferenceKind::Closed => f.write_str("the plugin closed the connection"),
            DifferenceKind::Unreadable(reason) => write!(f, "unreadable answer: {reason}"),
            DifferenceKind::MissingUpdate => f.write_str("a recorded update was not sent"),
            DifferenceKind::ExtraUpdate => f.write_str("an update was sent that was not recorded"),
        }
    }
}
