//! Adds up reports, a plugin at a time.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::document::{Document, Subject};
use crate::check::logs::stamp::{Span, Stamp};
use crate::check::sighting::Built;
use crate::report::check::Outcome;
use crate::report::merge::{MergedPlugin, MergedVerdict};

/// Distinct plugins kept apart.
const PLUGINS: usize = 20_000;

/// Longest path of a plugin.
const LONGEST: usize = 4096;

/// Targets of one plugin.
const TARGETS: usize = 16;

/// Events of one plugin, and their names' length.
const EVENTS: usize = 32;

/// What makes two plugins the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    name: Option<String>,
    index: Option<String>,
    path: String,
    version: Option<String>,
    at_least: Option<String>,
    below: Option<String>,
}

/// What the reports say of one plugin.
#[derive(Debug, Default)]
struct Entry {
    nodes: u64,
    last_report: u64,
    seen: Span,
    events: BTreeSet<String>,
    verdicts: BTreeMap<String, [u64; Outcome::ALL.len()]>,
}

/// All plugins so far.
#[derive(Debug, Default)]
pub(super) struct Added {
    entries: BTreeMap<Key, Entry>,
    beyond: u64,
}

impl Added {
    /// Adds the `nth` report, written at `time` where that is known.
    pub(super) fn add(&mut self, nth: u64, document: &Document<'_>, time: Option<&str>) {
        let time = document.summary.at.as_deref().or(time);
        for subject in &document.subjects {
            if subject.role == "plugin" || !subject.verdicts.is_empty() {
                self.subject(nth, subject, time);
            }
        }
    }

    fn subject(&mut self, nth: u64, subject: &Subject<'_>, time: Option<&str>) {
        let key = Key::of(subject);
        let is_new = !self.entries.contains_key(&key);
        if is_new && (self.entries.len() >= PLUGINS || key.len() > LONGEST) {
            self.beyond += 1;
            return;
        }
        let entry = self.entries.entry(key).or_default();
        entry.seen(subject, time);
        if entry.last_report != nth {
            entry.last_report = nth;
            entry.count(subject);
        }
    }

    /// Sightings of plugins beyond those kept apart.
    pub(super) fn beyond(&self) -> u64 {
        self.beyond
    }

    /// All plugins, the worst on the most nodes first.
    pub(super) fn plugins(self) -> Vec<MergedPlugin> {
        let entries = self.entries.into_iter();
        let mut plugins: Vec<MergedPlugin> =
            entries.map(|(key, entry)| plugin(key, entry)).collect();
        plugins.sort_by_key(|plugin| std::cmp::Reverse((plugin.worst(), plugin.nodes)));
        plugins
    }
}

impl Key {
    fn of(subject: &Subject<'_>) -> Self {
        let owned = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
        Self {
            name: owned(&subject.name),
            index: owned(&subject.index),
            path: subject.path.clone().into_owned(),
            version: owned(&subject.nri.version),
            at_least: owned(&subject.nri.at_least),
            below: owned(&subject.nri.below),
        }
    }

    fn len(&self) -> usize {
        let others = [
            &self.name,
            &self.index,
            &self.version,
            &self.at_least,
            &self.below,
        ];
        self.path.len() + others.into_iter().flatten().map(String::len).sum::<usize>()
    }
}

impl Entry {
    fn seen(&mut self, subject: &Subject<'_>, time: Option<&str>) {
        let logged = subject.seen.as_ref();
        let logged = logged.map(|seen| [seen.first.as_deref(), seen.last.as_deref()]);
        // The time of the report says that the plugin was there; a log says when it was at work.
        for time in logged.unwrap_or([time, None]).into_iter().flatten() {
            if let Some(stamp) = Stamp::new(time) {
                self.seen.add(stamp);
            }
        }
    }

    fn count(&mut self, subject: &Subject<'_>) {
        self.nodes += 1;
        for event in &subject.events {
            if self.events.len() < EVENTS && event.len() <= 2 * EVENTS {
                self.events.insert(event.clone().into_owned());
            }
        }
        for verdict in &subject.verdicts {
            let known = self.verdicts.contains_key(&*verdict.target);
            let outcome = Outcome::ALL
                .iter()
                .position(|outcome| outcome.as_str() == verdict.verdict);
            if let Some(outcome) = outcome.filter(|_| known || self.verdicts.len() < TARGETS) {
                let target = verdict.target.chars().take(2 * EVENTS).collect();
                let counts = self.verdicts.entry(target).or_default();
                counts
                    .iter_mut()
                    .skip(outcome)
                    .take(1)
                    .for_each(|count| *count += 1);
            }
        }
    }
}

fn plugin(key: Key, entry: Entry) -> MergedPlugin {
    let shown = |stamp: Option<Stamp>| stamp.map(|stamp| stamp.shown);
    let verdicts = entry.verdicts.into_iter();
    MergedPlugin {
        path: key.path,
        name: key.name,
        index: key.index,
        nri: Built {
            version: key.version,
            at_least: key.at_least,
            below: key.below,
        },
        nodes: entry.nodes,
        first_seen: shown(entry.seen.first),
        last_seen: shown(entry.seen.last),
        events: in_order(entry.events),
        verdicts: verdicts
            .map(|(target, counts)| MergedVerdict { target, counts })
            .collect(),
    }
}

/// Events in order of their numbers; those that are not known here behind them.
fn in_order(events: BTreeSet<String>) -> Vec<String> {
    let place = |event: &String| {
        crate::check::events::EVENTS
            .iter()
            .position(|known| known == event)
    };
    let mut events: Vec<String> = events.into_iter().collect();
    events.sort_by_key(|event| place(event).unwrap_or(usize::MAX));
    events
}
