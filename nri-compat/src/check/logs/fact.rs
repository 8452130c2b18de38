//! Facts about plugins in the messages of a runtime: the wordings of NRI v0.2.0 to v0.12.5,
//! containerd and CRI-O.

use super::record::Record;
use crate::facts::EVENTS;

/// A fact about a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    /// The plugin: `10-template`, or only a name; `None` if the message names none.
    pub(super) plugin: Option<String>,
    /// The fact.
    pub(super) claim: Claim,
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

/// A warning of a runtime that is recognised even if it cannot be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Warning {
    /// A plugin relies on `StateChange`.
    StateChange,
    /// v0.1.0 plugins were run.
    OneShot,
}

/// The beginnings of warnings, of which nobody but a runtime is the author.
const WARNINGS: [(&str, Warning); 3] = [
    (
        "NRI plugin uses a deprecated interface",
        Warning::StateChange,
    ),
    (
        "uses deprecated StateChange instead of a dedicated ",
        Warning::StateChange,
    ),
    ("Deprecated NRI plugin(s) ", Warning::OneShot),
];

/// Returns the warning of a runtime in a text that could not be parsed, such as a record that was cut.
pub(super) fn warning(text: &str) -> Option<Warning> {
    let mut warnings = WARNINGS.iter();
    warnings
        .find(|(words, _)| memchr::memmem::find(text.as_bytes(), words.as_bytes()).is_some())
        .map(|(_, warning)| *warning)
}

/// The message of containerd whose details are in fields.
const DEPRECATED_INTERFACE: &str = "NRI plugin uses a deprecated interface.";

/// The maximum length of a plugin name in bytes.
const MAX_NAME: usize = 128;

/// The maximum length of a reason in characters.
const MAX_REASON: usize = 200;

/// Returns all facts in a record; none if it is about something else.
pub(super) fn facts(record: &Record) -> Vec<Fact> {
    let readers = [
        state_change_fields,
        state_change_text,
        registered,
        connected,
        closed,
        failed,
    ];
    if let Some(plugins) = one_shot(&record.text) {
        return plugins
            .filter_map(|plugin| fact(plugin, Claim::OneShot))
            .collect();
    }
    readers
        .iter()
        .find_map(|read| read(record))
        .into_iter()
        .collect()
}

/// Splits containerd's message about a deprecated interface from the fields that follow it.
pub(super) fn split_deprecation(text: &str) -> Option<(&str, &str)> {
    let fields = text.strip_prefix(DEPRECATED_INTERFACE)?;
    Some((DEPRECATED_INTERFACE, fields))
}

/// Returns the fact if the plugin has the name of an NRI plugin, `10-template`: programs of all kinds have plugins.
fn indexed(plugin: &str, claim: Claim) -> Option<Fact> {
    let name = plugin.rsplit(':').next().unwrap_or(plugin);
    let is_indexed = matches!(name.as_bytes(), [b'0'..=b'9', b'0'..=b'9', b'-', _, ..]);
    if is_indexed {
        fact(plugin, claim)
    } else {
        None
    }
}

fn fact(plugin: &str, claim: Claim) -> Option<Fact> {
    let is_name =
        !plugin.is_empty() && plugin.len() <= MAX_NAME && !plugin.contains(char::is_control);
    is_name.then(|| Fact {
        plugin: Some(plugin.to_owned()),
        claim,
    })
}

/// Parses the format of containerd: `deprecated=StateChange details="does not implement … RPC call"
/// plugin=10-template`.
fn state_change_fields(record: &Record) -> Option<Fact> {
    let is_about_nri = record.text.starts_with(DEPRECATED_INTERFACE);
    if !is_about_nri || record.deprecated.as_deref() != Some("StateChange") {
        return None;
    }
    let details = record
        .details
        .as_deref()?
        .strip_prefix("does not implement ")?;
    let dedicated = details.strip_prefix("a dedicated ");
    let rpc = dedicated.map_or(Some(details), |rpc| rpc.strip_suffix(" RPC call"))?;
    fact(
        record.plugin.as_deref()?,
        Claim::StateChange(identifier(rpc)?),
    )
}

