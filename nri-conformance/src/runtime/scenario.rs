//! The scenarios. Each connects observing plugins, sends requests to the runtime, and returns the results.

mod early;
mod hanging;
mod joining;
mod life;
mod rejected;
mod teardown;
mod watch;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::drive::{Call, Driver};
use super::machine::Machine;
use super::observer::{Identity, Journal, Observer, Record, Script, Surroundings, Viewer};
use super::sequence::Sequence;
use crate::{Error, Result};

pub(super) use early::Early;
pub(super) use hanging::Hanging;
pub(super) use joining::Joining;
pub(super) use life::Life;
pub(super) use rejected::{RejectedContainer, RejectedPod};
pub(super) use teardown::Teardown;

/// The time without an event after which no further one is expected.
const QUIET: Duration = Duration::from_millis(250);

/// The longest wait for that time.
const QUIET_LIMIT: Duration = Duration::from_secs(2);

/// The plugin that is called first.
pub(super) const FIRST: Identity = Identity {
    name: "first",
    index: "00",
};
/// The plugin that misbehaves.
pub(super) const MIDDLE: Identity = Identity {
    name: "middle",
    index: "50",
};
/// The plugin that is called last.
pub(super) const LAST: Identity = Identity {
    name: "last",
    index: "99",
};

/// Everything that scenarios need.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) nri_socket: PathBuf,
    pub(super) machine: Machine,
    pub(super) timeout: Duration,
    pub(super) run: String,
    pub(super) driver: Option<Driver>,
}

/// One pod, with everything that was recorded about it.
#[derive(Clone, Debug)]
pub(super) struct PodCase {
    pub(super) id: String,
    pub(super) record: Arc<Record>,
    /// The requests of the driver; empty for pods of others.
    pub(super) calls: Arc<Vec<Call>>,
}

/// The results of all scenarios that were played.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// The pods whose life was observed from the beginning.
    pub(super) pods: Vec<PodCase>,
    pub(super) life: Played<Life>,
    pub(super) early: Played<Early>,
    pub(super) rejected_pod: Played<RejectedPod>,
    pub(super) rejected_container: Played<RejectedContainer>,
    pub(super) teardowns: Played<Vec<Teardown>>,
    pub(super) hanging: Played<Hanging>,
    pub(super) joining: Played<Joining>,
    /// The events of each plugin while none misbehaved.
    pub(super) sequences: Vec<Sequence>,
    /// The name and version in Configure.
    pub(super) runtime: Option<(String, String)>,
}

impl Evidence {
    /// Returns the events of each plugin, also of those that connected late.
    pub(super) fn all_sequences(&self) -> impl Iterator<Item = &Sequence> {
        let late = match &self.joining {
            Played::Yes(joining) => joining.sequences.as_slice(),
            Played::No | Played::Broken(_) => &[],
        };
        self.sequences.iter().chain(late)
    }
}

/// The result of one scenario.
#[derive(Debug, Default)]
pub(super) enum Played<T> {
    /// It needs a CRI socket, or no selected statement needs it.
    #[default]
    No,
    /// It ended early, for this reason.
    Broken(String),
    /// It was played to its end.
    Yes(T),
}

impl<T> From<Result<T, String>> for Played<T> {
    fn from(result: Result<T, String>) -> Played<T> {
        match result {
            Ok(evidence) => Played::Yes(evidence),
            Err(reason) => Played::Broken(reason),
        }
    }
}

impl Stage {
    /// Returns the surroundings of the observers of one scenario, with an empty journal.
    pub(super) fn surroundings(&self, viewer: Viewer) -> Surroundings {
        Surroundings {
            socket: self.nri_socket.clone(),
            journal: Journal::new(),
            viewer: Arc::new(viewer),
            run: self.run.clone(),
        }
    }

    /// Connects several plugins.
    async fn connect<const N: usize>(
        &self,
        surroundings: &Surroundings,
        plugins: [(Identity, Script); N],
    ) -> Result<Vec<Observer>, String> {
        let mut observers = Vec::new();
        for (identity, script) in plugins {
            let observer = surroundings.connect(identity, script, self.timeout).await;
            observers.push(observer.map_err(|error| error.to_string())?);
        }
        Ok(observers)
    }

    /// Returns a viewer for observers that start nothing.
    pub(super) fn viewer(&self) -> Viewer {
        let driver = self.driver.as_ref();
        Viewer {
            machine: self.machine.clone(),
            client: driver.map(|driver| driver.client().clone()),
            workload: None,
        }
    }

    /// Returns the driver.
    ///
    /// # Errors
    ///
    /// Returns an error without a CRI socket.
    pub(super) fn driver(&self) -> Result<&Driver> {
        let missing = || Error::new("running pods needs the CRI socket of the runtime");
        self.driver.as_ref().ok_or_else(missing)
    }
}
