//! State that all parts of an adaptation share.

use std::time::Duration;

use tokio::sync::{Semaphore, watch};

use super::callbacks::{Callbacks, Validator};
use super::deprecation::Ledger;
use super::intake::Intake;
use super::launch::Processes;
use super::member::Member;
use super::metrics::Metrics;
use super::order::PodOrder;
use super::policy::ErrorPolicy;
use super::revision::Revision;
use super::roster::Roster;
use super::sync_guard::SyncLock;

/// Unsolicited updates that the runtime works on at once.
pub(super) const MAX_UPDATES: usize = 64;

/// The state of an adaptation.
pub(super) struct Core {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) revision: Revision,
    /// The time that a plugin may take to register.
    pub(super) registration_timeout: Duration,
    /// The time that a plugin may take to answer a request.
    pub(super) request_timeout: Duration,
    pub(super) queue_limit: usize,
    pub(super) policy: ErrorPolicy,
    pub(super) callbacks: Box<dyn Callbacks>,
    pub(super) ledger: Ledger,
    pub(super) metrics: Box<dyn Metrics>,
    pub(super) validators: Vec<Box<dyn Validator>>,
    pub(super) roster: Roster,
    pub(super) order: PodOrder,
    pub(super) sync: SyncLock,
    pub(super) updates: Semaphore,
    pub(super) intake: Intake,
    /// Becomes true when the adaptation stops.
    pub(super) stopping: watch::Sender<bool>,
    pub(super) processes: Processes,
}

impl Core {
    /// Disconnects a plugin.
    pub(super) fn disconnect(&self, member: &Member) {
        member.close();
        if self.roster.remove(member) {
            self.metrics.plugin_count(self.roster.ready());
        }
    }

    /// Waits until the adaptation stops.
    pub(super) async fn stopped(&self) {
        let mut stopping = self.stopping.subscribe();
        // An error means that the core is gone, which stops everything as well.
        let _ = stopping.wait_for(|stopping| *stopping).await;
    }
}
