//! Facts about plugins in the messages of a runtime: the wordings of NRI v0.2.0 to v0.12.5,
//! containerd and CRI-O.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::context::{Fields, regex};
use super::logfmt::Record;
use crate::facts::EVENTS;

/// A statement about NRI or one of its plugins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Statement {
    /// A fact about the plugin with this name, `10-template`, or only `template`. `None` if the message names none.
    Fact(Option<String>, Claim),
    /// An entry of `ctr deprecations list`.
    Listed(Warning),
    /// A warning about a plugin that was truncated.
    Unread(Warning),
}

/// The content of a fact about a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// It has no RPC for this event, which was delivered as `StateChange`.
    StateChange(String),
    /// It is a v0.1.0 plugin, and was run.
    OneShot,
    /// It registered and reported this NRI version: empty if the runtime does not log it, `unknown`
    /// if the plugin did not send it.
    Registered(String),
    /// It connected, or was synchronized.
    Connected,
    /// It was closed or skipped, or did not start, for this reason.
    Failed(String),
}

/// A deprecation of NRI, about which a runtime warns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Warning {
    /// A plugin relies on `StateChange`.
    StateChange,
    /// v0.1.0 plugins were run.
    OneShot,
}

/// The message of containerd whose details are in fields.
const DEPRECATED_INTERFACE: &str = "NRI plugin uses a deprecated interface";

/// The words of warnings, of which nobody but a runtime is the author.
const WARNINGS: [(&str, Warning); 3] = [
    (DEPRECATED_INTERFACE, Warning::StateChange),
    (
        "uses deprecated StateChange instead of a dedicated ",
        Warning::StateChange,
    ),
    ("Deprecated NRI plugin(s) ", Warning::OneShot),
];

/// The line of a list of deprecations with the message of an entry, whose id is on another line.
const LISTED_MESSAGE: &str = "\"message\": \"NRI plugin";

/// The maximum length of a plugin name in bytes.
const MAX_NAME: usize = 128;

/// The maximum length of a reason in characters.
const MAX_REASON: usize = 200;

