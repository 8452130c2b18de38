//! logfmt, as in the logs of containerd and CRI-O: `time="…" level=warning msg="…"
//! plugin=10-template`.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::context::{Context, regex};

/// A relevant pair, whose value is quoted or ends before a character that logfmt quotes. After it is white space, the
/// end of the text, or a character that a tool may append to a line. Anything else shows that the line was cut.
static PAIR: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"\b(time|msg|plugin|deprecated|details)=(?:"((?:[^"\\]|\\.)*)"|([^\s"={<'`)\],;|]+))(?:[\s<'`)\],;|]|$)"#,
    )
});

/// A record of a runtime: its message, and what else is known about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) message: String,
    pub(super) context: Context,
}

/// Returns the records in a text, and last the rest of it as a record. The pairs in a text without `msg` belong to
/// the rest, as in the terminal format of logrus.
pub(super) fn records(text: &str, context: &Context) -> Vec<Record> {
    let mut run = Run {
        context,
        records: Vec::new(),
        message: None,
        fields: context.clone(),
        keys: Vec::new(),
    };
    let (mut rest, mut end) = (String::new(), 0);
    while let Some(pair) = PAIR.captures_at(text, end) {
        let range = pair.get_match().range();
        rest.push_str(&text[end..range.start]);
        run.pair(&pair);
        end = range.end;
    }
    rest.push_str(&text[end..]);
    run.finish(rest)
}

/// The pairs of one record after the other.
struct Run<'c> {
    context: &'c Context,
    records: Vec<Record>,
    message: Option<String>,
    fields: Context,
    keys: Vec<String>,
}

impl Run<'_> {
    /// Adds a pair. One whose key is repeated begins the next record: two lines were merged.
    fn pair(&mut self, pair: &Captures<'_>) {
        let key = &pair[1];
        if self.keys.iter().any(|known| known == key) {
            self.end_record();
        }
        self.keys.push(key.to_owned());
        let quoted = pair.get(2).map(|value| unescaped(value.as_str()));
        let value = quoted.unwrap_or_else(|| pair[3].to_owned());
        match key {
            "msg" => self.message = Some(value),
            "time" => self.fields.set_time(Some(&value)),
            _ => {
                self.fields.fields.set(key, &value);
            }
        }
    }

    fn end_record(&mut self) {
        self.keys.clear();
        let context = std::mem::replace(&mut self.fields, self.context.clone());
        if let Some(message) = self.message.take() {
            self.records.push(Record { message, context });
        }
    }

    fn finish(mut self, rest: String) -> Vec<Record> {
        if self.message.is_none() && self.records.is_empty() {
            return vec![Record {
                message: rest,
                context: self.fields,
            }];
        }
        self.end_record();
        self.records.push(Record {
            message: rest,
            context: self.context.clone(),
        });
        self.records
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
