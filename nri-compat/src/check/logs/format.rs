//! Formats of log lines, one file each, and the loop that removes one wrapper after the other.
//!
//! If no known format is left and no record of the runtime has been found, the record is searched
//! for anywhere in the text: as JSON, as logfmt, and as a message.

mod cri;
mod deprecations;
mod json;
mod json_line;
mod logfmt;
mod logrus;
mod prefix;
mod search;
mod syslog;

pub(crate) use cri::CriLine;
pub(super) use deprecations::{is_list, may_be_list};

use std::borrow::Cow;
use std::sync::LazyLock;

use super::fact::{self, Fact, Warning};
use super::record::{Origin, Record, Unwrapped};
use crate::check::needles::Needles;

/// The maximum number of wrappers: a collector around journald around logfmt is three.
const MAX_DEPTH: usize = 8;

/// The number of times that the bytes of a line may be read, in all its wrappers and notations
/// together.
const MAX_READINGS: usize = 24;

/// The formats other than JSON that are recognised by the beginning of a line, the most reliable
/// first.
const FORMATS: [fn(&str, &mut Origin) -> Option<Unwrapped>; 5] = [
    deprecations::unwrap,
    logfmt::unwrap,
    logrus::unwrap,
    syslog::unwrap,
    cri::unwrap,
];

/// A statement in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Statement {
    /// A fact about a plugin.
    Fact(Fact),
    /// An entry of `ctr deprecations list`: id, last occurrence.
    Deprecation(String, Option<String>),
    /// The last occurrence of the entry whose id was on an earlier line.
    LastOccurrence(String),
    /// A warning about a plugin that could not be parsed.
    Unread(Warning),
}

/// Reads all statements in a line, each with its origin.
pub(super) fn read(line: &[u8]) -> Vec<(Origin, Statement)> {
    let text = String::from_utf8_lossy(line);
    let mut lines = LineReader {
        left: text.len().saturating_mul(MAX_READINGS),
        ..LineReader::default()
    };
    let origin = Origin::default();
    let any = lines.text(&text, &origin, MAX_DEPTH);
    if (!any || lines.left == 0)
        && let Some(warning) = lines.unread
    {
        lines.statements.push((origin, Statement::Unread(warning)));
    }
    lines.statements
}

/// Returns the time and text of a line inside its first known wrapper.
pub(crate) fn unwrap_once(line: &str) -> Option<(Option<String>, String)> {
    let mut inner = unwrap(line.trim_matches(is_padding), &Origin::default()).into_iter();
    inner.find_map(|(origin, unwrapped)| match unwrapped {
        Unwrapped::Line(line) => Some((origin.time, line)),
        Unwrapped::Record(_) | Unwrapped::Deprecations(_) | Unwrapped::LastOccurrence(_) => None,
    })
}

/// Reports whether a line may have a time: every form of a time has digits, and what follows it a
/// colon, or it has one itself. Most lines end here.
pub(super) fn may_have_time(line: &[u8]) -> bool {
    memchr::memchr(b':', line).is_some() && line.iter().any(u8::is_ascii_digit)
}

/// Returns true if a line is certainly in one of the formats: its wrapper has a time.
pub(super) fn is_sure(line: &str) -> bool {
    let unwrapped = unwrap(line.trim_matches(is_padding), &Origin::default());
    unwrapped.iter().any(|(origin, _)| origin.time.is_some())
}

/// Returns the contents of a text in a known format; nothing for any other text.
fn unwrap(text: &str, origin: &Origin) -> Vec<(Origin, Unwrapped)> {
    if text.starts_with(['{', '['])
        && let Some((value, length)) = json::parse(text)
        && length == text.len()
    {
        return json_line::unwrap(&value, origin);
    }
    let unwrapped = FORMATS.iter().find_map(|unwrap| {
        let mut origin = origin.clone();
        unwrap(text, &mut origin).map(|unwrapped| (origin, unwrapped))
    });
    unwrapped.into_iter().collect()
}

/// Parts of words: each statement has one of them, whatever is wrapped around it.
const STATEMENTS: [&str; 7] = [
    "eprecat",
    "ccurrence",
    "registered",
    "connected",
    "closing",
    "failed",
    "success",
];

/// Returns whether a text may hold a statement behind something that is no known wrapper. Most lines end here.
fn may_state(text: &str) -> bool {
    static STATEMENT: LazyLock<Needles> = LazyLock::new(|| Needles::new(&STATEMENTS));
    STATEMENT.are_in(text.as_bytes())
}

