//! What a log adds up to, as sightings.

use super::stamp::Stamp;
use super::tally::{Entry, Key, Tally};
use crate::check::place::Place;
use crate::check::sighting::{
    Certainty, Events, Evidence, FileKind, Interface, Occurrences, Role, Sighting,
};

/// Name of the reader, in evidence.
pub(super) const READER: &str = "log";

/// Hosts named in evidence; of more, only the number.
const NODES_NAMED: usize = 4;

/// All sightings in a log that is at `place`, by name of the plugin.
pub(super) fn sightings(place: &Place, tally: Tally) -> Vec<Sighting> {
    let entries = tally.entries.into_iter();
    entries
        .map(|(key, entry)| sighting(place, key, &entry))
        .collect()
}

fn sighting(place: &Place, key: Key, entry: &Entry) -> Sighting {
    let mut sighting = Sighting {
        place: place.clone(),
        kind: FileKind::Log,
        role: Role::Plugin,
        occurrences: Some(occurrences(entry)),
        ..Sighting::default()
    };
    match key {
        Key::Listed(id) => listed(&mut sighting, &id),
        Key::OneShot(name) => one_shot(&mut sighting, name, entry),
        Key::Plugin(name) => plugin(&mut sighting, name, entry),
    }
    if let Some(nodes) = nodes(entry) {
        note(&mut sighting, nodes);
    }
    sighting
}

fn occurrences(entry: &Entry) -> Occurrences {
    let shown = |stamp: &Option<Stamp>| stamp.as_ref().map(|stamp| stamp.shown.clone());
    Occurrences {
        count: entry.lines,
        first: shown(&entry.seen.first),
        last: shown(&entry.seen.last),
    }
}

fn note(sighting: &mut Sighting, detail: String) {
    sighting.evidence.push(Evidence {
        reader: READER,
        detail,
    });
}

fn listed(sighting: &mut Sighting, id: &str) {
    sighting.kind = FileKind::DeprecationList;
    let (interface, what) = match id {
        "nri-v010-plugin" => (Interface::OneShot, "a v0.1.0 plugin"),
        _ => (
            Interface::StateChange,
            "a plugin that takes events by StateChange",
        ),
    };
    sighting.interface = interface;
    sighting.events.certainty = Certainty::Observed;
    note(
        sighting,
        format!(
            "the runtime recorded {what} (io.containerd.deprecation/{id}); its list names neither plugin nor event, its log does"
        ),
    );
}

fn one_shot(sighting: &mut Sighting, name: String, entry: &Entry) {
    sighting.name = Some(name);
    sighting.interface = Interface::OneShot;
    note(
        sighting,
        format!(
            "the runtime ran it as a v0.1.0 plugin, {} logged",
            times(entry.lines)
        ),
    );
}

fn plugin(sighting: &mut Sighting, name: Option<String>, entry: &Entry) {
    match &name {
        Some(full) => (sighting.index, sighting.name) = split(full),
        None => note(sighting, "the runtime's message names no plugin".to_owned()),
    }
    sighting.interface = interface(entry);
    if entry.warnings > 0 {
        warned(sighting, entry);
    }
    if let Some((_, version)) = &entry.registered {
        sighting.nri.version = Some(version.clone()).filter(|version| version.starts_with('v'));
        note(sighting, registered(version));
    }
    for (reason, count) in &entry.failed {
        note(sighting, format!("{reason}, {}", times(*count)));
    }
    if sighting.evidence.is_empty() {
        note(
            sighting,
            "it connected; the log says nothing else of it".to_owned(),
        );
    }
}

fn interface(entry: &Entry) -> Interface {
    if entry.warnings > 0 {
        return Interface::StateChange;
    }
    let reason = "no warning about it in this log: it may answer dedicated RPCs, its events may not have fired yet, or the runtime may not warn";
    Interface::Unknown(reason.to_owned())
}

fn warned(sighting: &mut Sighting, entry: &Entry) {
    sighting.events = Events {
        names: entry.events.names(),
        certainty: Certainty::Observed,
    };
    let mut names = sighting.events.names.clone();
    names.extend(entry.unknown.iter().cloned());
    let warned = format!(
        "the runtime called StateChange instead of {}, {} warned",
        names.join(", "),
        times(entry.warnings)
    );
    note(sighting, warned);
    if !entry.unknown.is_empty() {
        let unknown: Vec<&str> = entry.unknown.iter().map(String::as_str).collect();
        note(
            sighting,
            format!("no event known here has the RPC {}", unknown.join(", ")),
        );
    }
    let registered = entry
        .registered
        .as_ref()
        .and_then(|(time, _)| time.as_ref());
    if entry
        .last_warning
        .as_ref()
        .zip(registered)
        .and_then(|(warned, registered)| warned.is_before(registered))
        == Some(true)
    {
        note(
            sighting,
            "it registered again after the last warning, and was not warned of since".to_owned(),
        );
    }
}

fn registered(version: &str) -> String {
    match version {
        "" => "it registered; this runtime does not log the NRI version of plugins".to_owned(),
        "unknown" => "it registered without an NRI version: its stub is older than v0.12.0, or does not send one".to_owned(),
        version => format!("it registered with NRI version {version}, by its own account"),
    }
}

fn nodes(entry: &Entry) -> Option<String> {
    let nodes: Vec<&str> = entry.nodes.iter().map(String::as_str).collect();
    match nodes.len() {
        0 => None,
        1..=NODES_NAMED => Some(format!("logged on {}", nodes.join(", "))),
        count => Some(format!("logged on {count} hosts or more")),
    }
}

/// Index and name of `10-template`; a name alone where it has no index.
fn split(full: &str) -> (Option<String>, Option<String>) {
    let parts = full.split_once('-').filter(|(index, name)| {
        index.len() == 2 && index.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty()
    });
    match parts {
        Some((index, name)) => (Some(index.to_owned()), Some(name.to_owned())),
        None => (None, Some(full.to_owned())),
    }
}

fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}
