//! What a message of the runtime says about a plugin: the wordings of NRI v0.2.0 to v0.12.5, containerd and CRI-O.

use super::format::Message;
use crate::check::events::EVENTS;

/// One thing said about a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    /// The plugin: `10-template`, or a name alone; none where the message names none.
    pub(super) plugin: Option<String>,
    /// What is said of it.
    pub(super) what: What,
}

/// What can be said of a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// It has no RPC for this event, and gets it by `StateChange`.
    StateChange(String),
    /// It is a v0.1.0 plugin, and was run.
    OneShot,
    /// It registered, with this NRI version by its own account: empty where the runtime does not say,
    /// `unknown` where the plugin did not.
    Registered(String),
    /// It connected, or was synchronized.
    Connected,
    /// It was closed or left out, or did not start: the reason.
    Failed(String),
}

/// Longest name of a plugin taken for one.
const LONGEST_NAME: usize = 128;

/// Longest reason kept.
const LONGEST_REASON: usize = 200;

/// All facts of a message; none where it says nothing of the kind.
pub(super) fn facts(message: &Message) -> Vec<Fact> {
    let readers = [
        state_change_fields,
        state_change_text,
        registered,
        connected,
        closed,
        failed,
    ];
    if let Some(plugins) = one_shot(&message.text) {
        return plugins
            .filter_map(|plugin| fact(plugin, What::OneShot))
            .collect();
    }
    readers
        .iter()
        .find_map(|read| read(message))
        .into_iter()
        .collect()
}

/// Whether a message that yields no fact should have yielded one.
pub(super) fn is_garbled(line: &[u8]) -> bool {
    let has = |needle: &[u8]| memchr::memmem::find(line, needle).is_some();
    has(b"StateChange") && (has(b"deprecated StateChange") || has(b"deprecated interface"))
}

fn fact(plugin: &str, what: What) -> Option<Fact> {
    let is_name =
        !plugin.is_empty() && plugin.len() <= LONGEST_NAME && !plugin.contains(char::is_control);
    is_name.then(|| Fact {
        plugin: Some(plugin.to_owned()),
        what,
    })
}

/// containerd: `deprecated=StateChange details="does not implement … RPC call" plugin=10-template`.
fn state_change_fields(message: &Message) -> Option<Fact> {
    if message.deprecated.as_deref() != Some("StateChange") {
        return None;
    }
    let details = message
        .details
        .as_deref()?
        .strip_prefix("does not implement ")?;
    let dedicated = details.strip_prefix("a dedicated ");
    let rpc = dedicated.map_or(Some(details), |rpc| rpc.strip_suffix(" RPC call"))?;
    fact(
        message.plugin.as_deref()?,
        What::StateChange(identifier(rpc)?),
    )
}

/// A runtime without a recorder, such as CRI-O.
fn state_change_text(message: &Message) -> Option<Fact> {
    let (plugin, rest) = message.text.strip_prefix("plugin ")?.split_once(' ')?;
    let rest = rest.strip_prefix("uses deprecated StateChange instead of a dedicated ")?;
    fact(
        plugin,
        What::StateChange(identifier(rest.strip_suffix(" RPC call")?)?),
    )
}

/// The name of an RPC: a line that was cut or ran into another has other letters in its place.
fn identifier(rpc: &str) -> Option<String> {
    let sound = (1..=64).contains(&rpc.len())
        && rpc.starts_with(|first: char| first.is_ascii_uppercase())
        && rpc.chars().all(|letter| letter.is_ascii_alphanumeric());
    sound.then(|| rpc.to_owned())
}

/// containerd, when it runs v0.1.0 plugins for a pod.
fn one_shot(text: &str) -> Option<impl Iterator<Item = &str>> {
    let (names, _) = text
        .strip_prefix("Deprecated NRI plugin(s) ")?
        .split_once(": NRI 0.1.0")?;
    Some(names.split(',').map(str::trim))
}

/// `plugin "pre-connected:10-template[4242]" registered as "10-template" (with NRI version v0.12.5)`
fn registered(message: &Message) -> Option<Fact> {
    let (_, rest) = message
        .text
        .strip_prefix("plugin \"")?
        .split_once("\" registered as \"")?;
    let (plugin, rest) = rest.split_once('"')?;
    let version = rest
        .strip_prefix(" (with NRI version ")
        .and_then(|rest| rest.strip_suffix(')'));
    fact(plugin, What::Registered(clean(version.unwrap_or_default())))
}

fn connected(message: &Message) -> Option<Fact> {
    let plugin = match message.text.strip_prefix("pre-installed NRI plugin \"") {
        Some(rest) => rest.strip_suffix("\" synchronization success")?,
        None => {
            message
                .text
                .strip_prefix("plugin \"")?
                .split_once("\" connected")?
                .0
        }
    };
    fact(plugin, What::Connected)
}

/// `closing plugin 10-template, failed to handle RunPodSandbox request: …`, with the number of the event up to
/// v0.11.0; `plugin 10-template failed to handle …, proceeding without it: …` from v0.12.4 on.
fn closed(message: &Message) -> Option<Fact> {
    let (plugin, why) = match message.text.strip_prefix("closing plugin ") {
        Some(rest) => rest.split_once(", failed to ")?,
        None => message
            .text
            .strip_prefix("plugin ")?
            .split_once(" failed to handle ")?,
    };
    let why = why.strip_prefix("handle ").unwrap_or(why);
    let (request, reason) = why.split_once(": ").unwrap_or((why, ""));
    fact(
        plugin,
        What::Failed(format!(
            "failed at {}: {}",
            by_name(request),
            reason_of(reason)
        )),
    )
}

/// `event 1` as `RunPodSandbox request`.
fn by_name(request: &str) -> String {
    let number = request
        .strip_prefix("event ")
        .and_then(|number| number.parse::<usize>().ok());
    let event = number.and_then(|number| EVENTS.get(number.checked_sub(1)?));
    event.map_or_else(|| clean(request), |event| format!("{event} request"))
}

/// What a reason means to someone who does not know ttrpc.
fn reason_of(reason: &str) -> String {
    if reason.contains("deadline exceeded") {
        return format!("timed out ({})", clean(reason));
    }
    clean(reason)
}

/// A plugin that did not get through start, registration or synchronization.
fn failed(message: &Message) -> Option<Fact> {
    let (step, rest) = message.text.strip_prefix("failed to ")?.split_once(' ')?;
    if !matches!(step, "create" | "initialize" | "start" | "synchronize") {
        return None;
    }
    let external = ["external plugin: ", "plugin: "]
        .into_iter()
        .find_map(|unnamed| rest.strip_prefix(unnamed));
    if let Some(why) = external {
        let what = What::Failed(format!("failed to {step}: {}", reason_of(why)));
        return Some(Fact { plugin: None, what });
    }
    let (plugin, why) = rest
        .strip_prefix("pre-installed NRI plugin \"")?
        .split_once("\": ")?;
    fact(
        plugin,
        What::Failed(format!("failed to {step}: {}", reason_of(why))),
    )
}

/// Foreign text for one line of a report.
pub(super) fn clean(text: &str) -> String {
    let shown = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter });
    shown
        .take(LONGEST_REASON)
        .collect::<String>()
        .trim()
        .to_owned()
}
