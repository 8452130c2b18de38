//! The findings of one report about a plugin.

use std::collections::{BTreeMap, BTreeSet};

use super::union::{Program, SeenAs};
use crate::report::check::{Outcome, Subject};

/// The maximum number of targets per plugin.
pub(super) const MAX_TARGETS: usize = 16;

/// The maximum number of events per plugin.
pub(super) const MAX_EVENTS: usize = 32;

/// The maximum length of the name of an event or target in characters.
const MAX_NAME: usize = 64;

/// A finding of one report about a plugin. Most nodes have the same findings, so each distinct one
/// is stored once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Finding {
    /// The number of the plugin.
    pub(super) plugin: u32,
    pub(super) events: BTreeSet<String>,
    /// Outcomes by target.
    pub(super) verdicts: BTreeMap<String, Outcome>,
    seen_as: SeenAs,
    /// The identity of the program, and the release of NRI, both from its build.
    build: [Option<String>; 2],
}

impl Finding {
    /// Returns the finding about a subject.
    pub(super) fn new(plugin: u32, subject: &Subject) -> Self {
        let events = subject
            .events
            .iter()
            .filter(|event| event.len() <= MAX_NAME);
        let verdicts = subject.verdicts.iter().map(|verdict| {
            let target = verdict.target.chars().take(MAX_NAME).collect();
            (target, verdict.outcome)
        });
        Self {
            plugin,
            events: events.take(MAX_EVENTS).cloned().collect(),
            verdicts: verdicts.take(MAX_TARGETS).collect(),
            seen_as: SeenAs::new(&subject.place),
            build: [subject.program.clone(), subject.nri.version.clone()],
        }
    }

    /// Adds what another finding on the same node says about the plugin: under each target, the worse
    /// verdict counts.
    pub(super) fn join(&mut self, other: &Self) {
        for event in &other.events {
            if self.events.len() < MAX_EVENTS {
                self.events.insert(event.clone());
            }
        }
        for (target, outcome) in &other.verdicts {
            if self.verdicts.len() < MAX_TARGETS || self.verdicts.contains_key(target) {
                let worst = self.verdicts.entry(target.clone()).or_insert(*outcome);
                *worst = (*worst).max(*outcome);
            }
        }
        if self.seen_as != other.seen_as {
            self.seen_as = SeenAs::File;
        }
    }

    /// Returns the facts that do not depend on the way in which a report saw the plugin.
    pub(super) fn program(&self) -> Program<'_> {
        Program {
            seen_as: &self.seen_as,
            build: &self.build,
            events: &self.events,
        }
    }
}
