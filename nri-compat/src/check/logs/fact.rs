//! Facts about plugins in the messages of a runtime: the wordings of NRI v0.2.0 to v0.12.5,
//! containerd and CRI-O.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::record::{Field, Record, regex};
use crate::facts::{DEDICATED, EVENTS};

/// A statement about NRI or one of its plugins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) topic: Topic,
    /// The text of the statement. Empty if it says only that the plugin is there.
    pub(super) note: String,
    /// The RPC that the plugin does not have, so that its event was delivered as `StateChange`.
    pub(super) rpc: Option<String>,
    /// The NRI version that the plugin reported when it registered.
    pub(super) version: Option<String>,
}

/// The subject of a statement, with the name of the plugin, `10-template`, or only `template`.
pub(super) type Topic = (Subject, Option<String>);

/// The subject of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject {
    /// An entry about `StateChange` in `ctr deprecations list`.
    Listed,
    /// An entry about v0.1.0 plugins in this list.
    ListedOneShot,
    /// A plugin.
    Plugin,
    /// A v0.1.0 plugin, which was run.
    OneShot,
    /// A warning about `StateChange` that was truncated, or in an unknown format. It still proves that there is a plugin.
    Unread,
    /// Such a warning about v0.1.0 plugins.
    UnreadOneShot,
}

impl Subject {
    /// Returns true for a warning that was truncated, or in an unknown format.
    pub(super) fn is_unread(self) -> bool {
        matches!(self, Self::Unread | Self::UnreadOneShot)
    }
}

/// The maximum length of a reason in characters.
const MAX_REASON: usize = 200;

/// The maximum length of the names of plugins in a statement, or of that of an event, in bytes.
const MAX_NAMES: usize = 1024;

/// A word in every text that is about a plugin.
pub(super) const WORD: &str = "plugin";

/// The message of containerd whose details are in fields.
const DEPRECATED_INTERFACE: &str = "NRI plugin uses a deprecated interface";

/// The line of a list of deprecations with the message of an entry, whose id is on another line.
const LISTED_MESSAGE: &str = "\"message\": \"NRI plugin";

/// The wordings of messages, each with what it says. Those of unread warnings count only if nothing else was found.
///
/// `NAME` is the name of a plugin with its index: programs of all kinds have plugins, but do not call them
/// `10-template`. Messages that name no plugin need one of NRI's own reasons.
const WORDINGS: [(Subject, &str); 6] = [
    (
        Subject::Plugin,
        r#"
        NRI plugin uses a deprecated interface(?s:.*)\nStateChange\ndoes not implement (?:a dedicated )?EVENT(?: RPC call)?\nANY$ => the runtime called StateChange instead of $event
        plugin NAME uses deprecated StateChange instead of a dedicated EVENT RPC call => the runtime called StateChange instead of $event
        plugin "[^"]*" registered as "NAME"(?:$|[^ ]| [^(]) => it registered; this runtime does not log the NRI version of plugins
        plugin "[^"]*" registered as "NAME" \(with NRI version (?<version>v[^)]*)\) => it registered and reported NRI version $version
        plugin "[^"]*" registered as "NAME" \(with NRI version [^v] => it registered without an NRI version: its stub is older than DEDICATED, or does not send one
        pre-installed NRI plugin "ANY" synchronization success => CONNECTED
        plugin "(?:[^":]*:)?NAME(?:\[[0-9]+\])?" connected => CONNECTED
        closing plugin NAME, failed to (?:handle )?(?<request>[^:]*)(?:: (?<reason>.*))? => failed at $request: $reason
        plugin NAME failed to handle (?<request>[^:]*)(?:: (?<reason>.*))? => failed at $request: $reason
        failed to STEP pre-installed NRI plugin "ANY": (?<reason>.*) => failed to $step: $reason
        failed to STEP (?:external )?plugin: (?<reason>(?:failed to (?:configure|multiplex|register|synchronize)|invalid plugin|plugin registration).*) => a plugin that the message does not name failed to $step: $reason
        "#,
    ),
    (
        Subject::OneShot,
        r"Deprecated NRI plugin\(s\) (?<plugin>[^:\x00-\x1F\x7F-\x9F]+): NRI 0[.]1[.]0 => the runtime ran it as a v0.1.0 plugin",
    ),
    (
        Subject::Listed,
        "io[.]containerd[.]deprecation/nri-plugin-interface => the runtime recorded a plugin that relies on StateChange; LISTED",
    ),
    (
        Subject::ListedOneShot,
        "io[.]containerd[.]deprecation/nri-v010-plugin => the runtime recorded a v0.1.0 plugin; LISTED",
    ),
    (
        Subject::Unread,
        "NRI plugin uses a deprecated interface|uses deprecated StateChange instead of a dedicated[ ] => the line warns about a plugin that relies on StateChange, UNREAD",
    ),
    (
        Subject::UnreadOneShot,
        r"Deprecated NRI plugin\(s\)[ ] => the line warns about a v0.1.0 plugin, UNREAD",
    ),
];