/// Returns the text without colour escape sequences.
fn without_colours(text: &str) -> Cow<'_, str> {
    if text.contains('\x1b') {
        Cow::Owned(anstream::adapter::strip_str(text).to_string())
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns true for white space, a byte order mark, the zeros that a crash leaves at the end of a
/// file, and the separator of JSON sequences.
fn is_padding(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\0' | '\u{1e}' | '\u{feff}')
}

/// A way of finding records within a text.
type Search = fn(&str, &Origin) -> search::Found;

/// Collects the statements of one line.
#[derive(Default)]
struct LineReader {
    statements: Vec<(Origin, Statement)>,
    /// A warning in a text without statements.
    unread: Option<Warning>,
    /// The number of bytes that may still be read; 0 if not all of the line was read.
    left: usize,
}

impl LineReader {
    /// Reads a text; returns true if it has a statement.
    fn text(&mut self, text: &str, origin: &Origin, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        self.left = self.left.saturating_sub(text.len());
        if self.left == 0 {
            return false;
        }
        let plain = without_colours(text);
        let text = plain.trim_matches(is_padding);
        let any = self.all(unwrap(text, origin), depth)
            || self.record(&Record::with(text, &origin.beside), origin, 0)
            || may_state(text)
                && (self.after_prefix(text, origin, depth) || self.search(text, origin, depth));
        if !any {
            self.unread = self.unread.or_else(|| fact::warning(text));
        }
        any
    }

    /// Reads everything found in a text; returns true if any of it has a statement.
    fn all(&mut self, found: Vec<(Origin, Unwrapped)>, depth: usize) -> bool {
        let (mut any, mut unread) = (false, None);
        for (origin, unwrapped) in found {
            let warning = warning(&unwrapped);
            if self.unwrapped(unwrapped, &origin, depth) {
                any = true;
            } else {
                unread = unread.or(warning.map(|warning| (origin, Statement::Unread(warning))));
            }
        }
        if any {
            self.statements.extend(unread);
        }
        any
    }

    fn unwrapped(&mut self, unwrapped: Unwrapped, origin: &Origin, depth: usize) -> bool {
        let statements: Vec<Statement> = match unwrapped {
            Unwrapped::Line(line) => return self.text(&line, origin, depth),
            Unwrapped::Record(record) => return self.record(&record, origin, depth),
            Unwrapped::Deprecations(entries) => entries
                .into_iter()
                .map(|(id, time)| Statement::Deprecation(id, time))
                .collect(),
            Unwrapped::LastOccurrence(time) => vec![Statement::LastOccurrence(time)],
        };
        self.add(statements, origin)
    }

    /// Reads the facts in a record; if there are none, its message may be a line itself.
    fn record(&mut self, record: &Record, origin: &Origin, depth: usize) -> bool {
        let facts = fact::facts(record).into_iter().map(Statement::Fact);
        self.add(facts.collect(), origin) || self.text(&record.text, origin, depth)
    }

    fn add(&mut self, statements: Vec<Statement>, origin: &Origin) -> bool {
        let any = !statements.is_empty();
        let with_origin = statements.into_iter().map(|one| (origin.clone(), one));
        self.statements.extend(with_origin);
        any
    }

    /// Reads the rest of a text if it is in a known format after a prefix.
    fn after_prefix(&mut self, text: &str, origin: &Origin, depth: usize) -> bool {
        let rest = prefix::starts(text).find(|rest| is_sure(rest));
        rest.is_some_and(|rest| self.all(unwrap(rest, origin), depth))
    }

    /// Searches for records anywhere in a text.
    fn search(&mut self, text: &str, origin: &Origin, depth: usize) -> bool {
        if !json::is_interesting(text) {
            return false;
        }
        let searches: [Search; 3] = [search::json, search::logfmt, search::messages];
        for search in searches {
            let found = search(text, origin);
            if self.all(found.records, depth) {
                let unread = fact::warning(&found.rest).map(Statement::Unread);
                self.add(unread.into_iter().collect(), origin);
                return true;
            }
        }
        false
    }
}

/// Returns the warning in a text or record, whether or not it can be parsed.
fn warning(unwrapped: &Unwrapped) -> Option<Warning> {
    match unwrapped {
        Unwrapped::Line(text) => fact::warning(text),
        Unwrapped::Record(record) => fact::warning(&record.text),
        Unwrapped::Deprecations(_) | Unwrapped::LastOccurrence(_) => None,
    }
}
