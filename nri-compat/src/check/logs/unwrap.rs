//! The statements in a line, whatever wrappers are around it.
//!
//! Each text in the JSON values of a line is a line itself, and so is the message of each record.
//! They are found wherever they are, so that the headers of journald, syslog and container engines
//! and the prefixes of `grep`, `kubectl logs --prefix` or `stern` need no removal.

use std::borrow::Cow;

use anstream::adapter::strip_str;
use memchr::memmem::find_iter;

use super::fact::{self, Statement};
use super::record::{Field, Record, header, inherit};
use super::room::Room;
use super::wording::may_match;
use super::{json, logfmt};

/// The maximum number of wrappers: a collector around journald around logfmt is three, and its
/// message the fourth.
const MAX_DEPTH: usize = 9;

/// The beginning of the message of a record of logfmt.
const MESSAGE: &str = "msg=";

/// A statement, and the record that makes it, without its message.
pub(super) type RecordedStatement = (Record, Statement);

/// Returns all statements in a line.
pub(super) fn statements(line: &str) -> Vec<RecordedStatement> {
    // The pairs of logfmt end before white space. Lines may be long: only the last one, without its
    // end, is copied.
    let mut ended = Cow::Borrowed(line);
    if !line.ends_with('\n') {
        ended.to_mut().push('\n');
    }
    in_text(&ended, &Record::new(), MAX_DEPTH, &Room::of_line(line))
}

fn in_text(text: &str, wrapper: &Record, depth: usize, room: &Room) -> Vec<RecordedStatement> {
    let Some(depth) = depth.checked_sub(1) else {
        return Vec::new();
    };
    let mut plain = Cow::Borrowed(text);
    if text.contains('\x1b') {
        plain = strip_str(text).to_string().into();
    }
    let mut context = header(&plain);
    inherit(&mut context, wrapper);
    let (mut groups, outside) = json::split(&plain, &context, room);
    let (records, mut rest) = records(outside, &context, room);
    groups.extend(records.into_iter().map(|record| vec![record]));
    let mut recorded: Vec<RecordedStatement> =
        groups.iter().flat_map(|group| in_group(group, depth, room)).collect();
    let statements = fact::statements(&rest);
    // The record describes the fields beside the message.
    rest.remove(&Field::Message);
    if !room.take(&rest, statements.len()) {
        rest.clear();
    }
    recorded.extend(statements.into_iter().map(|statement| (rest.clone(), statement)));
    recorded
}

/// Returns the records of logfmt in a text, and the rest. All of the text is the rest if its
/// records would take too much memory.
fn records(text: String, context: &Record, room: &Room) -> (Vec<Record>, Record) {
    let count = find_iter(text.as_bytes(), MESSAGE).count();
    if count == 0 || room.take(context, count) {
        return logfmt::records(&text, context);
    }
    (Vec::new(), Record::from([(Field::Message, text)]))
}

/// Returns the statements in the texts of an object, each once: collectors keep a line before and
/// after parsing it.
fn in_group(group: &[Record], depth: usize, room: &Room) -> Vec<RecordedStatement> {
    let mut recorded: Vec<RecordedStatement> = Vec::new();
    for record in group {
        let mut wrapper = record.clone();
        let mut line = wrapper.remove(&Field::Message).unwrap_or_default();
        if !may_match(line.as_bytes()) {
            continue;
        }
        line.push('\n');
        let mut statements = in_text(&line, &wrapper, depth, room);
        statements.retain(|(_, new)| recorded.iter().all(|(_, known)| known != new));
        recorded.append(&mut statements);
    }
    // A truncated warning is the message of an entry or of a record that is complete elsewhere.
    let is_read = |(_, statement): &RecordedStatement| !statement.topic.0.is_unread();
    if recorded.iter().any(is_read) {
        recorded.retain(is_read);
    }
    recorded
}
