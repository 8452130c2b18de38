//! The sum of the reports of many nodes: one plain value that renderers read.

use super::check::{Outcome, Skipped};
use crate::check::sighting::Built;

/// The answer of `merge`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergeReport {
    /// Number of reports read.
    pub reports: u64,
    /// Number of nodes: those with a name, and one per report without.
    pub nodes: u64,
    /// Number of reports that name no node.
    pub unnamed: u64,
    /// Number of reports for which there is a newer one of the same node, or that were read twice.
    pub superseded: u64,
    /// Number of nodes of which there should be a report.
    pub expected: u64,
    /// Expected nodes that have none.
    pub silent: Vec<String>,
    /// Plugins, the worst on the most nodes first.
    pub plugins: Vec<MergedPlugin>,
    /// Number of times that a plugin or node was found beyond those that are kept apart.
    pub beyond: u64,
    /// Inputs that are no reports, or broken: the first thousand.
    pub skipped: Vec<Skipped>,
    /// Number of inputs skipped in all.
    pub skipped_in_all: u64,
}

/// A plugin on many nodes: the same index, name and path, built with the same NRI.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedPlugin {
    /// Its path on each of them.
    pub path: String,
    /// Its name.
    pub name: Option<String>,
    /// Its index.
    pub index: Option<String>,
    /// The NRI that it was built with.
    pub nri: Built,
    /// Number of nodes whose newest report names it.
    pub nodes: u64,
    /// First time stamp: of logs that saw it at work, else of the reports that name it.
    pub first_seen: Option<String>,
    /// Last time stamp.
    pub last_seen: Option<String>,
    /// RPC names of the events it handles on any node.
    pub events: Vec<String>,
    /// Numbers of nodes by verdict, by target.
    pub verdicts: Vec<MergedVerdict>,
}

/// Verdicts under one target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedVerdict {
    /// Name of the target.
    pub target: String,
    /// Number of nodes by outcome, in the order of [`Outcome::ALL`].
    pub counts: [u64; Outcome::ALL.len()],
}

impl MergedPlugin {
    /// Returns the worst verdict on any node under any target.
    pub fn worst(&self) -> Outcome {
        let verdicts = self.verdicts.iter();
        let worst = verdicts
            .flat_map(|verdict| verdict.outcomes())
            .map(|(outcome, _)| outcome)
            .max();
        worst.unwrap_or_default()
    }

    /// Returns index and name as a runtime writes them, the name alone, or the last part of the path.
    pub fn label(&self) -> String {
        match (&self.index, &self.name) {
            (Some(index), Some(name)) => format!("{index}-{name}"),
            (None, Some(name)) => name.clone(),
            (_, None) => self.path.rsplit('/').next().unwrap_or_default().to_owned(),
        }
    }
}

impl MergedVerdict {
    /// Returns the outcomes on any node, each with the number of nodes.
    pub fn outcomes(&self) -> impl Iterator<Item = (Outcome, u64)> {
        let pairs = Outcome::ALL.into_iter().zip(self.counts);
        pairs.filter(|(_, count)| *count > 0)
    }
}
