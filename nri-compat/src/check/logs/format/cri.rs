//! Kubernetes' log format of containers, `2026-03-18T20:15:04.861Z stderr F LINE`, and any line after a time stamp.

use crate::check::logs::record::{Origin, Unwrapped};
use crate::check::logs::stamp;

/// A line of a container's log, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CriLine<'t> {
    /// The time of the entry.
    pub(crate) time: &'t str,
    /// `stdout` or `stderr`.
    pub(crate) stream: &'t str,
    /// True if the line continues in the next entry of the stream: tag `P`.
    pub(crate) is_partial: bool,
    /// The text after the tags.
    pub(crate) text: &'t str,
}

impl<'t> CriLine<'t> {
    /// Parses a line without its line end.
    pub(crate) fn parse(line: &'t str) -> Option<Self> {
        let (time, rest) = line.split_once(' ')?;
        let (stream, rest) = rest.split_once(' ')?;
        let (tags, text) = rest.split_once(' ').unwrap_or((rest, ""));
        let is_partial = match tags.split(':').next()? {
            "P" => true,
            "F" => false,
            _ => return None,
        };
        stamp::rfc3339(time)?;
        matches!(stream, "stdout" | "stderr").then_some(Self {
            time,
            stream,
            is_partial,
            text,
        })
    }
}

/// Removes the time stamp, stream and tags.
pub(super) fn unwrap(text: &str, origin: &mut Origin) -> Option<Unwrapped> {
    let (time, rest) = match CriLine::parse(text) {
        Some(line) => (line.time, line.text),
        None => text.split_once(' ')?,
    };
    stamp::rfc3339(time)?;
    origin.set_time(Some(time));
    Some(Unwrapped::Line(rest.to_owned()))
}
