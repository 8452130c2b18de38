//! Plugins that fail one hook of the teardown.

use std::time::Duration;

use super::{FIRST, LAST, MIDDLE, Stage};
use crate::runtime::drive::{Driver, Pod};
use crate::runtime::machine::NamespaceKind;
use crate::runtime::observer::{Action, Hook, PodFacts, Record, Script};

/// The hooks of the teardown.
pub(super) const HOOKS: [Hook; 4] = [Hook::StopPod, Hook::RemovePod, Hook::Stop, Hook::Remove];

/// The result of one teardown.
#[derive(Debug)]
pub(in crate::runtime) struct Teardown {
    /// The hook that the middle plugin failed.
    pub(in crate::runtime) hook: Hook,
    /// True if the middle plugin received the event within the request for it, and failed it.
    pub(in crate::runtime) failed: bool,
    /// How often the event reached the first, the middle and the last plugin.
    pub(in crate::runtime) received: [usize; 3],
    /// The outcome of stopping the pod.
    pub(in crate::runtime) stopped: Result<(), String>,
    /// True if the pod had a network namespace after it had been stopped.
    pub(in crate::runtime) network_left: bool,
    /// The outcome of removing the pod.
    pub(in crate::runtime) removed: Result<(), String>,
    /// True if the pod was listed after it had been removed.
    pub(in crate::runtime) listed: bool,
}

impl Stage {
    /// Tears down a pod for each hook of the teardown.
    pub(in crate::runtime) async fn teardowns(&self) -> Result<Vec<Teardown>, String> {
        let mut outcomes = Vec::new();
        for hook in HOOKS {
            outcomes.push(self.teardown(hook).await?);
        }
        Ok(outcomes)
    }

    async fn teardown(&self, hook: Hook) -> Result<Teardown, String> {
        let driver = self.driver().map_err(|error| error.to_string())?;
        let surroundings = self.surroundings(self.viewer());
        let observers = self
            .connect(
                &surroundings,
                [
                    (FIRST, Script::default()),
                    (MIDDLE, Script::default().on(hook, Action::Fail)),
                    (LAST, Script::default()),
                ],
            )
            .await?;
        let pod = driver.new_pod("teardown");
        let id = driver.run_pod(&pod).await?;
        let container = driver.run_container(&pod, &id, "main").await?;
        let _ = driver.stop(&container).await;
        let _ = driver.remove(&container).await;
        let seen = surroundings.journal.read();
        let stopped = driver.stop_pod(&id).await;
        let after_stop = surroundings.journal.read();
        let network_left = self.has_network(&seen, &id).await;
        let removed = driver.remove_pod(&id).await;
        let after_removal = surroundings.journal.read();
        let listed = is_listed(driver, &pod, &id).await;
        for observer in observers {
            observer.disconnect().await;
        }
        let record = surroundings.journal.read();
        let in_time = if hook == Hook::StopPod {
            after_stop
        } else {
            after_removal
        };
        Ok(Teardown {
            hook,
            failed: in_time.first(MIDDLE.name, &id, hook).is_some(),
            received: [FIRST, MIDDLE, LAST].map(|plugin| {
                let events = record.of(plugin.name, &id);
                events.filter(|event| event.hook == hook).count()
            }),
            stopped,
            network_left,
            removed,
            listed,
        })
    }

    /// Returns true if a pod still has its own network namespace, after giving the runtime time to remove it.
    async fn has_network(&self, seen: &Record, id: &str) -> bool {
        let Some(run) = seen.first(FIRST.name, id, Hook::RunPod) else {
            return false;
        };
        for _ in 0..20 {
            if !self.network_exists(&run.pod) {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        true
    }

    fn network_exists(&self, pod: &PodFacts) -> bool {
        let state = self.machine.read(pod);
        let network = state.namespace(NamespaceKind::Network);
        network.is_some_and(|found| found.inode.is_some() && !found.shared_with_node)
    }
}

async fn is_listed(driver: &Driver, pod: &Pod, id: &str) -> bool {
    driver.state_of(pod).await.is_some() && driver.status(id).await.is_ok()
}
