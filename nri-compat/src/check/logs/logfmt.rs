//! logfmt, as in the logs of containerd and CRI-O: `time="…" level=warning msg="…"
//! plugin=10-template`.

use std::sync::LazyLock;

use memchr::memchr2;
use regex::Regex;

use super::record::{Field, Record, inherit, regex};

/// The key of a relevant pair. Values are read without a regular expression, which would take most
/// of the time that a line takes.
static KEY: LazyLock<Regex> = LazyLock::new(|| regex(r"\b(?:time|msg|plugin|deprecated|details)="));

/// Returns the records in a text, and the rest of it as a record. The pairs in a text without `msg`
/// belong to the rest, as in the terminal format of logrus.
pub(super) fn records(text: &str, wrapper: &Record) -> (Vec<Record>, Record) {
    let (mut records, mut last) = (Vec::new(), Record::new());
    let (mut rest, mut end, mut searched) = (String::new(), 0, 0);
    while let Some(key) = KEY.find_at(text, searched) {
        searched = key.end();
        let known = Field::of_key(key.as_str().trim_end_matches('='));
        let (Some((field, _)), Some((value, length))) = (known, value(&text[key.end()..])) else {
            continue;
        };
        rest.push_str(&text[end..key.start()]);
        end = key.end() + length;
        searched = end;
        // A field that is repeated begins the next record: two lines were merged.
        if last.contains_key(&field) {
            records.push(std::mem::take(&mut last));
        }
        last.insert(field, value);
    }
    rest.push_str(&text[end..]);
    records.push(last.clone());
    records.retain(|record| record.contains_key(&Field::Message));
    if !records.is_empty() {
        last.clear();
    }
    last.insert(Field::Message, rest);
    for record in records.iter_mut().chain([&mut last]) {
        inherit(record, wrapper);
    }
    (records, last)
}

/// Returns the value at the beginning of a text, which is quoted or ends before a character that
/// logfmt quotes, and its length with the character after it. That is white space, such as a line
/// end, or a character that a tool may append to a line. Anything else shows that the line was cut.
fn value(text: &str) -> Option<(String, usize)> {
    let (value, length) = if let Some(quoted) = text.strip_prefix('"') {
        let length = closing(quoted)?;
        (unescaped(&quoted[..length]), length + 2)
    } else {
        let length = text.find(|c| is_after(c) || matches!(c, '"' | '=' | '{'))?;
        (text[..length].to_owned(), length)
    };
    let after = text[length..].chars().next();
    let is_whole = length > 0 && after.is_none_or(is_after);
    is_whole.then(|| (value, length + after.map_or(0, char::len_utf8)))
}

/// Returns true for a character that may come after a value.
fn is_after(letter: char) -> bool {
    letter.is_whitespace() || "<'`)],;|".contains(letter)
}

/// Returns the offset of the quotation mark that ends a quoted text.
fn closing(quoted: &str) -> Option<usize> {
    let bytes = quoted.as_bytes();
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        if bytes.get(at + 1) == Some(&b'\n') {
            return None;
        }
        at += 2;
    }
}

/// Returns a quoted value with Go's escapes decoded, as far as they matter in messages.
fn unescaped(quoted: &str) -> String {
    let mut value = String::with_capacity(quoted.len());
    let mut letters = quoted.chars();
    while let Some(letter) = letters.next() {
        value.push(match letter {
            '\\' => match letters.next() {
                Some('n' | 't' | 'r') | None => ' ',
                Some(escaped) => escaped,
            },
            letter => letter,
        });
    }
    value
}
