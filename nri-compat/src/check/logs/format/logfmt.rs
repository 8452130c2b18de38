//! logfmt, as in the logs of containerd and CRI-O: `time="…" level=warning msg="…"
//! plugin=10-template`.

use crate::check::logs::record::{Origin, Record, Unwrapped};

/// The relevant keys, in the order of [`Fields`].
const KEYS: [&str; 5] = ["time", "msg", "plugin", "deprecated", "details"];

/// The values of [`KEYS`].
#[derive(Default)]
struct Fields([Option<String>; KEYS.len()]);

impl Fields {
    /// Adds a pair; returns true if its key is repeated, as when two lines were merged.
    fn set(&mut self, key: &str, value: String) -> bool {
        let place = KEYS.iter().position(|known| *known == key);
        match place.and_then(|at| self.0.get_mut(at)) {
            Some(Some(_)) => return true,
            Some(place) => *place = Some(value),
            None => {}
        }
        false
    }

    /// Returns time and record; `text` is the message of a record without `msg`.
    fn record(self, text: Option<&str>) -> Option<(Option<String>, Record)> {
        let [time, msg, plugin, deprecated, details] = self.0;
        let record = Record {
            text: msg.or_else(|| text.map(str::to_owned))?,
            plugin,
            deprecated,
            details,
        };
        Some((time, record))
    }
}

/// Parses a line that consists of logfmt only, and has a `msg`.
pub(super) fn unwrap(text: &str, origin: &mut Origin) -> Option<Unwrapped> {
    let (run, rest) = Run::parse(text);
    if !rest.is_empty() {
        return None;
    }
    let (time, record) = run.fields.record(None)?;
    origin.set_time(time);
    Some(Unwrapped::Record(record))
}

/// A record found within a text.
pub(super) struct Found<'t> {
    /// The text between the previous record and this one.
    pub(super) before: &'t str,
    pub(super) time: Option<String>,
    pub(super) record: Record,
}

/// Finds all records in a text: sequences of pairs with a `msg`. Returns them with the text after
/// the last one.
pub(super) fn find(text: &str) -> (Vec<Found<'_>>, &str) {
    let (mut found, mut before, mut at) = (Vec::new(), text, text);
    while !at.is_empty() {
        let (run, rest) = Run::parse(at);
        if run.pairs == 0 {
            at = after_word(at);
            continue;
        }
        if let Some((time, record)) = run.fields.record(None) {
            let length = before.len() - at.len();
            found.push(Found {
                before: before.get(..length).unwrap_or(before),
                time,
                record,
            });
            before = rest;
        }
        at = rest;
    }
    (found, before)
}

/// Parses the pairs after a message, as logrus writes them to a terminal.
pub(super) fn after_message(message: &str, pairs: &str) -> Option<Record> {
    let (run, _) = Run::parse(pairs);
    run.fields.record(Some(message)).map(|(_, record)| record)
}

/// Skips what cannot begin with a pair: the characters of a key, then one other character.
fn after_word(text: &str) -> &str {
    let rest = text.trim_start_matches(is_key);
    let mut letters = rest.chars();
    letters.next();
    letters.as_str()
}

/// A sequence of pairs.
struct Run {
    fields: Fields,
    pairs: usize,
}

impl Run {
    /// Parses pairs up to the first that is malformed or repeats a key; returns the remaining text.
    fn parse(text: &str) -> (Self, &str) {
        let mut run = Self {
            fields: Fields::default(),
            pairs: 0,
        };
        let mut rest = text;
        while let Some((key, value, after)) = pair(rest.trim_start()) {
            if run.fields.set(key, value) {
                break;
            }
            run.pairs += 1;
            rest = after;
        }
        (run, rest.trim_start())
    }
}

fn is_key(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-' | '/' | '@')
}

fn pair(text: &str) -> Option<(&str, String, &str)> {
    let key_end = text.find(|letter| !is_key(letter)).filter(|end| *end > 0)?;
    let (key, rest) = text.split_at_checked(key_end)?;
    let rest = rest.strip_prefix('=')?;
    if let Some(quoted) = rest.strip_prefix('"') {
        let (value, rest) = unquote(quoted)?;
        return (rest.is_empty() || rest.starts_with(char::is_whitespace))
            .then_some((key, value, rest));
    }
    let (value, rest) = rest.split_at(rest.find(ends_value).unwrap_or(rest.len()));
    // Writers of logfmt quote values with such characters: two lines were merged.
    (!value.contains(['=', '"', '{'])).then(|| (key, value.to_owned(), rest))
}

/// Returns true if a character ends a value without quotes: white space, a character that logrus
/// quotes, or one that a tool may append to the line.
fn ends_value(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '<' | '\'' | ')' | ']' | ',' | ';' | '|' | '`')
}

/// Returns the text up to the closing quote, with Go's escapes decoded, and the text after the
/// quote.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((value, text.get(at + 1..)?)),
            '\\' => value.push(escape(&mut letters)?),
            _ => value.push(letter),
        }
    }
    None
}

fn escape(letters: &mut std::str::CharIndices<'_>) -> Option<char> {
    let digits = match letters.next()?.1 {
        'n' => return Some('\n'),
        't' => return Some('\t'),
        'r' => return Some('\r'),
        'a' | 'b' | 'f' | 'v' => return Some(' '),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        other => return Some(other),
    };
    let mut code = 0;
    for _ in 0..digits {
        code = code * 16 + letters.next()?.1.to_digit(16)?;
    }
    Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
}
