//! Adds up what the lines of one log say, a plugin at a time, in bounded memory.

use std::collections::{BTreeMap, BTreeSet};

use super::fact::{Fact, What};
use super::format::Around;
use super::stamp::{Span, Stamp};
use crate::check::events::EventSet;

/// Plugins kept apart; a log that names more is no runtime's.
const PLUGINS: usize = 2048;

/// Hosts, unknown RPCs and reasons kept for one plugin.
const FEW: usize = 16;

/// Longest name of a host.
const LONGEST_NODE: usize = 253;

/// What facts are added up under.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// An entry of a list of deprecations, by its id without the prefix.
    Listed(String),
    /// A plugin of the protocol; none where no message names it.
    Plugin(Option<String>),
    /// A v0.1.0 plugin.
    OneShot(String),
}

/// All that was said under one key.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    /// Lines.
    pub(super) lines: u64,
    /// Lines that warn of `StateChange`.
    pub(super) warnings: u64,
    /// Events in those lines.
    pub(super) events: EventSet,
    /// RPCs in those lines that no event known here has.
    pub(super) unknown: BTreeSet<String>,
    /// When the first line was written, and the last.
    pub(super) seen: Span,
    /// When the last warning was written.
    pub(super) last_warning: Option<Stamp>,
    /// When it last registered, and the NRI version it gave.
    pub(super) registered: Option<(Option<Stamp>, String)>,
    /// Why it failed, how often.
    pub(super) failed: BTreeMap<String, u64>,
    /// Hosts the lines come from.
    pub(super) nodes: BTreeSet<String>,
}

/// What the lines of one log add up to.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) entries: BTreeMap<Key, Entry>,
    /// Lines about more plugins than are kept apart.
    pub(super) beyond: u64,
}

impl Tally {
    /// Adds a fact of a line.
    pub(super) fn add(&mut self, fact: Fact, around: &Around) {
        let key = match (&fact.what, fact.plugin) {
            (What::OneShot, Some(plugin)) => Key::OneShot(plugin),
            (_, plugin) => Key::Plugin(plugin),
        };
        let time = around.time.as_deref().and_then(Stamp::new);
        if let Some(entry) = self.entry(key) {
            entry.line(time.clone(), around.node.as_deref());
            entry.say(fact.what, time);
        }
    }

    /// Adds an entry of a list of deprecations; returns whether it is about NRI.
    pub(super) fn listed(&mut self, id: &str, around: &Around) -> bool {
        let id = id.rsplit('/').next().unwrap_or(id);
        let is_nri = matches!(id, "nri-plugin-interface" | "nri-v010-plugin");
        if let Some(entry) = is_nri
            .then(|| self.entry(Key::Listed(id.to_owned())))
            .flatten()
        {
            entry.line(
                around.time.as_deref().and_then(Stamp::new),
                around.node.as_deref(),
            );
        }
        is_nri
    }

    /// When the entry of a list that came last occurred.
    pub(super) fn listed_at(&mut self, id: &str, time: &str) {
        let id = id.rsplit('/').next().unwrap_or(id);
        if let Some(entry) = self.entries.get_mut(&Key::Listed(id.to_owned())) {
            entry.at(Stamp::new(time));
        }
    }

    /// Whether a plugin is known whose name begins with all of this one, and goes on.
    pub(super) fn has_longer(&self, name: &str) -> bool {
        let goes_on = |key: &Key| matches!(key, Key::Plugin(Some(known)) if known.len() > name.len() && known.starts_with(name));
        self.entries.keys().any(goes_on)
    }

    fn entry(&mut self, key: Key) -> Option<&mut Entry> {
        if self.entries.len() >= PLUGINS && !self.entries.contains_key(&key) {
            self.beyond += 1;
            return None;
        }
        Some(self.entries.entry(key).or_default())
    }
}

impl Entry {
    fn line(&mut self, time: Option<Stamp>, node: Option<&str>) {
        self.lines += 1;
        self.at(time);
        if let Some(node) = node.filter(|node| node.len() <= LONGEST_NODE) {
            keep(&mut self.nodes, super::fact::clean(node));
        }
    }

    fn at(&mut self, time: Option<Stamp>) {
        if let Some(time) = time {
            self.seen.add(time);
        }
    }

    fn say(&mut self, what: What, time: Option<Stamp>) {
        match what {
            What::StateChange(rpc) => {
                self.warnings += 1;
                if !self.events.insert(&rpc) {
                    keep(&mut self.unknown, rpc);
                }
                later(&mut self.last_warning, time);
            }
            What::Registered(version) => self.register(version, time),
            What::Failed(reason) => {
                if self.failed.len() < FEW || self.failed.contains_key(&reason) {
                    *self.failed.entry(reason).or_default() += 1;
                }
            }
            What::OneShot | What::Connected => {}
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

/// Keeps the later of two; the one that comes later where their order cannot be told.
fn later(kept: &mut Option<Stamp>, time: Option<Stamp>) {
    let is_earlier = kept
        .as_ref()
        .zip(time.as_ref())
        .and_then(|(kept, time)| time.is_before(kept));
    if time.is_some() && is_earlier != Some(true) {
        *kept = time;
    }
}

fn keep(few: &mut BTreeSet<String>, one: String) {
    if few.len() < FEW {
        few.insert(one);
    }
}