/// Reads the warning of a runtime without a recorder, such as CRI-O.
fn state_change_text(record: &Record) -> Option<Fact> {
    let (plugin, rest) = record.text.strip_prefix("plugin ")?.split_once(' ')?;
    let rest = rest.strip_prefix("uses deprecated StateChange instead of a dedicated ")?;
    let (rpc, _) = rest.split_once(" RPC call")?;
    indexed(plugin, Claim::StateChange(identifier(rpc)?))
}

/// Returns the name of an RPC, unless it has characters that show that the line was cut or merged
/// with another.
fn identifier(rpc: &str) -> Option<String> {
    let sound = (1..=64).contains(&rpc.len())
        && rpc.starts_with(|first: char| first.is_ascii_uppercase())
        && rpc.chars().all(|letter| letter.is_ascii_alphanumeric());
    sound.then(|| rpc.to_owned())
}

/// Parses the message of containerd about running v0.1.0 plugins for a pod.
fn one_shot(text: &str) -> Option<impl Iterator<Item = &str>> {
    let (names, _) = text
        .strip_prefix("Deprecated NRI plugin(s) ")?
        .split_once(": NRI 0.1.0")?;
    Some(names.split(',').map(str::trim))
}

/// Parses `plugin "pre-connected:10-template[4242]" registered as "10-template" (with NRI version
/// v0.12.5)`.
fn registered(record: &Record) -> Option<Fact> {
    let (_, rest) = record
        .text
        .strip_prefix("plugin \"")?
        .split_once("\" registered as \"")?;
    let (plugin, rest) = rest.split_once('"')?;
    let version = rest
        .strip_prefix(" (with NRI version ")
        .and_then(|rest| rest.strip_suffix(')'));
    indexed(
        plugin,
        Claim::Registered(clean(version.unwrap_or_default())),
    )
}

fn connected(record: &Record) -> Option<Fact> {
    if let Some(rest) = record.text.strip_prefix("pre-installed NRI plugin \"") {
        return fact(
            rest.strip_suffix("\" synchronization success")?,
            Claim::Connected,
        );
    }
    let plugin = record.text.strip_prefix("plugin \"")?;
    indexed(plugin.split_once("\" connected")?.0, Claim::Connected)
}

/// Parses `closing plugin 10-template, failed to handle RunPodSandbox request: …`, with the number
/// of the event up to v0.11.0, and `plugin 10-template failed to handle …, proceeding without it:
/// …` from v0.12.4 on.
fn closed(record: &Record) -> Option<Fact> {
    let (plugin, why) = match record.text.strip_prefix("closing plugin ") {
        Some(rest) => rest.split_once(", failed to ")?,
        None => record
            .text
            .strip_prefix("plugin ")?
            .split_once(" failed to handle ")?,
    };
    let why = why.strip_prefix("handle ").unwrap_or(why);
    let (request, reason) = why.split_once(": ").unwrap_or((why, ""));
    indexed(
        plugin,
        Claim::Failed(format!(
            "failed at {}: {}",
            by_name(request),
            reason_of(reason)
        )),
    )
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

/// Reads a message about a plugin that failed at start, registration or synchronization.
fn failed(record: &Record) -> Option<Fact> {
    let (step, rest) = record.text.strip_prefix("failed to ")?.split_once(' ')?;
    if !matches!(step, "create" | "initialize" | "start" | "synchronize") {
        return None;
    }
    if let Some(why) = rest.strip_prefix("external plugin: ") {
        let claim = Claim::Failed(format!("failed to {step}: {}", reason_of(why)));
        return Some(Fact {
            plugin: None,
            claim,
        });
    }
    let (plugin, why) = rest
        .strip_prefix("pre-installed NRI plugin \"")?
        .split_once("\": ")?;
    fact(
        plugin,
        Claim::Failed(format!("failed to {step}: {}", reason_of(why))),
    )
}

/// Returns untrusted text as one line of a report.
pub(super) fn clean(text: &str) -> String {
    let shown = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter });
    shown.take(MAX_REASON).collect::<String>().trim().to_owned()
}
