//! Turns the statements of a log into sightings.

use super::fact::Warning;
use super::tally::{Mentions, Tally, Topic};
use crate::facts;
use crate::place::Place;
use crate::sighting::{
    Certainty, Events, Evidence, FileKind, Interface, LOG_READER, Occurrences, Role, Sighting,
};
use crate::skipped::Skipped;
use crate::stamp::Stamp;

/// The maximum number of hosts that evidence names; beyond that, it gives their number.
const MAX_HOSTS_NAMED: usize = 4;

/// Returns the sightings in a log, sorted by the plugin's name.
pub(super) fn sightings(place: &Place, tally: Tally) -> Vec<Sighting> {
    let topics = tally.topics.into_iter();
    topics
        .map(|(topic, mentions)| sighting(place, topic, &mentions))
        .collect()
}

/// Returns the sighting of a log that could not be read to its end, or not in all its lines.
pub(super) fn incomplete(skipped: &Skipped) -> Sighting {
    let mut sighting = Sighting {
        place: skipped.place.clone(),
        kind: FileKind::Log,
        interface: Interface::unknown(format!(
            "not all of the log could be read: {}",
            skipped.reason
        )),
        ..Sighting::default()
    };
    note(&mut sighting, format!("not read: {}", skipped.reason));
    sighting
}

/// Adds to the evidence that a log consists of several files.
pub(super) fn note_rotated_set(sightings: &mut [Sighting], files: usize) {
    for sighting in sightings {
        // The number counts the lines of all files.
        sighting.place.line = None;
        sighting.evidence.push(Evidence {
            reader: LOG_READER,
            detail: format!("read from a rotated set of {files} files"),
        });
    }
}

fn sighting(place: &Place, topic: Topic, mentions: &Mentions) -> Sighting {
    let mut sighting = Sighting {
        place: place.clone(),
        kind: FileKind::Log,
        role: Role::Plugin,
        occurrences: Some(occurrences(mentions)),
        ..Sighting::default()
    };
    match topic {
        Topic::Listed(warning) => listed(&mut sighting, warning),
        Topic::OneShot(name) => one_shot(&mut sighting, name, mentions),
        Topic::Plugin(name) => plugin(&mut sighting, name, mentions),
        Topic::Unread(warning) => unread(&mut sighting, warning, mentions),
    }
    if let Some(hosts) = hosts(mentions) {
        note(&mut sighting, hosts);
    }
    if let Some((number, text)) = &mentions.line {
        sighting.place.line = u32::try_from(*number).ok();
        note(&mut sighting, format!("line {number}: {text}"));
    }
    sighting
}

fn occurrences(mentions: &Mentions) -> Occurrences {
    let shown = |stamp: &Option<Stamp>| stamp.as_ref().map(|stamp| stamp.shown.clone());
    Occurrences {
        count: mentions.lines,
        first: shown(&mentions.span.first),
        last: shown(&mentions.span.last),
    }
}

fn note(sighting: &mut Sighting, detail: String) {
    sighting.evidence.push(Evidence {
        reader: LOG_READER,
        detail,
    });
}

/// Returns the interface of a warning, its id in lists of deprecations, and what it is about.
fn of_warning(warning: Warning) -> (Interface, &'static str, &'static str) {
    match warning {
        Warning::StateChange => (
            Interface::StateChange,
            "nri-plugin-interface",
            "a plugin that relies on StateChange",
        ),
        Warning::OneShot => (Interface::OneShot, "nri-v010-plugin", "a v0.1.0 plugin"),
    }
}

fn listed(sighting: &mut Sighting, warning: Warning) {
    let (interface, id, plugin) = of_warning(warning);
    sighting.kind = FileKind::DeprecationList;
    sighting.interface = interface;
    sighting.events.certainty = Certainty::Observed;
    note(
        sighting,
        format!(
            "the runtime recorded {plugin} (io.containerd.deprecation/{id}); its list names neither plugin nor event, but its log does"
        ),
    );
}