/// Returns the statement in the groups of a wording.
type Reading = fn(&Captures<'_>) -> Option<Statement>;

/// A wording of a message, and how it is read.
type Wording = (Regex, Reading);

/// The wordings. `NAME` is the name of a plugin with its index: programs of all kinds have plugins,
/// but do not call them `10-template`. Messages that name no plugin need one of NRI's own reasons.
static WORDINGS: LazyLock<[Wording; 9]> = LazyLock::new(|| {
    let wordings: [(&str, Reading); 9] = [
        (
            "plugin NAME uses deprecated StateChange instead of a dedicated EVENT RPC call",
            state_change,
        ),
        (
            r#"plugin "[^"]*" registered as "NAME"(?: \(with NRI version ([^)]*)\))?"#,
            registered,
        ),
        (
            r#"pre-installed NRI plugin "([^"]+)" synchronization success"#,
            connected,
        ),
        (
            r#"plugin "(?:[^":]*:)?NAME(?:\[[0-9]+\])?" connected"#,
            connected,
        ),
        (
            "closing plugin NAME, failed to (?:handle )?([^:]*)(?:: (.*))?",
            failed_request,
        ),
        (
            "plugin NAME failed to handle ([^:]*)(?:: (.*))?",
            failed_request,
        ),
        (
            r#"failed to (STEP) pre-installed NRI plugin "([^"]+)": (.*)"#,
            failed_step,
        ),
        (
            "failed to (STEP) (?:external )?plugin(): (REASON.*)",
            failed_step,
        ),
        (
            "io[.]containerd[.]deprecation/(nri-plugin-interface|nri-v010-plugin)",
            listed,
        ),
    ];
    wordings.map(|(pattern, statement)| (wording(pattern), statement))
});

/// The names of the v0.1.0 plugins that containerd ran for a pod.
static ONE_SHOT: LazyLock<Regex> =
    LazyLock::new(|| regex(r"Deprecated NRI plugin\(s\) ([^:]*): NRI 0[.]1[.]0"));

/// The details of [`DEPRECATED_INTERFACE`], in the words of every release.
static DETAILS: LazyLock<Regex> =
    LazyLock::new(|| wording("^does not implement (?:a dedicated EVENT RPC call|EVENT)$"));

/// Compiles a pattern with placeholders.
fn wording(pattern: &str) -> Regex {
    let reasons = "(?:failed to (?:configure|multiplex|register|synchronize)|invalid plugin|plugin registration)";
    let pattern = pattern
        .replace("NAME", r#"([0-9]{2}-[^\s"',:\\\[\]]{1,125})"#)
        .replace("EVENT", "([A-Z][0-9A-Za-z]{0,63})")
        .replace("STEP", "create|initialize|start|synchronize")
        .replace("REASON", reasons);
    regex(&pattern)
}

/// Returns true for the message of containerd whose details are in fields.
pub(super) fn is_deprecated_interface(text: &str) -> bool {
    text.contains(DEPRECATED_INTERFACE)
}

/// Returns all statements in a record; none if it is about something else.
pub(super) fn statements(record: &Record) -> Vec<Statement> {
    let message = record.message.as_str();
    let mut found: Vec<Statement> = WORDINGS
        .iter()
        .flat_map(|(pattern, statement)| {
            let matches = pattern.captures_iter(message);
            matches.filter_map(|groups| statement(&groups))
        })
        .collect();
    for groups in ONE_SHOT.captures_iter(message) {
        let names = groups[1].split(',').map(str::trim);
        found.extend(names.filter_map(|name| fact(name, Claim::OneShot)));
    }
    if is_deprecated_interface(message) {
        found.extend(deprecated_interface(&record.context.fields));
    }
    if found.is_empty() && !message.contains(LISTED_MESSAGE) {
        found.extend(warning(message).map(Statement::Unread));
    }
    found
}

/// Returns the first warning in a message that could not be read, such as one that was truncated.
fn warning(message: &str) -> Option<Warning> {
    let mut warnings = WARNINGS.iter();
    warnings
        .find(|(words, _)| message.contains(words))
        .map(|(_, warning)| *warning)
}

fn fact(plugin: &str, claim: Claim) -> Option<Statement> {
    let is_name =
        !plugin.is_empty() && plugin.len() <= MAX_NAME && !plugin.contains(char::is_control);
    is_name.then(|| Statement::Fact(Some(plugin.to_owned()), claim))
}

/// Reads the fields of containerd: `deprecated=StateChange details="does not implement … RPC call"
/// plugin=10-template`.
fn deprecated_interface(fields: &Fields) -> Option<Statement> {
    if fields.deprecated.as_deref() != Some("StateChange") {
        return None;
    }
    let details = DETAILS.captures(fields.details.as_deref()?)?;
    let event = details.get(1).or_else(|| details.get(2))?;
    fact(
        fields.plugin.as_deref()?,
        Claim::StateChange(event.as_str().to_owned()),
    )
}

/// Reads the warning of a runtime without a recorder, such as CRI-O.
fn state_change(groups: &Captures<'_>) -> Option<Statement> {
    fact(&groups[1], Claim::StateChange(groups[2].to_owned()))
}

fn registered(groups: &Captures<'_>) -> Option<Statement> {
    let version = groups.get(2).map_or("", |version| version.as_str());
    fact(&groups[1], Claim::Registered(clean(version)))
}

fn connected(groups: &Captures<'_>) -> Option<Statement> {
    fact(&groups[1], Claim::Connected)
}

/// Reads the failure of a request, which has the number of the event up to v0.11.0.
fn failed_request(groups: &Captures<'_>) -> Option<Statement> {
    let reason = groups.get(3).map_or("", |reason| reason.as_str());
    let reason = format!("failed at {}: {}", by_name(&groups[2]), reason_of(reason));
    fact(&groups[1], Claim::Failed(reason))
}

/// Reads the failure of a plugin to start, register or synchronize.
fn failed_step(groups: &Captures<'_>) -> Option<Statement> {
    let claim = Claim::Failed(format!(
        "failed to {}: {}",
        &groups[1],
        reason_of(&groups[3])
    ));
    match &groups[2] {
        "" => Some(Statement::Fact(None, claim)),
        plugin => fact(plugin, claim),
    }
}

fn listed(groups: &Captures<'_>) -> Option<Statement> {
    Some(Statement::Listed(match &groups[1] {
        "nri-v010-plugin" => Warning::OneShot,
        _ => Warning::StateChange,
    }))
}

/// Returns `RunPodSandbox request` for `event 1`.
fn by_name(request: &str) -> String {
    let number = request
        .strip_prefix("event ")
        .and_then(|number| number.parse::<usize>().ok());
    let event = number.and_then(|number| EVENTS.get(number.checked_sub(1)?));
    event.map_or_else(|| clean(request), |event| format!("{event} request"))
}

/// Returns a reason in words that do not require knowledge of ttrpc.
fn reason_of(reason: &str) -> String {
    if reason.contains("deadline exceeded") {
        return format!("timed out ({})", clean(reason));
    }
    clean(reason)
}

/// Returns untrusted text as one line of a report.
pub(super) fn clean(text: &str) -> String {
    let shown = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter });
    shown.take(MAX_REASON).collect::<String>().trim().to_owned()
}

/// Returns the bytes of a line as one line of a report.
pub(super) fn clean_bytes(line: &[u8]) -> String {
    clean(&String::from_utf8_lossy(line))
}
