//! A plugin that does not answer in time.

use std::time::Duration;

use super::{FIRST, LAST, MIDDLE, Stage};
use crate::runtime::observer::{Action, Hook, Script};

/// The time within which the runtime must close the connection after the request.
const CLOSED: Duration = Duration::from_secs(3);

/// The result of the scenario.
#[derive(Debug)]
pub(in crate::runtime) struct Hanging {
    /// True if the plugin received the event.
    pub(in crate::runtime) received: bool,
    /// The outcome of the request.
    pub(in crate::runtime) result: Result<String, String>,
    /// The time limit of the driver.
    pub(in crate::runtime) limit: Duration,
    /// The time that the request took.
    pub(in crate::runtime) took: Duration,
    /// True if the runtime closed the connection of the plugin.
    pub(in crate::runtime) disconnected: bool,
}

impl Stage {
    /// Makes a plugin hang while a pod is run.
    pub(in crate::runtime) async fn hanging(&self) -> Result<Hanging, String> {
        let driver = self.driver().map_err(|error| error.to_string())?;
        let surroundings = self.surroundings(self.viewer());
        let observers = self
            .connect(
                &surroundings,
                [
                    (FIRST, Script::default()),
                    (MIDDLE, Script::default().on(Hook::RunPod, Action::Hang)),
                    (LAST, Script::default()),
                ],
            )
            .await?;
        let started = std::time::Instant::now();
        let result = driver.run_pod(&driver.new_pod("hanging")).await;
        let took = started.elapsed();
        let journal = &surroundings.journal;
        let disconnected = journal
            .wait(CLOSED, |record| {
                record.lost.iter().any(|(name, _)| *name == MIDDLE.name)
            })
            .await;
        if let Ok(id) = &result {
            let _ = driver.stop_pod(id).await;
            let _ = driver.remove_pod(id).await;
        }
        let record = journal.read();
        for observer in observers {
            observer.disconnect().await;
        }
        let mut entries = record.entries.iter();
        Ok(Hanging {
            received: entries
                .any(|entry| entry.observer == MIDDLE.name && entry.hook == Hook::RunPod),
            result,
            limit: self.timeout,
            took,
            disconnected,
        })
    }
}
