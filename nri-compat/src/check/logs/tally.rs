//! Aggregates the statements of one log, per plugin, in bounded memory.

use std::collections::{BTreeMap, BTreeSet};

use super::context::Context;
use super::fact::{self, Claim, Statement, Warning};
use super::scan::FoundLine;
use crate::check::events::EventSet;
use crate::stamp::{Span, Stamp};

/// The maximum number of plugins; a log that names more is not from a runtime.
const MAX_PLUGINS: usize = 2048;

/// The maximum number of hosts, unknown RPCs and reasons per plugin.
const MAX_DETAILS: usize = 16;

/// The maximum length of a host name in bytes.
const MAX_HOST: usize = 253;

/// The subject of statements.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    /// An entry of a list of deprecations.
    Listed(Warning),
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
    pub(super) hosts: BTreeSet<String>,
}

/// The aggregated statements of one log.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) topics: BTreeMap<Topic, Mentions>,
    /// The number of lines about plugins beyond the maximum.
    pub(super) beyond: u64,
}

/// The line of a statement.
#[derive(Debug)]
pub(super) struct Origin {
    time: Option<Stamp>,
    host: Option<String>,
    number: u64,
    text: String,
}

impl Origin {
    /// Returns the origin of a statement in a line with this context.
    pub(super) fn new(context: Context, line: FoundLine<'_>) -> Self {
        let host = context.host.filter(|host| host.len() <= MAX_HOST);
        Self {
            time: context.time.as_deref().and_then(Stamp::new),
            host: host.as_deref().map(fact::clean),
            number: line.number,
            text: fact::clean_bytes(line.bytes),
        }
    }
}

impl Tally {
    /// Adds a statement.
    pub(super) fn add(&mut self, statement: Statement, origin: &Origin) {
        let (topic, claim) = match statement {
            Statement::Fact(Some(plugin), Claim::OneShot) => (Topic::OneShot(plugin), None),
            Statement::Fact(plugin, claim) => (Topic::Plugin(plugin), Some(claim)),
            Statement::Listed(warning) => (Topic::Listed(warning), None),
            Statement::Unread(warning) => (Topic::Unread(warning), None),
        };
        if self.topics.len() >= MAX_PLUGINS && !self.topics.contains_key(&topic) {
            self.beyond += 1;
            return;
        }
        let mentions = self.topics.entry(topic).or_default();
        mentions.add(origin, matches!(claim, Some(Claim::StateChange(_))));
        if let Some(claim) = claim {
            mentions.claim(claim, origin.time.clone());
        }
    }

    /// Returns how many warnings could not be parsed.
    pub(super) fn unread_lines(&self) -> u64 {
        let unread = self.topics.iter();
        let unread = unread.filter(|(topic, _)| matches!(topic, Topic::Unread(_)));
        unread.map(|(_, mentions)| mentions.lines).sum()
    }

    /// Returns true if a known plugin has a longer name that begins with this one.
    pub(super) fn has_longer(&self, name: &str) -> bool {
        let goes_on = |topic: &Topic| matches!(topic, Topic::Plugin(Some(known)) if known.len() > name.len() && known.starts_with(name));
        self.topics.keys().any(goes_on)
    }
}

impl Mentions {
    /// Counts a line, which is shown if it is the first one or the first warning.
    fn add(&mut self, origin: &Origin, is_warning: bool) {
        self.lines += 1;
        if self.line.is_none() || is_warning && self.warnings == 0 {
            self.line = Some((origin.number, origin.text.clone()));
        }
        if let Some(time) = &origin.time {
            self.span.add(time.clone());
        }
        if let Some(host) = &origin.host {
            keep(&mut self.hosts, host.clone());
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
