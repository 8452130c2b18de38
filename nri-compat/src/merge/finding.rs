//! The finding of one report about a plugin.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::place::Place;
use crate::report::check::{Outcome, Subject};
use crate::sighting::Built;

/// The identity of a plugin across nodes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(super) struct Plugin {
    pub(super) name: Option<String>,
    pub(super) index: Option<String>,
    /// The place without process ids, which differ on each node.
    pub(super) place: Place,
    pub(super) program: Option<String>,
    pub(super) nri: Built,
}

/// The finding of one report about a plugin. Most nodes have the same findings, so each distinct one
/// is stored once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Finding {
    pub(super) plugin: Plugin,
    pub(super) events: BTreeSet<String>,
    /// Outcomes by target.
    pub(super) verdicts: BTreeMap<String, Outcome>,
    /// True if the plugin was seen as the program of a process.
    is_process: bool,
}

impl Finding {
    /// Returns the finding about a subject.
    pub(super) fn new(subject: &Subject) -> Self {
        let place = Place {
            pids: Vec::new(),
            ..subject.place.whole_file()
        };
        let verdicts = subject.verdicts.iter();
        Self {
            plugin: Plugin {
                name: subject.name.clone(),
                index: subject.index.clone(),
                place,
                program: subject.program.clone(),
                nri: subject.nri.clone(),
            },
            events: subject.events.iter().cloned().collect(),
            verdicts: verdicts
                .map(|verdict| (verdict.target.clone(), verdict.outcome))
                .collect(),
            is_process: !subject.place.pids.is_empty(),
        }
    }

    /// Returns its size as JSON, in bytes.
    pub(super) fn size(&self) -> usize {
        serde_json::to_vec(self).map_or(usize::MAX, |json| json.len())
    }

    /// Adds what another finding on the same node says about the plugin: under each target, the worse
    /// verdict counts.
    pub(super) fn join(&mut self, other: &Self) {
        self.events.extend(other.events.iter().cloned());
        for (target, outcome) in &other.verdicts {
            let worst = self.verdicts.entry(target.clone()).or_insert(*outcome);
            *worst = (*worst).max(*outcome);
        }
    }

    /// Returns true if this is the program in the image of a container.
    pub(super) fn is_in_container(&self) -> bool {
        self.plugin.place.workload.is_some() && self.plugin.place.entry.is_some()
    }

    /// Returns true if this is a process on a node that runs the program of a container on the same
    /// node: the process sees the program under its path in the image.
    pub(super) fn is_process_of(&self, container: &Self) -> bool {
        let (process, other) = (&self.plugin, &container.plugin);
        self.is_process
            && other.place.entry.as_ref() == Some(&process.place.file)
            && self.events == container.events
            && process.program == other.program
            && process.nri.version == other.nri.version
    }
}
