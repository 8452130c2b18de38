//! The facts that the wrappers of a line add to it: time, host, and fields beside its message.

use std::sync::LazyLock;

use regex::Regex;

/// The maximum number of bytes before the text of a line.
const MAX_HEADER: usize = 512;

/// The forms of a time in the header of a line: RFC 3339, also with a space; those of journalctl and syslog; seconds
/// since 1970.
const TIME: &str = r"(?:[A-Z][a-z]{2} )?[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]{8,}(?:Z|[+-][0-9]{2}:?[0-9]{2}| [A-Z]{3,4})?|[A-Z][a-z]{2} +[0-9]{1,2} [0-9:.]{8,}|[0-9]{10}\.[0-9]+";

/// `TIME [HOST] UNIT[PID]: ` of journald and syslog, or with the seconds since boot instead of the time.
static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    let seconds = r"\[[0-9 .<>+]+\]";
    let unit = r"(?:[0-9A-Za-z_.@/-]+\[[0-9]+\]|[A-Za-z][0-9A-Za-z_.@-]*): ";
    regex(&format!(
        "(?:({TIME})|{seconds}) (?:([0-9A-Za-z_.-]+) )?{unit}"
    ))
});

/// `<PRIORITY>1 TIME HOST ` of RFC 5424: <https://www.rfc-editor.org/rfc/rfc5424#section-6>
static RFC_5424: LazyLock<Regex> = LazyLock::new(|| regex(r"<[0-9]{1,3}>1 ([^ ]+) ([^ ]+) "));

/// A time anywhere else in a header.
static ANY_TIME: LazyLock<Regex> = LazyLock::new(|| regex(&format!("({TIME})()")));

/// A time at the beginning of a line.
static FIRST_TIME: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(
        "^(?:<[0-9]+>1? ?|time=\"|[A-Z]{{4}}\\[)?(?:{TIME})"
    ))
});

/// Compiles one of the patterns of this reader.
pub(super) fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant")
}

/// The context of a text. The innermost wrapper takes precedence, because it is closest to the
/// runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Context {
    /// The time stamp, as in the line.
    pub(super) time: Option<String>,
    pub(super) host: Option<String>,
    /// The fields of a record that a collector keeps beside the message.
    pub(super) fields: Fields,
}

/// The relevant fields of a record besides its message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fields {
    pub(super) plugin: Option<String>,
    pub(super) deprecated: Option<String>,
    pub(super) details: Option<String>,
}

impl Fields {
    /// Sets a field, if it is relevant. Returns false if it is not.
    pub(super) fn set(&mut self, key: &str, value: &str) -> bool {
        let field = match key {
            "plugin" => &mut self.plugin,
            "deprecated" => &mut self.deprecated,
            "details" => &mut self.details,
            _ => return false,
        };
        *field = Some(value.to_owned());
        true
    }
}

impl Context {
    /// Sets the time stamp, if there is one.
    pub(super) fn set_time(&mut self, time: Option<&str>) {
        self.time = time.map(str::to_owned).or_else(|| self.time.take());
    }

    /// Sets the name of the host, if there is one.
    pub(super) fn set_host(&mut self, host: Option<&str>) {
        let host = host.filter(|host| !host.is_empty() && *host != "-");
        self.host = host.map(str::to_owned).or_else(|| self.host.take());
    }

    /// Adds what the header of a text says.
    pub(super) fn with_header(mut self, text: &str) -> Self {
        let header = header(text);
        for pattern in [&RFC_5424, &HEADER, &ANY_TIME] {
            if let Some(found) = pattern.captures(header) {
                self.set_time(found.get(1).map(|time| time.as_str()));
                self.set_host(found.get(2).map(|host| host.as_str()));
                break;
            }
        }
        self
    }
}

/// Returns true if a text begins with a time in a known form.
pub(super) fn begins_with_time(text: &str) -> bool {
    FIRST_TIME.is_match(text)
}

/// Returns the part of a text that may be a header: no JSON begins in it.
fn header(text: &str) -> &str {
    let mut end = text.len().min(MAX_HEADER);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].split('{').next().unwrap_or_default()
}
