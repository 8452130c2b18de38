//! The settings of a run.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::contract::{self, Status};
use crate::session::{RuntimeKind, Timeouts};

/// The settings of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The statements to test; empty means all of them, except those about [robustness](Status::Robustness).
    pub only: BTreeSet<String>,
    /// The statements to skip.
    pub skip: BTreeSet<String>,
    /// The protocol revisions to test under, such as `v0.11.0`; empty means all of them.
    pub revisions: BTreeSet<String>,
    /// The runtime whose pods and containers are imitated.
    pub runtime: RuntimeKind,
    /// The time limits of the simulated runtime.
    pub timeouts: Timeouts,
    /// The seed for ids and random content.
    pub seed: u64,
    /// True if W17 is tested with 1,000,000 events, or as many as take ten minutes after the first 100,000, and with 1,000
    /// connections rather than a few thousand events, and W11 with a hundred times as many requests.
    pub soak: bool,
    /// The configuration that is sent to the plugin.
    pub config: String,
    /// The folder for a wire trace of each failure.
    pub trace: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            only: BTreeSet::new(),
            skip: BTreeSet::new(),
            revisions: BTreeSet::new(),
            runtime: RuntimeKind::default(),
            timeouts: Timeouts::default(),
            seed: 1,
            soak: false,
            config: String::new(),
            trace: None,
        }
    }
}

impl Options {
    /// Returns true if a statement is tested.
    pub fn selects(&self, statement: &str) -> bool {
        let is_usual = || contract::get(statement).is_none_or(|it| it.status != Status::Robustness);
        let is_asked = self.only.contains(statement) || self.only.is_empty() && is_usual();
        is_asked && !self.skip.contains(statement)
    }

    /// Returns true if a revision is tested.
    pub fn plays(&self, revision: &str) -> bool {
        self.revisions.is_empty() || self.revisions.contains(revision)
    }
}