/// The placeholders in wordings. Control characters are listed, because `regex` knows `\p{Cc}` only with its tables of Unicode.
const PLACEHOLDERS: [(&str, &str); 8] = [
    ("ANY", r#"(?<plugin>[^"\x00-\x1F\x7F-\x9F]+)"#),
    ("NAME", r#"(?<plugin>[0-9]{2}-[^\s"',:\\\[\]]+)"#),
    ("EVENT", "(?<event>[A-Z][0-9A-Za-z]*)"),
    ("STEP", "(?<step>create|initialize|start|synchronize)"),
    ("DEDICATED", DEDICATED),
    ("CONNECTED", "it connected"),
    ("LISTED", "its list names neither plugin nor event, but its log does"),
    ("UNREAD", "truncated or in an unknown format: cannot determine which one"),
];

/// A wording: its subject, its pattern, and what it says, with the names of groups.
type Wording = (Subject, Regex, String);

static PATTERNS: LazyLock<Vec<Wording>> = LazyLock::new(|| {
    let rows = WORDINGS.iter().flat_map(|(subject, rows)| {
        let rows = rows.lines().filter_map(|row| row.trim().split_once(" => "));
        rows.map(|(pattern, note)| (*subject, pattern, note))
    });
    let filled = |text: &str| {
        let placeholders = PLACEHOLDERS.iter();
        placeholders.fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
    };
    rows.map(|(subject, pattern, note)| (subject, regex(&filled(pattern)), filled(note))).collect()
});

/// The words with which journald or rsyslog says that it dropped messages, and its names: `Suppressed 12 messages from
/// containerd.service`, `imjournal: 12 messages lost due to rate-limiting`.
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
    let mut dropped = DROPPED.iter();
    dropped.any(|patterns| patterns.iter().all(|pattern| pattern.is_match(line)))
}

/// Returns true for the message of containerd whose details are in fields.
pub(super) fn is_deprecated_interface(text: &str) -> bool {
    text.contains(DEPRECATED_INTERFACE)
}

/// Returns all statements in a record; none if it is about something else.
pub(super) fn statements(record: &Record) -> Vec<Statement> {
    let get = |field| record.get(&field).map_or("", String::as_str);
    let message = get(Field::Message);
    // Most texts are about something else, which one search shows faster than all patterns.
    if !message.contains(WORD) {
        return Vec::new();
    }
    let mut text = Cow::Borrowed(message);
    if is_deprecated_interface(message) {
        let fields = [Field::Deprecated, Field::Details, Field::Plugin];
        let fields = fields.iter().flat_map(|field| ["\n", get(*field)]);
        text.to_mut().extend(fields);
    }
    let mut found: Vec<Statement> = Vec::new();
    for (subject, pattern, note) in PATTERNS.iter() {
        if subject.is_unread() && (!found.is_empty() || message.contains(LISTED_MESSAGE)) {
            break;
        }
        for groups in pattern.captures_iter(&text) {
            found.extend(in_groups(*subject, &groups, note));
        }
    }
    found
}

/// Returns the statements in the groups of a wording.
fn in_groups(subject: Subject, groups: &Captures<'_>, note: &str) -> Vec<Statement> {
    let group = |name| Some(groups.name(name)?.as_str());
    let mut said = String::new();
    groups.expand(note, &mut said);
    let statement = |name: Option<&str>| Statement {
        topic: (subject, name.map(str::to_owned)),
        note: in_words(&said, group("request")),
        rpc: group("event").map(str::to_owned),
        version: group("version").map(clean),
    };
    let mut names = [group("event"), group("plugin")].into_iter().flatten();
    if names.any(|names| names.len() > MAX_NAMES) {
        return Vec::new();
    }
    let Some(names) = group("plugin") else {
        return vec![statement(None)];
    };
    let names = names.split(',').map(str::trim);
    let names = names.filter(|name| !name.is_empty());
    names.map(|name| statement(Some(name))).collect()
}

/// Returns a note in words that do not require knowledge of ttrpc, and with the name of the event instead of its number,
/// which runtimes up to v0.11.0 log.
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
    let shown = text.chars().take(MAX_REASON);
    let shown = shown.map(|letter| if letter.is_control() { ' ' } else { letter });
    shown.collect::<String>().trim().to_owned()
}
