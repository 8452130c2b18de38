//! Facts about plugins in the messages of a runtime.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::record::{Field, Record, regex};
use super::subject::{Stage, Subject};
use super::wording::{DEPRECATED_INTERFACE, LISTED_MESSAGE, Pattern, candidates};
use crate::facts::EVENTS;
use crate::rules::incident::Incident;

/// A statement about NRI or one of its plugins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) topic: Topic,
    /// The text of the statement. Empty if it only names the plugin that the next ones are about.
    pub(super) note: String,
    /// The RPC that the plugin does not have, so that its event was delivered as `StateChange`.
    pub(super) rpc: Option<String>,
    /// The NRI version that the plugin reported when it registered.
    pub(super) version: Option<String>,
    /// The incident that it reports, if any.
    pub(super) incident: Option<&'static Incident>,
    /// The events that the plugin subscribed to and the runtime does not know.
    pub(super) unknown_events: Vec<String>,
    /// The part of the life of the plugin.
    pub(super) stage: Stage,
    /// True if the words are not NRI's own: then it counts only after a message about a plugin.
    pub(super) needs_plugin: bool,
}

/// The subject of a statement, with the name of the plugin, `10-template`, or only `template`.
pub(super) type Topic = (Subject, Option<String>);

/// The maximum length of a reason in characters.
const MAX_REASON: usize = 200;

/// The maximum length of the names of plugins in a statement, or of that of an event, in bytes.
const MAX_NAMES: usize = 1024;

/// The words with which journald or rsyslog says that it dropped messages, and its names:
/// `Suppressed 12 messages from containerd.service`,
/// `imjournal: 12 messages lost due to rate-limiting`.
static DROPPED: LazyLock<[[Regex; 2]; 2]> = LazyLock::new(|| {
    let by_journald =
        "Suppressed [0-9]+ messages from |Forwarding to syslog missed [0-9]+ messages";
    let by_rsyslog = "messages (?:lost |from pid [0-9]+ )?due to rate-limiting";
    [
        [by_journald, "journald|JOURNAL|systemd-journal"].map(regex),
        [by_rsyslog, "rsyslog|imjournal|imuxsock"].map(regex),
    ]
});

/// Returns true if journald or rsyslog says in a line that it dropped messages.
pub(super) fn is_about_dropped(line: &str) -> bool {
    DROPPED.iter().any(|patterns| patterns.iter().all(|pattern| pattern.is_match(line)))
}

/// Returns true for the message of containerd whose details are in fields.
pub(super) fn is_deprecated_interface(text: &str) -> bool {
    text.contains(DEPRECATED_INTERFACE)
}

/// Returns all statements in a record; none if it is about something else.
pub(super) fn statements(record: &Record) -> Vec<Statement> {
    let get = |field| record.get(&field).map_or("", String::as_str);
    let message = get(Field::Message);
    let mut text = Cow::Borrowed(message);
    if is_deprecated_interface(message) {
        let fields = [Field::Deprecated, Field::Details, Field::Plugin];
        text.to_mut().extend(fields.iter().flat_map(|field| ["\n", get(*field)]));
    }
    let mut found: Vec<Statement> = Vec::new();
    // The first incident that matches a part of the text stands for it.
    let mut taken: Vec<Range<usize>> = Vec::new();
    for pattern in candidates(&text) {
        if pattern.subject.is_unread() && (!found.is_empty() || message.contains(LISTED_MESSAGE)) {
            break;
        }
        for groups in pattern.regex.captures_iter(&text) {
            let range = groups.get_match().range();
            if pattern.incident.is_some() {
                let is_part =
                    |other: &Range<usize>| other.start < range.end && range.start < other.end;
                let is_taken = taken.iter().any(is_part);
                taken.push(range);
                if is_taken {
                    continue;
                }
            }
            found.extend(in_groups(pattern, &groups));
        }
    }
    found
}

/// Returns the statements in the groups of a wording.
fn in_groups(pattern: &Pattern, groups: &Captures<'_>) -> Vec<Statement> {
    let group = |name| Some(groups.name(name)?.as_str());
    let mut expanded = String::new();
    groups.expand(&pattern.says, &mut expanded);
    let said = without_wrapper(&expanded);
    let mask = group("mask").map(unknown_events).unwrap_or_default();
    let statement = |name: Option<&str>| Statement {
        topic: topic(pattern, name),
        note: in_words(said, group("request")),
        rpc: group("event").map(str::to_owned),
        version: group("version").map(clean),
        incident: pattern.incident,
        unknown_events: mask.clone(),
        stage: pattern.stage,
        needs_plugin: pattern.needs_plugin,
    };
    let plugins = group("plugin").or(group("own"));
    let mut lists = [group("event"), plugins].into_iter().flatten();
    if lists.any(|names| names.len() > MAX_NAMES) {
        return Vec::new();
    }
    let Some(plugins) = plugins else {
        return vec![statement(None)];
    };
    plugins
        .split(',')
        .chain(group("other"))
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(|name| statement(Some(name)))
        .collect()
}

/// Returns what a message says without the quotes after it, which are those of a wrapper unless one
/// was opened within.
fn without_wrapper(said: &str) -> &str {
    let bare = said.trim_end().trim_end_matches(['"', '\'', '\\', ':']);
    let is_open = bare.matches('"').count() % 2 == 1;
    if is_open { said.trim_end() } else { bare }
}

/// Returns the topic of a statement. If it names no plugin, and the plugin still serves, the
/// runtime is all that it is about.
fn topic(pattern: &Pattern, name: Option<&str>) -> Topic {
    let serves = pattern.incident.is_some() && pattern.stage == Stage::Other;
    match name {
        None if pattern.subject == Subject::Plugin && serves => (Subject::Runtime, None),
        _ => (pattern.subject, name.map(str::to_owned)),
    }
}

/// Returns the names of the events of the bits in a mask, `0x2000`.
fn unknown_events(mask: &str) -> Vec<String> {
    let digits = mask.trim_start_matches("0x");
    let bits = u64::from_str_radix(digits, 16).unwrap_or_default();
    (0..u64::BITS as usize).filter(|bit| bits >> bit & 1 == 1).map(event_name).collect()
}

/// Returns the name of the event of a bit; one that this version does not know is `event 15`.
fn event_name(bit: usize) -> String {
    EVENTS.get(bit).map_or_else(|| format!("event {}", bit + 1), |&name| name.to_owned())
}

/// Returns a note in words that do not require knowledge of ttrpc, and with the name of the event
/// instead of its number, which runtimes up to v0.11.0 log.
fn in_words(note: &str, request: Option<&str>) -> String {
    let number = request.and_then(|request| request.strip_prefix("event ")?.parse::<usize>().ok());
    let event = number.and_then(|number| EVENTS.get(number.checked_sub(1)?));
    let timeout = "context deadline exceeded";
    let mut note = note.replace(timeout, &format!("timed out ({timeout})"));
    if let (Some(event), Some(request)) = (event, request) {
        note = note.replacen(request, &format!("{event} request"), 1);
    }
    clean(&note)
}

/// Returns untrusted text as one line of a report.
pub(super) fn clean(text: &str) -> String {
    let start = text.chars().take(MAX_REASON);
    let shown: String =
        start.map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    shown.trim().to_owned()
}
