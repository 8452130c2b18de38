//! The existing workload, observed for a while.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::{QUIET, QUIET_LIMIT, Stage};
use crate::Result;
use crate::runtime::case::PodCase;
use crate::runtime::event::Hook;
use crate::runtime::observer::{Action, FIRST, LAST, Record, Script};
use crate::runtime::sequence::Sequence;

/// The existing workload.
#[derive(Debug)]
pub(crate) struct Watched {
    /// The pods that started to run in the time.
    pub(crate) pods: Vec<PodCase>,
    /// The events of each plugin.
    pub(crate) sequences: Vec<Sequence>,
}

impl Stage {
    /// Observes for a while, or until `stop` completes, and returns what happened.
    ///
    /// # Errors
    ///
    /// Returns an error if the plugins cannot connect.
    pub(crate) async fn watch(
        &self,
        time: Duration,
        stop: impl Future<Output = ()>,
    ) -> Result<Watched> {
        let surroundings = self.surroundings(self.viewer());
        let first = surroundings
            .connect(FIRST, Script::default(), self.timeout)
            .await?;
        let script = Script::default()
            .on(Hook::RUN_POD, Action::Look)
            .on(Hook::STOP_POD, Action::Look)
            .on(Hook::REMOVE_POD, Action::Look);
        let last = surroundings.connect(LAST, script, self.timeout).await?;
        // In both cases, everything observed so far is judged.
        let _ = tokio::time::timeout(time, stop).await;
        surroundings.journal.settle(QUIET, QUIET_LIMIT).await;
        first.disconnect().await;
        last.disconnect().await;
        let record = surroundings.journal.read();
        Ok(Watched {
            sequences: Sequence::all_of(&record),
            pods: cases(record),
        })
    }
}

fn cases(record: Record) -> Vec<PodCase> {
    let begun = record
        .entries
        .iter()
        .filter(|entry| entry.event.hook == Hook::RUN_POD)
        .map(|entry| entry.event.pod.id.clone());
    let ids: BTreeSet<String> = begun.collect();
    let record = Arc::new(record);
    let case = |id| PodCase {
        id,
        record: Arc::clone(&record),
        calls: Arc::default(),
    };
    ids.into_iter().map(case).collect()
}
