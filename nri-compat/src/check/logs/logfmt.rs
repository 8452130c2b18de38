//! logfmt, as in the logs of containerd and CRI-O: `time="…" level=warning msg="…"
//! plugin=10-template`.

use std::sync::LazyLock;

use regex::Regex;

use super::record::{Field, Record, inherit, regex};

/// A relevant pair, whose value is quoted or ends before a character that logfmt quotes. After it
/// is white space, such as a line end, or a character that a tool may append to a line. Anything
/// else shows that the line was cut.
static PAIR: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"\b(time|msg|plugin|deprecated|details)=(?:"((?:[^"\\]|\\.)*)"(?:[\s<'`)\],;|]|$)|([^\s"={<'`)\],;|]+)[\s<'`)\],;|])"#,
    )
});

/// Returns the records in a text, and the rest of it as a record. The pairs in a text without `msg`
/// belong to the rest, as in the terminal format of logrus.
pub(super) fn records(text: &str, wrapper: &Record) -> (Vec<Record>, Record) {
    let (mut records, mut record) = (Vec::new(), Record::new());
    let (mut rest, mut end) = (String::new(), 0);
    while let Some(pair) = PAIR.captures_at(text, end) {
        let range = pair.get_match().range();
        rest.push_str(&text[end..range.start]);
        end = range.end;
        let Some((field, _)) = Field::of_key(&pair[1]) else {
            continue;
        };
        // A field that is repeated begins the next record: two lines were merged.
        if record.contains_key(&field) {
            records.push(std::mem::take(&mut record));
        }
        let quoted = pair.get(2).map(|value| unescaped(value.as_str()));
        record.insert(field, quoted.unwrap_or_else(|| pair[3].to_owned()));
    }
    rest.push_str(&text[end..]);
    records.push(record.clone());
    records.retain(|record| record.contains_key(&Field::Message));
    if !records.is_empty() {
        record.clear();
    }
    record.insert(Field::Message, rest);
    for record in records.iter_mut().chain([&mut record]) {
        inherit(record, wrapper);
    }
    (records, record)
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
