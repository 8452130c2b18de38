//! Plugins that fail one hook of the teardown.

use std::time::Duration;

use super::{Scenario, Stage, disconnect};
use crate::runtime::drive::{Driver, Pod};
use crate::runtime::event::Hook;
use crate::runtime::judgement::{Cause, Ended, Shape, Test, fail, shaped, tests};
use crate::runtime::observer::{Action, FAILURE, FIRST, LAST, MIDDLE, Record};
use crate::runtime::pods::missing;

/// The hooks of the teardown.
const HOOKS: [Hook; 4] = [Hook::STOP_POD, Hook::REMOVE_POD, Hook::STOP, Hook::REMOVE];

/// The result of one teardown.
#[derive(Debug)]
pub(crate) struct Teardown {
    /// The hook that the middle plugin failed.
    pub(crate) hook: Hook,
    /// True if the middle plugin received the event within the request for it, and failed it.
    pub(crate) failed: bool,
    /// How often the event reached the first, the middle and the last plugin.
    pub(crate) received: [usize; 3],
    /// The outcome of stopping the pod.
    pub(crate) stopped: Result<(), String>,
    /// True if the pod had a network namespace after it had been stopped.
    pub(crate) network_left: bool,
    /// The outcome of removing the pod.
    pub(crate) removed: Result<(), String>,
    /// True if the pod was listed after it had been removed.
    pub(crate) listed: bool,
}

impl Scenario for Teardown {
    type Evidence = Vec<Teardown>;

    const TESTS: &[Test<Self::Evidence>] = tests! {
        "E3" "stop-goes-on" stop_goes_on;
        "E4" "removal-goes-on" removal_goes_on;
        "E5" "stop-pod-reaches-later-plugins" reaches(Hook::STOP_POD);
        "E5" "remove-pod-reaches-later-plugins" reaches(Hook::REMOVE_POD);
        "E5" "stop-container-reaches-later-plugins" reaches(Hook::STOP);
        "E5" "remove-container-reaches-later-plugins" reaches(Hook::REMOVE);
    };

    async fn play(stage: &Stage, driver: &Driver) -> Result<Vec<Teardown>, String> {
        let mut outcomes = Vec::new();
        for hook in HOOKS {
            outcomes.push(stage.teardown(driver, hook).await?);
        }
        Ok(outcomes)
    }
}

impl Stage {
    /// Tears down a pod while the middle plugin fails a hook.
    async fn teardown(&self, driver: &Driver, hook: Hook) -> Result<Teardown, String> {
        let (surroundings, observers) = self.misbehaving(hook, Action::Fail).await?;
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
        disconnect(observers).await;
        let record = surroundings.journal.read();
        let in_time = if hook == Hook::STOP_POD {
            after_stop
        } else {
            after_removal
        };
        Ok(Teardown {
            hook,
            failed: in_time.first(MIDDLE.name, &id, hook).is_some(),
            received: [FIRST, MIDDLE, LAST].map(|plugin| {
                let events = record.of(plugin.name, &id);
                events.filter(|event| event.event.hook == hook).count()
            }),
            stopped,
            network_left,
            removed,
            listed,
        })
    }

    /// Returns true if a pod still has its own network namespace, after giving the runtime time to remove it.
    async fn has_network(&self, seen: &Record, id: &str) -> bool {
        let Some(run) = seen.first(FIRST.name, id, Hook::RUN_POD) else {
            return false;
        };
        for _ in 0..20 {
            if !self.machine.read(&run.event.pod).has_own_network() {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        true
    }
}

async fn is_listed(driver: &Driver, pod: &Pod, id: &str) -> bool {
    driver.state_of(pod).await.is_some() && driver.status(id).await.is_ok()
}

/// E3: a pod is stopped although a plugin returned an error.
fn stop_goes_on(teardowns: &[Teardown]) -> Ended {
    let Some(teardown) = of(teardowns, Hook::STOP_POD) else {
        return missing(Hook::STOP_POD);
    };
    let sent = "StopPodSandbox, which a plugin fails";
    match &teardown.stopped {
        Err(message) => {
            let [_, _, last] = teardown.received;
            let passed_on = message.contains(FAILURE);
            let shape = passed_on.then(|| Shape::caused(Hook::STOP_POD, last, Cause::PluginError));
            shaped(fail(sent, message.as_str(), "the pod is stopped"), shape)
        }
        Ok(()) if teardown.network_left => fail(
            sent,
            "success, but the network namespace is still there",
            "the network of the pod is taken down",
        ),
        Ok(()) => Ok(()),
    }
}

/// E4: a pod is removed although a plugin returned an error.
fn removal_goes_on(teardowns: &[Teardown]) -> Ended {
    let Some(teardown) = of(teardowns, Hook::REMOVE_POD) else {
        return missing(Hook::REMOVE_POD);
    };
    let sent = "RemovePodSandbox, which a plugin fails";
    match &teardown.removed {
        Err(message) => fail(sent, message.as_str(), "the pod is removed"),
        Ok(()) if teardown.listed => fail(
            sent,
            "success, but the pod is still listed",
            "the pod is removed",
        ),
        Ok(()) => Ok(()),
    }
}

/// E5: a hook reaches the plugins after the one that fails it.
fn reaches(teardowns: &[Teardown], hook: Hook) -> Ended {
    let Some(teardown) = of(teardowns, hook) else {
        return missing(hook);
    };
    let [first, middle, last] = teardown.received;
    if last > 0 {
        return Ok(());
    }
    let failed = fail(
        format!("the request for {hook}, which the plugin with index 50 fails"),
        format!(
            "no event for the plugin with index 99, {} for that with index 00, {} for that with index 50",
            times(first),
            times(middle)
        ),
        "the event reaches every plugin",
    );
    let chain_ended = (first, middle) == (1, 1);
    let shape = chain_ended.then(|| Shape::caused(hook, last, Cause::PluginError));
    shaped(failed, shape)
}

fn times(count: usize) -> String {
    match count {
        1 => "one".to_owned(),
        count => count.to_string(),
    }
}

/// Returns the teardown in which the middle plugin failed a hook, if it received the event.
fn of(teardowns: &[Teardown], hook: Hook) -> Option<&Teardown> {
    let mut teardowns = teardowns.iter();
    teardowns.find(|teardown| teardown.hook == hook && teardown.failed)
}
