//! The incidents of one plugin, counted by rule.

use std::collections::{BTreeMap, BTreeSet};

use super::fact::Statement;
use crate::check::events::in_order;
use crate::place::Place;
use crate::rules::incident::{self, Fate};
use crate::sighting::{Incident, Occurrences};
use crate::stamp::{Span, Stamp};

/// The maximum number of different statements of one incident.
const MAX_NOTES: usize = 32;

/// The maximum number of statements that a report shows for one incident.
const MAX_SHOWN: usize = 3;

/// The incidents of a plugin, by rule.
#[derive(Clone, Debug, Default)]
pub(super) struct Incidents(BTreeMap<&'static str, Counted>);

/// The messages that report one incident.
#[derive(Clone, Debug, Default)]
struct Counted {
    lines: u64,
    span: Span,
    notes: BTreeSet<String>,
    /// The number of statements beyond the maximum.
    further: u64,
    events: BTreeSet<String>,
    place: Place,
}

impl Incidents {
    /// Counts a statement, if it reports an incident.
    pub(super) fn add(&mut self, said: &Statement, time: Option<&Stamp>, place: &Place) {
        let Some(incident) = said.incident else {
            return;
        };
        let counted = self
            .0
            .entry(incident.rule.id)
            .or_insert_with(|| Counted { place: place.clone(), ..Counted::default() });
        counted.lines += 1;
        time.into_iter().for_each(|time| counted.span.add(time.clone()));
        counted.events.extend(said.unknown_events.iter().cloned());
        if counted.notes.len() < MAX_NOTES {
            counted.notes.insert(said.note.clone());
        } else if !counted.notes.contains(&said.note) {
            counted.further += 1;
        }
    }

    /// Adds the incidents of the same plugin under another name.
    pub(super) fn merge(&mut self, other: Self) {
        for (rule, others) in other.0 {
            match self.0.get_mut(rule) {
                Some(own) => own.merge(others),
                None => {
                    self.0.insert(rule, others);
                }
            }
        }
    }

    /// Returns the worst that happened to the plugin: refused is worse than closed, because it
    /// never served.
    pub(super) fn worst(&self) -> Option<Fate> {
        let fates = self.0.keys().filter_map(|rule| incident::get(rule)).map(|known| known.plugin);
        fates.filter(|fate| matches!(fate, Fate::Closed | Fate::Refused)).max()
    }

    /// Returns all incidents, and that of a plugin that registers again and again, the most serious
    /// ones first.
    pub(super) fn sightings(&self, flapping: Option<Incident>) -> Vec<Incident> {
        let counted = self.0.iter().map(|(rule, counted)| counted.sighting(rule));
        let mut all: Vec<Incident> = counted.chain(flapping).collect();
        let level = |one: &Incident| incident::get(one.rule).map(|known| known.rule.level);
        all.sort_by_key(|one| std::cmp::Reverse(level(one)));
        all
    }
}

impl Counted {
    fn merge(&mut self, other: Self) {
        self.lines += other.lines;
        self.further += other.further;
        let times = [other.span.first, other.span.last].into_iter().flatten();
        times.for_each(|time| self.span.add(time));
        self.events.extend(other.events);
        let notes = other.notes.into_iter();
        let free = MAX_NOTES.saturating_sub(self.notes.len());
        self.notes.extend(notes.take(free));
    }

    fn sighting(&self, rule: &'static str) -> Incident {
        let shown: Vec<&str> = self.notes.iter().take(MAX_SHOWN).map(String::as_str).collect();
        let more = match (self.notes.len() - shown.len()) as u64 + self.further {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let known = in_order(|event| self.events.contains(event));
        let newer: Vec<String> =
            self.events.iter().filter(|event| !known.contains(event)).cloned().collect();
        Incident {
            rule,
            detail: format!("{}{more}", shown.join("; ")),
            events: [known, newer].concat(),
            occurrences: Occurrences {
                count: self.lines,
                first: self.span.first.as_ref().map(|stamp| stamp.shown.clone()),
                last: self.span.last.as_ref().map(|stamp| stamp.shown.clone()),
            },
            place: self.place.clone(),
            setting: None,
            remedy: None,
        }
    }
}
