//! E1 to E6: errors of plugins.

use super::case::missing;
use super::{Finding, fail, skip};
use crate::result::Outcome;
use crate::runtime::observer::Hook;
use crate::runtime::scenario::{FIRST, Hanging, RejectedPod, Teardown};
use crate::runtime::shape::{Cause, Shape};

/// E1: the request fails, or the plugin is disconnected.
pub(super) fn timeout_is_an_error(hanging: &Hanging) -> Outcome {
    if !hanging.received {
        return missing(Hook::RunPod);
    }
    let sent = "RunPodSandbox to a plugin that does not answer within the request timeout";
    let expected = "an error of the request, or the end of the connection";
    if hanging.took >= hanging.limit {
        let got = format!("no answer to the request within {:?}", hanging.limit);
        return fail(sent, got, expected);
    }
    if hanging.result.is_err() || hanging.disconnected {
        return Outcome::Pass;
    }
    fail(
        sent,
        format!(
            "the request succeeded after {:.1?}, and the plugin is still connected",
            hanging.took
        ),
        expected,
    )
}

/// E2: if an error of a plugin fails the request, nothing is left of the pod, and it can be run again.
pub(super) fn rejected_pod_is_cleaned_up(rejected: &RejectedPod) -> Outcome {
    if rejected.id.is_none() {
        return missing(Hook::RunPod);
    }
    let sent = "RunPodSandbox, which a plugin fails once";
    if let (Err(_), Some(left)) = (&rejected.result, rejected.left.first()) {
        return fail(
            sent,
            format!("an error, and {left}"),
            "nothing is left of a pod whose request failed",
        );
    }
    match (&rejected.result, &rejected.retry) {
        (Err(_), Err(message)) => fail(
            "RunPodSandbox again, after a plugin had failed it once",
            message.as_str(),
            "the second attempt succeeds",
        ),
        // The policy of the runtime is to run the pod anyway.
        (Ok(_), _) | (Err(_), Ok(_)) => Outcome::Pass,
    }
}

/// E3: a pod is stopped although a plugin returned an error.
pub(super) fn stop_goes_on(teardowns: &[Teardown]) -> Outcome {
    let Some(teardown) = of(teardowns, Hook::StopPod) else {
        return missing(Hook::StopPod);
    };
    let sent = "StopPodSandbox, which a plugin fails";
    match &teardown.stopped {
        Err(message) => fail(sent, message.as_str(), "the pod is stopped"),
        Ok(()) if teardown.network_left => fail(
            sent,
            "success, but the network namespace is still there",
            "the network of the pod is taken down",
        ),
        Ok(()) => Outcome::Pass,
    }
}

/// E4: a pod is removed although a plugin returned an error.
pub(super) fn removal_goes_on(teardowns: &[Teardown]) -> Outcome {
    let Some(teardown) = of(teardowns, Hook::RemovePod) else {
        return missing(Hook::RemovePod);
    };
    let sent = "RemovePodSandbox, which a plugin fails";
    match &teardown.removed {
        Err(message) => fail(sent, message.as_str(), "the pod is removed"),
        Ok(()) if teardown.listed => fail(
            sent,
            "success, but the pod is still listed",
            "the pod is removed",
        ),
        Ok(()) => Outcome::Pass,
    }
}

/// E5 for StopPodSandbox.
pub(super) fn stop_pod_reaches_later_plugins(teardowns: &[Teardown]) -> Finding {
    reaches(teardowns, Hook::StopPod)
}

/// E5 for RemovePodSandbox.
pub(super) fn remove_pod_reaches_later_plugins(teardowns: &[Teardown]) -> Finding {
    reaches(teardowns, Hook::RemovePod)
}

/// E5 for StopContainer.
pub(super) fn stop_reaches_later_plugins(teardowns: &[Teardown]) -> Finding {
    reaches(teardowns, Hook::Stop)
}

/// E5 for RemoveContainer.
pub(super) fn remove_reaches_later_plugins(teardowns: &[Teardown]) -> Finding {
    reaches(teardowns, Hook::Remove)
}

fn reaches(teardowns: &[Teardown], hook: Hook) -> Finding {
    let Some(teardown) = of(teardowns, hook) else {
        return missing(hook).into();
    };
    let [first, middle, last] = teardown.received;
    if last > 0 {
        return Outcome::Pass.into();
    }
    let outcome = fail(
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
    Finding { outcome, shape }
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

/// E6: the plugins that accepted a pod are informed that it is gone.
pub(super) fn accepting_plugins_are_informed(rejected: &RejectedPod) -> Outcome {
    let Some(id) = &rejected.id else {
        return missing(Hook::RunPod);
    };
    if rejected.result.is_ok() {
        return skip("the runtime runs a pod although a plugin rejects it");
    }
    let arrived = |hook| rejected.record.first(FIRST.name, id, hook);
    match (arrived(Hook::StopPod), arrived(Hook::RemovePod)) {
        (Some(stop), Some(remove)) if stop.started <= remove.started => Outcome::Pass,
        (stop, remove) => fail(
            "RunPodSandbox, which a later plugin fails",
            format!(
                "the first plugin: StopPodSandbox {}, RemovePodSandbox {}",
                presence(stop.is_some()),
                presence(remove.is_some())
            ),
            "StopPodSandbox and then RemovePodSandbox for the plugins that accepted the pod",
        ),
    }
}

fn presence(arrived: bool) -> &'static str {
    if arrived { "arrived" } else { "did not arrive" }
}