/// Records a warning that cannot be understood, which still proves that there is a plugin to warn
/// about.
fn unread(sighting: &mut Sighting, warning: Warning, mentions: &Mentions) {
    let (interface, _, plugin) = of_warning(warning);
    sighting.interface = interface;
    sighting.events.certainty = Certainty::Observed;
    let lines = match mentions.lines {
        1 => "1 line warns".to_owned(),
        count => format!("{count} lines warn"),
    };
    note(
        sighting,
        format!(
            "{lines} about {plugin}, truncated or in an unknown format: cannot determine \
             which one"
        ),
    );
}

fn one_shot(sighting: &mut Sighting, name: String, mentions: &Mentions) {
    sighting.name = Some(name);
    sighting.interface = Interface::OneShot;
    note(
        sighting,
        format!(
            "the runtime ran it as a v0.1.0 plugin, {} logged",
            times(mentions.lines)
        ),
    );
}

fn plugin(sighting: &mut Sighting, name: Option<String>, mentions: &Mentions) {
    match &name {
        Some(full) => (sighting.index, sighting.name) = split(full),
        None => note(sighting, "the runtime's message names no plugin".to_owned()),
    }
    sighting.interface = interface(mentions);
    if mentions.warnings > 0 {
        warned(sighting, mentions);
    }
    if let Some((_, version)) = &mentions.registered {
        sighting.nri.version = Some(version.clone()).filter(|version| version.starts_with('v'));
        note(sighting, registered(version));
    }
    for (reason, count) in &mentions.failed {
        note(sighting, format!("{reason}, {}", times(*count)));
    }
    if sighting.evidence.is_empty() {
        note(
            sighting,
            "it connected; the log says nothing else about it".to_owned(),
        );
    }
}

fn interface(mentions: &Mentions) -> Interface {
    if mentions.warnings > 0 {
        return Interface::StateChange;
    }
    let reason = "no warning about it in this log: it may answer dedicated RPCs, its events may not have fired yet, or the runtime may not warn";
    Interface::unknown(reason)
}

fn warned(sighting: &mut Sighting, mentions: &Mentions) {
    sighting.events = Events {
        names: mentions.events.names(),
        certainty: Certainty::Observed,
    };
    let mut names = sighting.events.names.clone();
    names.extend(mentions.unknown.iter().cloned());
    let warned = format!(
        "the runtime called StateChange instead of {}, with {}",
        names.join(", "),
        warnings(mentions.warnings)
    );
    note(sighting, warned);
    if !mentions.unknown.is_empty() {
        let unknown: Vec<&str> = mentions.unknown.iter().map(String::as_str).collect();
        note(
            sighting,
            format!("no known event has the RPC {}", unknown.join(", ")),
        );
    }
    let registered = mentions
        .registered
        .as_ref()
        .and_then(|(time, _)| time.as_ref());
    if mentions
        .last_warning
        .as_ref()
        .zip(registered)
        .and_then(|(warned, registered)| warned.is_before(registered))
        == Some(true)
    {
        note(
            sighting,
            "it registered again after the last warning, and there was none since".to_owned(),
        );
    }
}

fn registered(version: &str) -> String {
    match version {
        "" => "it registered; this runtime does not log the NRI version of plugins".to_owned(),
        "unknown" => format!(
            "it registered without an NRI version: its stub is older than {}, or does not send one",
            facts::DEDICATED
        ),
        version => format!("it registered and reported NRI version {version}"),
    }
}

fn hosts(mentions: &Mentions) -> Option<String> {
    let hosts: Vec<&str> = mentions.hosts.iter().map(String::as_str).collect();
    match hosts.len() {
        0 => None,
        1..=MAX_HOSTS_NAMED => Some(format!("logged on {}", hosts.join(", "))),
        count => Some(format!("logged on {count} hosts or more")),
    }
}

/// Splits `10-template` into index and name; a plain name has no index.
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

fn warnings(count: u64) -> String {
    match count {
        1 => "1 warning".to_owned(),
        count => format!("{count} warnings"),
    }
}
