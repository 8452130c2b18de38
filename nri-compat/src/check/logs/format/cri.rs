//! Kubernetes' log format of containers, `2026-03-18T20:15:04.861Z stderr F LINE`, and any line after a time stamp.

use super::{Around, Peeled};
use crate::check::logs::stamp;

pub(super) fn peel(text: &str, around: &mut Around) -> Option<Peeled> {
    let (time, rest) = text.split_once(' ')?;
    stamp::rfc3339(time)?;
    around.time(Some(time));
    Some(Peeled::Inner(line(rest).unwrap_or(rest).to_owned()))
}

/// The line after stream and tags; `P` tags the part of a line that was too long.
fn line(rest: &str) -> Option<&str> {
    let (stream, rest) = rest.split_once(' ')?;
    let (tags, line) = rest.split_once(' ')?;
    let is_tag = tags.starts_with(['F', 'P']);
    (matches!(stream, "stdout" | "stderr") && is_tag).then_some(line)
}
