//! An attempt to start a container while the Run hook of its pod is held.

use super::{FIRST, LAST, Stage};
use crate::runtime::observer::{Action, Attempt, Hook, Script, Viewer};

/// The result of the scenario.
#[derive(Debug)]
pub(in crate::runtime) struct Early {
    /// The outcome of the attempt; `None` if no Run event arrived before the response.
    pub(in crate::runtime) attempt: Option<Attempt>,
}

impl Stage {
    /// Tries to start a container in a pod before its Run hook returns.
    pub(in crate::runtime) async fn early(&self) -> Result<Early, String> {
        let driver = self.driver().map_err(|error| error.to_string())?;
        let surroundings = self.surroundings(Viewer {
            workload: Some(driver.container("early")),
            ..self.viewer()
        });
        let script = Script::default().on(Hook::RunPod, Action::StartWorkload);
        let observers = self
            .connect(&surroundings, [(FIRST, Script::default()), (LAST, script)])
            .await?;
        let id = driver.run_pod(&driver.new_pod("early")).await?;
        let during = surroundings.journal.read();
        let _ = driver.stop_pod(&id).await;
        let _ = driver.remove_pod(&id).await;
        for observer in observers {
            observer.disconnect().await;
        }
        let run = during.first(LAST.name, &id, Hook::RunPod);
        Ok(Early {
            attempt: run.and_then(|entry| entry.attempt.clone()),
        })
    }
}
