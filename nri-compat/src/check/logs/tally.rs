//! Aggregates the statements of logs, per plugin, in bounded memory, and turns them into sightings.

use std::collections::BTreeMap;

use super::fact::{self, Topic};
use super::incidents::Incidents;
use super::life::Lives;
use super::record::Field;
use super::subject::Subject;
use super::unwrap::RecordedStatement;
use super::wording::OWN_LOG;
use crate::check::events::in_order;
use crate::check::identity::{identity, is_plugin_name};
use crate::place::Place;
use crate::rules::incident::Fate;
use crate::sighting::Certainty::{Observed, Unknown};
use crate::sighting::FileKind::{DeprecationList, Log};
use crate::sighting::{
    Built, Events, Evidence, Interface, LOG_READER, Occurrences, Role, Sighting,
};
use crate::skipped::Skipped;
use crate::stamp::{Span, Stamp};
use crate::unknown::{BRIDGED, UnknownLog};

/// The maximum number of plugins; a log that names more is not from a runtime.
const MAX_PLUGINS: usize = 2048;

/// The maximum number of notes, RPCs, hosts and files per plugin.
const MAX_DETAILS: usize = 32;

/// The maximum number of hosts and files that evidence names; beyond that, it gives their number.
const MAX_NAMED: usize = 4;

/// The maximum length of a host name in bytes.
const MAX_HOST: usize = 253;

/// All statements about each topic.
pub(super) type Tally = BTreeMap<Topic, Mentions>;

/// All statements about one topic.
#[derive(Clone, Debug, Default)]
pub(super) struct Mentions {
    lines: u64,
    /// The times of the first and last line.
    span: Span,
    /// The texts of the statements, each with its number of occurrences.
    notes: BTreeMap<String, u64>,
    /// The RPCs that the plugin does not have.
    rpcs: BTreeMap<String, u64>,
    /// The NRI version in the last registration.
    version: Option<String>,
    hosts: BTreeMap<String, u64>,
    /// The first line of each file.
    files: BTreeMap<String, Place>,
    /// The line that shows the topic best: the first warning, or else the first line.
    place: Place,
    /// The number and text of this line.
    text: String,
    incidents: Incidents,
    lives: Lives,
}

/// Returns true if a plugin is known whose name begins with that of this topic: in a line without
/// its end, the name was cut.
pub(super) fn has_longer_name(tally: &Tally, (_, name): &Topic) -> bool {
    let Some(name) = name else {
        return false;
    };
    let mut known = tally.keys().filter_map(|(_, known)| known.as_ref());
    known.any(|known| known.len() > name.len() && known.starts_with(name))
}

/// Adds a statement in a line, which is shown with its number. Returns false if it is about a
/// plugin beyond the maximum.
pub(super) fn add(
    tally: &mut Tally,
    recorded: RecordedStatement,
    place: &Place,
    shown: &str,
) -> bool {
    let (record, said) = recorded;
    let time = record.get(&Field::Time).and_then(|time| Stamp::new(time));
    let host = record
        .get(&Field::Host)
        .filter(|host| host.len() <= MAX_HOST)
        .map(|host| fact::clean(host));
    if tally.len() >= MAX_PLUGINS && !tally.contains_key(&said.topic) {
        return false;
    }
    let mentions = tally.entry(said.topic.clone()).or_default();
    mentions.incidents.add(&said, time.as_ref(), place);
    mentions.lives.add(said.stage, host.as_deref(), time.as_ref());
    let is_first_warning = mentions.rpcs.is_empty() && said.rpc.is_some();
    if mentions.lines == 0 || is_first_warning {
        mentions.place = place.clone();
        shown.clone_into(&mut mentions.text);
    }
    mentions.lines += 1;
    time.iter().for_each(|time| mentions.span.add(time.clone()));
    let is_last = time.is_none() || mentions.span.last == time;
    mentions.version = said.version.filter(|_| is_last).or(mentions.version.take());
    count(&mut mentions.hosts, host);
    count(&mut mentions.rpcs, said.rpc);
    count(&mut mentions.notes, Some(said.note));
    if mentions.files.len() < MAX_DETAILS {
        mentions.files.entry(place.file.clone()).or_insert_with(|| place.clone());
    }
    true
}

/// Counts a detail, unless there are too many.
fn count(details: &mut BTreeMap<String, u64>, detail: Option<String>) {
    let is_full = details.len() >= MAX_DETAILS;
    if let Some(detail) = detail.filter(|detail| !is_full || details.contains_key(detail)) {
        *details.entry(detail).or_default() += 1;
    }
}

