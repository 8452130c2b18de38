//! Plugins that fail one hook of the teardown.

use std::sync::Arc;
use std::time::Duration;

use super::{Played, Scene};
use crate::runtime::Stage;
use crate::runtime::cri::messages::Empty;
use crate::runtime::drive::Driver;
use crate::runtime::event::Hook;
use crate::runtime::journal::Record;
use crate::runtime::judgement::{After, Ended, Shape, Stop, Test, fail, tests};
use crate::runtime::machine::Machine;
use crate::runtime::observer::{Action, FAILURE, FIRST, LAST, MIDDLE};
use crate::runtime::pods::absent;

pub(crate) const TESTS: [Test; 6] = tests! {
    "E3" "stop-goes-on" "StopPodSandbox, which a plugin fails"
        => "the pod is stopped";
    "E4" "removal-goes-on" "RemovePodSandbox, which a plugin fails"
        => "the pod is removed";
    "E5" "stop-pod-reaches-later-plugins" "the request for StopPodSandbox, which the plugin with index 50 fails"
        => "the event reaches every plugin";
    "E5" "remove-pod-reaches-later-plugins" "the request for RemovePodSandbox, which the plugin with index 50 fails"
        => "the event reaches every plugin";
    "E5" "stop-container-reaches-later-plugins" "the request for StopContainer, which the plugin with index 50 fails"
        => "the event reaches every plugin";
    "E5" "remove-container-reaches-later-plugins" "the request for RemoveContainer, which the plugin with index 50 fails"
        => "the event reaches every plugin";
};

pub(crate) async fn teardown(stage: &Arc<Stage>, driver: &Driver) -> Played<6> {
    let [stop_goes_on, _, stop_pod] = tear_down(stage, driver, Hook::STOP_POD).await?;
    let [_, removal_goes_on, remove_pod] = tear_down(stage, driver, Hook::REMOVE_POD).await?;
    let [_, _, stop] = tear_down(stage, driver, Hook::STOP).await?;
    let [_, _, remove] = tear_down(stage, driver, Hook::REMOVE).await?;
    Ok([stop_goes_on, removal_goes_on, stop_pod, remove_pod, stop, remove])
}

/// Tears down a pod while the middle plugin fails a hook. Returns the ends of the tests of E3, E4
/// and E5.
async fn tear_down(stage: &Arc<Stage>, driver: &Driver, hook: Hook) -> Played<3> {
    let scene = Scene::misbehaving(stage, hook, Action::Fail).await?;
    let pod = driver.new_pod("teardown");
    let id = driver.run_pod(&pod).await?;
    let container = driver.run_container(&pod, &id, "main").await?;
    let _ = driver.stop(&container).await;
    let _ = driver.remove(&container).await;
    let stopped = driver.stop_pod(&id).await;
    let after_stop = scene.journal.read();
    let network_left = has_network(&stage.machine, &after_stop, &id).await;
    let removed = driver.remove_pod(&id).await;
    let after_removal = scene.journal.read();
    let listed =
        driver.state_of(&pod).await.is_some() && driver.client().pod_status(&id).await.is_ok();
    let record = scene.end().await;
    let in_time = if hook == Hook::STOP_POD { after_stop } else { after_removal };
    if in_time.first(MIDDLE.name, &id, hook).is_none() {
        return Ok([(); 3].map(|()| Err(absent(hook))));
    }
    let received = [FIRST, MIDDLE, LAST].map(|plugin| {
        let events = record.events(plugin.name, &id);
        events.filter(|event| event.hook == hook).count()
    });
    let shape = Shape::new(hook, received[2], After::PluginError);
    Ok([
        stop_goes_on(stopped, network_left, shape),
        removal_goes_on(removed, listed),
        reaches_later_plugins(received, shape),
    ])
}

/// Returns true if a pod still has its own network namespace, after giving the runtime time to
/// remove it.
async fn has_network(machine: &Machine, record: &Record, id: &str) -> bool {
    let run = record.first(FIRST.name, id, Hook::RUN_POD);
    let Some(pod) = run.and_then(|run| run.facts.as_deref()) else {
        return false;
    };
    for _ in 0..20 {
        if !machine.read(pod).has_own_network() {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    true
}

/// E3: a pod is stopped although a plugin returned an error.
fn stop_goes_on(stopped: Result<Empty, String>, network_left: bool, shape: Shape) -> Ended {
    match stopped {
        Err(message) => {
            let passed_on = message.contains(FAILURE);
            Err(Stop::Fail(message, passed_on.then_some(shape)))
        }
        Ok(_) if network_left => fail("success, but the network namespace is still there"),
        Ok(_) => Ok(()),
    }
}

/// E4: a pod is removed although a plugin returned an error.
fn removal_goes_on(removed: Result<Empty, String>, listed: bool) -> Ended {
    match removed {
        Err(message) => fail(message),
        Ok(_) if listed => fail("success, but the pod is still listed"),
        Ok(_) => Ok(()),
    }
}

/// E5: a hook reaches the plugins after the one that fails it.
fn reaches_later_plugins([first, middle, last]: [usize; 3], shape: Shape) -> Ended {
    if last > 0 {
        return Ok(());
    }
    let got = format!(
        "no event for the plugin with index 99, {} for that with index 00, {} for that with index 50",
        in_words(first),
        in_words(middle)
    );
    // Also if the event comes twice, which another statement forbids.
    let chain_ended = middle > 0 && first == middle;
    Err(Stop::Fail(got, chain_ended.then_some(shape)))
}

/// Returns a number of events as a part of a sentence.
fn in_words(count: usize) -> String {
    if count == 1 { "one".to_owned() } else { count.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the shape for which a deviation may apply to these numbers of events.
    fn known_shape(received: [usize; 3]) -> Option<Shape> {
        let shape = Shape::new(Hook::STOP, received[2], After::PluginError);
        match reaches_later_plugins(received, shape) {
            Err(Stop::Fail(_, shape)) => shape,
            ended => panic!("{received:?}: {ended:?}"),
        }
    }

    #[test]
    fn a_chain_that_ends_is_known_under_another_fault_too() {
        let ended = Some(Shape::new(Hook::STOP, 0, After::PluginError));
        assert_eq!(known_shape([1, 1, 0]), ended);
        // A runtime that sends each event twice, and ends both chains.
        assert_eq!(known_shape([2, 2, 0]), ended);
        for unexplained in [[0, 0, 0], [0, 1, 0], [1, 0, 0], [2, 1, 0], [1, 2, 0]] {
            assert_eq!(known_shape(unexplained), None, "{unexplained:?}");
        }
    }

    #[test]
    fn an_event_that_reaches_the_last_plugin_passes() {
        let shape = Shape::new(Hook::STOP, 1, After::PluginError);
        assert!(reaches_later_plugins([1, 1, 1], shape).is_ok());
    }
}
