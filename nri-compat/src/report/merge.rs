//! What the reports of many nodes add up to: one plain value that renderers read.

use super::check::{Outcome, Skipped};
use crate::check::sighting::Built;

/// The answer of `merge`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergeReport {
    /// Reports read, one a node.
    pub reports: u64,
    /// Plugins, the worst on the most nodes first.
    pub plugins: Vec<MergedPlugin>,
    /// Times that a plugin came up which is beyond those kept apart.
    pub beyond: u64,
    /// What is no report, or broken: the first thousand.
    pub skipped: Vec<Skipped>,
    /// How many are skipped in all.
    pub skipped_in_all: u64,
}

/// A plugin on many nodes: the same index, name and path, built with the same NRI.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedPlugin {
    /// Where it was seen on each.
    pub path: String,
    /// Its name.
    pub name: Option<String>,
    /// Its index.
    pub index: Option<String>,
    /// Which NRI it was built with.
    pub nri: Built,
    /// Number of reports that name it.
    pub nodes: u64,
    /// First time stamp: of logs that saw it at work, else of the reports that name it.
    pub first_seen: Option<String>,
    /// Last time stamp.
    pub last_seen: Option<String>,
    /// RPC names of the events it handles on any node.
    pub events: Vec<String>,
    /// How many nodes had which verdict, by target.
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
    /// The worst verdict on any node under any target.
    pub fn worst(&self) -> Outcome {
        let verdicts = self.verdicts.iter();
        let worst = verdicts
            .flat_map(|verdict| verdict.outcomes())
            .map(|(outcome, _)| outcome)
            .max();
        worst.unwrap_or_default()
    }

    /// Index and name as a runtime writes them, the name alone, or the last part of the path.
    pub fn label(&self) -> String {
        match (&self.index, &self.name) {
            (Some(index), Some(name)) => format!("{index}-{name}"),
            (None, Some(name)) => name.clone(),
            (_, None) => self.path.rsplit('/').next().unwrap_or_default().to_owned(),
        }
    }
}

impl MergedVerdict {
    /// Outcomes that there are, and on how many nodes.
    pub fn outcomes(&self) -> impl Iterator<Item = (Outcome, u64)> {
        let pairs = Outcome::ALL.into_iter().zip(self.counts);
        pairs.filter(|(_, count)| *count > 0)
    }
}