/// Returns the sighting of a topic.
pub(super) fn sighting(((subject, full), mentions): (Topic, Mentions)) -> Sighting {
    let (index, name) = full.as_deref().map_or((None, None), identity);
    let (kind, interface, certainty) = match subject {
        Subject::Plugin if mentions.rpcs.is_empty() => {
            (Log, Interface::unknown(without_warning(&mentions)), Unknown)
        }
        Subject::Runtime => (Log, Interface::None, Unknown),
        Subject::Plugin | Subject::Unread => (Log, Interface::StateChange, Observed),
        Subject::OneShot => (Log, Interface::OneShot, Unknown),
        Subject::UnreadOneShot => (Log, Interface::OneShot, Observed),
        Subject::Listed => (DeprecationList, Interface::StateChange, Observed),
        Subject::ListedOneShot => (DeprecationList, Interface::OneShot, Observed),
    };
    let names = in_order(|event| mentions.rpcs.contains_key(event));
    Sighting {
        kind,
        role: if subject == Subject::Runtime { Role::Runtime } else { Role::Plugin },
        name: name.or(full),
        index,
        interface,
        events: Events { names, certainty },
        evidence: evidence(&mentions),
        incidents: mentions.incidents.sightings(mentions.lives.flapping(&mentions.place)),
        occurrences: Some(Occurrences {
            count: mentions.lines,
            first: mentions.span.first.map(|stamp| stamp.shown),
            last: mentions.span.last.map(|stamp| stamp.shown),
        }),
        nri: Built { version: mentions.version, ..Built::default() },
        place: mentions.place,
        ..Sighting::default()
    }
}

/// Returns why the interface of a plugin is unknown that the log has no warning about.
fn without_warning(mentions: &Mentions) -> UnknownLog {
    if mentions.notes.contains_key(BRIDGED) {
        return UnknownLog::Bridged;
    }
    if mentions.notes.keys().all(|note| note.starts_with(OWN_LOG)) {
        return UnknownLog::OwnLog;
    }
    match mentions.incidents.worst() {
        Some(Fate::Closed) => UnknownLog::Closed,
        Some(Fate::Refused) => UnknownLog::Refused,
        Some(Fate::Serving | Fate::Lost | Fate::OneShot | Fate::None) | None => {
            UnknownLog::NoWarning
        }
    }
}

/// Counts the statements about a plugin whose message has no index with those about the only plugin
/// that has this name.
pub(super) fn join(tally: &mut Tally) {
    let bare: Vec<Topic> = tally
        .keys()
        .filter(|topic| topic.0 == Subject::Plugin && topic.1.is_some() && !has_index(topic))
        .cloned()
        .collect();
    for topic in bare {
        let same_name: Vec<Topic> = tally
            .keys()
            .filter(|full| has_index(full))
            .filter(|full| full.1.as_ref().map(|name| &name[3..]) == topic.1.as_deref())
            .cloned()
            .collect();
        if let ([full], Some(mentions)) = (same_name.as_slice(), tally.get(&topic).cloned())
            && let Some(known) = tally.get_mut(full)
        {
            known.merge(mentions);
            tally.remove(&topic);
        }
    }
}

/// Returns true for a plugin whose name begins with an index.
fn has_index(topic: &Topic) -> bool {
    topic.0 == Subject::Plugin && topic.1.as_deref().is_some_and(is_plugin_name)
}

impl Mentions {
    /// Adds the statements about the same plugin under another name.
    fn merge(&mut self, other: Self) {
        self.lines += other.lines;
        [other.span.first, other.span.last]
            .into_iter()
            .flatten()
            .for_each(|time| self.span.add(time));
        for (own, others) in [
            (&mut self.notes, other.notes),
            (&mut self.rpcs, other.rpcs),
            (&mut self.hosts, other.hosts),
        ] {
            for (detail, times) in others {
                *own.entry(detail).or_default() += times;
            }
        }
        self.version = self.version.take().or(other.version);
        for (file, place) in other.files {
            self.files.entry(file).or_insert(place);
        }
        self.incidents.merge(other.incidents);
        self.lives.merge(other.lives);
    }
}

fn evidence(mentions: &Mentions) -> Vec<Evidence> {
    let counted = mentions.notes.iter().map(|(note, count)| match count {
        1 => format!("{note}, once"),
        count => format!("{note}, {count} times"),
    });
    let mut notes: Vec<String> = counted.collect();
    notes.extend(listed("logged on", "hosts", mentions.hosts.keys().cloned()));
    let others = mentions.files.values().filter(|place| place.file != mentions.place.file);
    notes.extend(listed("also in", "files", others.map(Place::to_string)));
    notes.push(mentions.text.clone());
    notes.into_iter().map(|note| Evidence::new(LOG_READER, note)).collect()
}

/// Returns the sighting of a log that could not be read to its end, or not in all its lines.
pub(crate) fn incomplete(skipped: &Skipped) -> Sighting {
    let reason = &skipped.reason;
    Sighting {
        place: skipped.place.clone(),
        kind: Log,
        interface: Interface::unknown(UnknownLog::Unread(reason.clone())),
        evidence: vec![Evidence::new(LOG_READER, format!("not read: {reason}"))],
        ..Sighting::default()
    }
}

/// Lists hosts or files, if there are any.
fn listed(words: &str, things: &str, names: impl Iterator<Item = String>) -> Option<String> {
    let all: Vec<String> = names.collect();
    match all.len() {
        0 => None,
        1..=MAX_NAMED => Some(format!("{words} {}", all.join(", "))),
        count => Some(format!("{words} {count} {things} or more")),
    }
}
