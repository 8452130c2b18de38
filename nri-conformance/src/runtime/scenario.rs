//! The scenarios. Each connects observing plugins, sends requests to the runtime, and returns the results.

mod hanging;
mod joining;
mod life;
mod rejected;
mod teardown;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::drive::Driver;
use super::event::Hook;
use super::judgement::{Ended, Test, fail};
use super::machine::Machine;
use super::observer::{
    Action, FIRST, Identity, Journal, LAST, MIDDLE, Observer, Script, Surroundings, Viewer,
};

pub(super) use hanging::{Early, Hanging};
pub(super) use joining::Joining;
pub(super) use life::Life;
pub(super) use rejected::{RejectedContainer, RejectedPod};
pub(super) use teardown::Teardown;

/// The time without an event after which no further one is expected.
const QUIET: Duration = Duration::from_millis(250);

/// The longest wait for that time.
const QUIET_LIMIT: Duration = Duration::from_secs(2);

/// A scenario in which plugins misbehave or connect late, with the tests of what happens.
pub(super) trait Scenario {
    /// What the driver and the plugins saw.
    type Evidence: Send + 'static;

    /// The tests of the evidence.
    const TESTS: &[Test<Self::Evidence>];

    /// Plays the scenario. Returns the reason if a step that it needs fails.
    fn play(
        stage: &Stage,
        driver: &Driver,
    ) -> impl Future<Output = Result<Self::Evidence, String>> + Send;
}

/// Everything that scenarios need.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) nri_socket: PathBuf,
    pub(super) machine: Machine,
    pub(super) timeout: Duration,
    pub(super) run: String,
    pub(super) driver: Option<Driver>,
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
    ) -> crate::Result<Vec<Observer>> {
        let mut observers = Vec::new();
        for (identity, script) in plugins {
            observers.push(surroundings.connect(identity, script, self.timeout).await?);
        }
        Ok(observers)
    }

    /// Connects three plugins, of which the middle one misbehaves in a hook.
    async fn misbehaving(
        &self,
        hook: Hook,
        action: Action,
    ) -> Result<(Surroundings, Vec<Observer>), String> {
        let surroundings = self.surroundings(self.viewer());
        let plugins = [
            (FIRST, Script::default()),
            (MIDDLE, Script::default().on(hook, action)),
            (LAST, Script::default()),
        ];
        let observers = self.connect(&surroundings, plugins).await;
        let observers = observers.map_err(|error| error.to_string())?;
        Ok((surroundings, observers))
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
}

async fn disconnect(observers: Vec<Observer>) {
    for observer in observers {
        observer.disconnect().await;
    }
}

/// Tests that two sandboxes have different ids.
fn unlike(first: &str, second: &str) -> Ended {
    if first != second {
        return Ok(());
    }
    fail(
        "RunPodSandbox for a second attempt of a pod",
        format!("the id {second} again"),
        "an id that no sandbox had before",
    )
}
