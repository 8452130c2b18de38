//! The known facts about a line: its message, its time and host, and the fields of a runtime's
//! record.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

pub(super) use crate::pattern::regex;

/// Something that a line or one of its wrappers says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Field {
    Message,
    /// The time stamp, as in the line.
    Time,
    Host,
    /// A field that a collector may keep beside the message, like the next two.
    Plugin,
    Deprecated,
    Details,
    /// An object about the source of a line, whose host takes precedence over that of the
    /// collector.
    Source,
    /// The name of a host that is an object.
    Name,
    /// The key of an attribute in a list of attributes.
    Key,
    /// The value of such an attribute, or the text of this value.
    Value,
}

/// The keys of each field. If an object has several, the first one counts.
const KEYS: [(Field, &str); 14] = [
    (Field::Message, "msg log message MESSAGE line"),
    (Field::Message, "textPayload LogEntry short_message"),
    (Field::Time, "time @timestamp timestamp ts date"),
    (Field::Time, "__REALTIME_TIMESTAMP timeUnixNano"),
    (Field::Time, "TimeGenerated lastOccurrence _time"),
    (Field::Source, "kubernetes labels stream metric"),
    (Field::Host, "_HOSTNAME node_name nodeName node host"),
    (Field::Host, "hostname instance Computer host.name"),
    (Field::Plugin, "plugin"),
    (Field::Deprecated, "deprecated"),
    (Field::Details, "details"),
    (Field::Name, "name"),
    (Field::Key, "key"),
    (Field::Value, "value stringValue"),
];

/// A field, and the position of its key in [`KEYS`].
pub(super) type Ranked = (Field, usize);

static RANKS: LazyLock<BTreeMap<&str, Ranked>> = LazyLock::new(|| {
    let keys = KEYS.iter().flat_map(|(field, keys)| keys.split(' ').map(|key| (key, *field)));
    keys.zip(0..).map(|((key, field), nth)| (key, (field, nth))).collect()
});

impl Field {
    /// Returns the field with a key.
    pub(super) fn of_key(key: &str) -> Option<Ranked> {
        // Collectors put something before the fields of a record: `_plugin`, `labels.plugin`.
        let own = key.rsplit(['.', '/', '_']).next().unwrap_or(key);
        let of_record = || RANKS.get(own).filter(|(field, _)| field.is_of_record());
        RANKS.get(key).or_else(of_record).copied()
    }

    /// Returns true for a field that a collector may keep beside the message.
    pub(super) fn is_of_record(self) -> bool {
        (Self::Plugin..=Self::Details).contains(&self)
    }
}

/// The known facts about a line, or about all lines in a wrapper, which has no message.
pub(super) type Record = BTreeMap<Field, String>;

/// Adds what the wrapper of a record says, unless the record says it itself: the innermost wrapper
/// is closest to the runtime.
pub(super) fn inherit(record: &mut Record, wrapper: &Record) {
    for (field, value) in wrapper {
        record.entry(*field).or_insert_with(|| value.clone());
    }
}

/// The maximum number of bytes before the text of a line.
const MAX_HEADER: usize = 512;

/// The forms of a time in the header of a line: RFC 3339, also with a space; those of journalctl
/// and syslog; seconds since 1970.
const TIME: &str = r"(?:[A-Z][a-z]{2} )?[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]{8,}(?:Z|[+-][0-9]{2}:?[0-9]{2}| [A-Z]{3,4})?|[A-Z][a-z]{2} +[0-9]{1,2} [0-9:.]{8,}|[0-9]{10}\.[0-9]+";

/// The forms of a header with a time and a host: `<PRIORITY>1 TIME HOST ` of RFC 5424;
/// `TIME [HOST] UNIT[PID]: ` of journald and syslog, or with the seconds since boot instead of the
/// time; a time anywhere else.
///
/// <https://www.rfc-editor.org/rfc/rfc5424#section-6>
static HEADERS: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    let seconds = r"\[[0-9 .<>+]+\]";
    let unit = r"(?:[0-9A-Za-z_.@/-]+\[[0-9]+\]|[A-Za-z][0-9A-Za-z_.@-]*): ";
    [
        regex(r"<[0-9]{1,3}>1 ([^ ]+) ([^ ]+) "),
        regex(&format!("(?:({TIME})|{seconds}) (?:([0-9A-Za-z_.-]+) )?{unit}")),
        regex(&format!("({TIME})()")),
    ]
});

/// The beginning of a line with a time, and of a line in a list of deprecations as a table or as
/// JSON.
pub(super) static LOG_LINE: LazyLock<Regex> = LazyLock::new(|| {
    let time = format!("(?:<[0-9]+>1? ?|time=\"|[A-Z]{{4}}\\[)?(?:{TIME})");
    regex(&format!(
        "^(?:{time}|ID +LAST OCCURRENCE +MESSAGE|\"id\": \"io[.]containerd[.]deprecation/)"
    ))
});

/// Returns what the header of a text says.
pub(super) fn header(text: &str) -> Record {
    // No JSON begins in a header.
    let end = (0..=MAX_HEADER.min(text.len())).rfind(|end| text.is_char_boundary(*end));
    let start = &text[..end.unwrap_or_default()];
    let header = start.split('{').next().unwrap_or_default();
    let found = HEADERS.iter().find_map(|pattern| pattern.captures(header));
    let group = |nth| Some(found.as_ref()?.get(nth)?.as_str());
    [(Field::Time, group(1)), (Field::Host, group(2))]
        .into_iter()
        .filter_map(|(field, value)| Some((field, value?.to_owned())))
        .filter(|(_, value)| !value.is_empty() && value != "-")
        .collect()
}
