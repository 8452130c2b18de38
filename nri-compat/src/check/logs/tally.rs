//! Aggregates the statements of one log, per plugin, in bounded memory.

use std::collections::{BTreeMap, BTreeSet};

use super::fact::{Claim, Fact, Warning};
use super::record::Origin;
use super::stamp::{Span, Stamp};
use crate::check::events::EventSet;

/// The maximum number of plugins; a log that names more is not from a runtime.
const MAX_PLUGINS: usize = 2048;

/// The maximum number of hosts, unknown RPCs and reasons per plugin.
const MAX_DETAILS: usize = 16;

/// The maximum length of a host name in bytes.
const MAX_NODE: usize = 253;

/// The subject of statements.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    /// An entry of a list of deprecations, by its id without the prefix.
    Listed(String),
    /// A plugin of the protocol; `None` if no message names it.
    Plugin(Option<String>),
    /// A v0.1.0 plugin.
    OneShot(String),
    /// Warnings that could not be parsed.
    Unread(Warning),
}

/// All statements about one topic.
#[derive(Clone, Debug, Default)]
pub(super) struct Mentions {
    /// The number of lines.
    pub(super) lines: u64,
    /// The number of lines that warn about `StateChange`.
    pub(super) warnings: u64,
    /// The events in those lines.
    pub(super) events: EventSet,
    /// RPCs in those lines that belong to no known event.
    pub(super) unknown: BTreeSet<String>,
    /// The times of the first and last line.
    pub(super) span: Span,
    /// The time of the last warning.
    pub(super) last_warning: Option<Stamp>,
    /// The time of the last registration, and the NRI version in it.
    pub(super) registered: Option<(Option<Stamp>, String)>,
    /// The reasons of failures, with the number of times.
    pub(super) failed: BTreeMap<String, u64>,
    /// Number and text of the line that shows the topic best: the first warning, or else the first line.
    pub(super) line: Option<(u64, String)>,
    /// The hosts of the lines.
    pub(super) nodes: BTreeSet<String>,
}

/// The aggregated statements of one log.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) topics: BTreeMap<Topic, Mentions>,
    /// The number of lines about plugins beyond the maximum.
    pub(super) beyond: u64,
}

impl Tally {
    /// Adds a fact.
    pub(super) fn add(&mut self, fact: Fact, origin: &Origin) {
        let topic = match (&fact.claim, fact.plugin) {
            (Claim::OneShot, Some(plugin)) => Topic::OneShot(plugin),
            (_, plugin) => Topic::Plugin(plugin),
        };
        if let Some(mentions) = self.line(topic, origin) {
            if matches!(fact.claim, Claim::StateChange(_)) && mentions.warnings == 0 {
                mentions.line.clone_from(&origin.line);
            }
            mentions.claim(fact.claim, stamp(origin));
        }
    }

    /// Adds a warning that could not be parsed.
    pub(super) fn unread(&mut self, warning: Warning, origin: &Origin) {
        self.line(Topic::Unread(warning), origin);
    }

    /// Returns how many warnings could not be parsed.
    pub(super) fn unread_lines(&self) -> u64 {
        let unread = self.topics.iter();
        let unread = unread.filter(|(topic, _)| matches!(topic, Topic::Unread(_)));
        unread.map(|(_, mentions)| mentions.lines).sum()
    }

    /// Adds an entry of a list of deprecations; returns true if it is about NRI.
    pub(super) fn listed(&mut self, id: &str, origin: &Origin) -> bool {
        let id = id.rsplit('/').next().unwrap_or(id);
        let is_nri = matches!(id, "nri-plugin-interface" | "nri-v010-plugin");
        if is_nri {
            self.line(Topic::Listed(id.to_owned()), origin);
        }
        is_nri
    }

    /// Adds the last occurrence of an entry of a list of deprecations.
    pub(super) fn listed_at(&mut self, id: &str, time: &str) {
        let id = id.rsplit('/').next().unwrap_or(id);
        if let Some(mentions) = self.topics.get_mut(&Topic::Listed(id.to_owned())) {
            mentions.at(Stamp::new(time));
        }
    }

    /// Returns true if a known plugin has a longer name that begins with this one.
    pub(super) fn has_longer(&self, name: &str) -> bool {
        let goes_on = |topic: &Topic| matches!(topic, Topic::Plugin(Some(known)) if known.len() > name.len() && known.starts_with(name));
        self.topics.keys().any(goes_on)
    }

    /// Counts a line about a topic; returns its entry, unless there are too many topics.
    fn line(&mut self, topic: Topic, origin: &Origin) -> Option<&mut Mentions> {
        if self.topics.len() >= MAX_PLUGINS && !self.topics.contains_key(&topic) {
            self.beyond += 1;
            return None;
        }
        let mentions = self.topics.entry(topic).or_default();
        mentions.line(origin);
        Some(mentions)
    }
}

fn stamp(origin: &Origin) -> Option<Stamp> {
    origin.time.as_deref().and_then(Stamp::new)
}

impl Mentions {
    fn line(&mut self, origin: &Origin) {
        self.lines += 1;
        if self.line.is_none() {
            self.line.clone_from(&origin.line);
        }
        self.at(stamp(origin));
        if let Some(node) = origin.node.as_ref().filter(|node| node.len() <= MAX_NODE) {
            keep(&mut self.nodes, super::fact::clean(node));
        }
    }

    fn at(&mut self, time: Option<Stamp>) {
        if let Some(time) = time {
            self.span.add(time);
        }
    }

    fn claim(&mut self, claim: Claim, time: Option<Stamp>) {
        match claim {
            Claim::StateChange(rpc) => {
                self.warnings += 1;
                if !self.events.insert(&rpc) {
                    keep(&mut self.unknown, rpc);
                }
                later(&mut self.last_warning, time);
            }
            Claim::Registered(version) => self.register(version, time),
            Claim::Failed(reason) => {
                if self.failed.len() < MAX_DETAILS || self.failed.contains_key(&reason) {
                    *self.failed.entry(reason).or_default() += 1;
                }
            }
            Claim::OneShot | Claim::Connected => {}
        }
    }

    fn register(&mut self, version: String, time: Option<Stamp>) {
        let known = self
            .registered
            .as_ref()
            .and_then(|(known, _)| known.as_ref());
        let is_older = known
            .zip(time.as_ref())
            .and_then(|(known, time)| time.is_before(known));
        if is_older != Some(true) {
            self.registered = Some((time, version));
        }
    }
}

/// Keeps the later of two stamps, or the second if their order is unknown.
fn later(kept: &mut Option<Stamp>, time: Option<Stamp>) {
    let is_earlier = kept
        .as_ref()
        .zip(time.as_ref())
        .and_then(|(kept, time)| time.is_before(kept));
    if time.is_some() && is_earlier != Some(true) {
        *kept = time;
    }
}

fn keep(details: &mut BTreeSet<String>, detail: String) {
    if details.len() < MAX_DETAILS {
        details.insert(detail);
    }
}
