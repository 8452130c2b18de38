//! C1 to C4: the events of containers, and repeated requests, to the extent asserted by critest.

use super::case::{WATCHING, missing};
use super::{fail, skip};
use crate::result::Outcome;
use crate::runtime::observer::{Hook, RecordedEvent};
use crate::runtime::scenario::{LAST, Life, RejectedContainer};

/// C1: Create, Start, Stop and Remove of a container arrive once each, in this order, with its name and its pod.
pub(super) fn container_events_in_order(life: &Life) -> Outcome {
    events_of(life, &life.container, "main")
}

/// C1 for a container that ends with an error.
pub(super) fn failing_container_events_in_order(life: &Life) -> Outcome {
    match &life.failing {
        None => skip("no command that ends with an error was given"),
        Some(Err(message)) => skip(format!("the container could not be run: {message}")),
        Some(Ok(container)) => events_of(life, container, "failing"),
    }
}

fn events_of(life: &Life, container: &str, name: &str) -> Outcome {
    for observer in WATCHING {
        let entries: Vec<&RecordedEvent> = life
            .orderly
            .record
            .entries
            .iter()
            .filter(|entry| entry.observer == observer && is_about(entry, container))
            .collect();
        let hooks: Vec<Hook> = entries.iter().map(|entry| entry.hook).collect();
        let pod = &life.orderly.id;
        let mislabelled = entries.iter().any(|entry| {
            let facts = entry.container.as_ref();
            entry.pod.id != *pod
                || facts.is_some_and(|facts| facts.name != name || facts.pod != *pod)
        });
        if hooks != [Hook::Create, Hook::Start, Hook::Stop, Hook::Remove] || mislabelled {
            let names: Vec<String> = hooks.iter().map(ToString::to_string).collect();
            let wrong = if mislabelled {
                ", with a wrong name or pod"
            } else {
                ""
            };
            return fail(
                format!("the requests of the life of container {container}, in pod {pod}"),
                format!("plugin {observer} received {}{wrong}", names.join(", ")),
                "CreateContainer, StartContainer, StopContainer, RemoveContainer, with its name and pod",
            );
        }
    }
    Outcome::Pass
}

/// Returns true for an event that a container has once.
fn is_about(entry: &RecordedEvent, container: &str) -> bool {
    let found = entry.container.as_ref();
    entry.hook.is_life_of_container() && found.is_some_and(|found| found.id == container)
}

/// C2: a container is not listed before its CreateContainer hook returns.
pub(super) fn not_listed_during_create(life: &Life) -> Outcome {
    let record = &life.orderly.record;
    let create = record.first(LAST.name, &life.orderly.id, Hook::Create);
    let Some(create) = create else {
        return missing(Hook::Create);
    };
    let cri = create.views.first().and_then(|view| view.cri.as_ref());
    let containers = match cri.map(|cri| &cri.containers) {
        None => return skip("needs the CRI socket of the runtime"),
        Some(Err(message)) => {
            return skip(format!(
                "the runtime does not list containers during the hook: {message}"
            ));
        }
        Some(Ok(containers)) => containers,
    };
    match containers.iter().find(|(id, _)| *id == life.container) {
        None => Outcome::Pass,
        Some(_) => fail(
            "ListContainers during CreateContainer",
            format!("container {}", life.container),
            "the container is not listed before all hooks have returned",
        ),
    }
}

/// C3: an error of a plugin fails CreateContainer, nothing is left, and the container can be created again.
pub(super) fn rejected_container_is_cleaned_up(rejected: &RejectedContainer) -> Outcome {
    if !rejected.rejected {
        return missing(Hook::Create);
    }
    let sent = "CreateContainer, which a plugin fails once";
    match (&rejected.result, rejected.left.first(), &rejected.retry) {
        (Ok(container), ..) => fail(sent, format!("container {container}"), "an error"),
        (Err(_), Some(left), _) => fail(
            sent,
            format!("an error, and container {left} in the list"),
            "nothing is left of a container whose request failed",
        ),
        (Err(_), None, Err(message)) => fail(
            "CreateContainer again, after a plugin had failed it once",
            message.as_str(),
            "the second attempt succeeds",
        ),
        (Err(_), None, Ok(_)) => Outcome::Pass,
    }
}

/// C4: stopping a pod a second time succeeds.
pub(super) fn second_stop_succeeds(life: &Life) -> Outcome {
    match &life.stopped_twice {
        (Err(message), _) => skip(format!("the pod could not be stopped once: {message}")),
        (Ok(()), Ok(())) => Outcome::Pass,
        (Ok(()), Err(message)) => fail(
            format!("StopPodSandbox of the stopped pod {}", life.orderly.id),
            message.as_str(),
            "success",
        ),
    }
}
