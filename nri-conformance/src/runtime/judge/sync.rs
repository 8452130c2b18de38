//! Y1: every pod and container reaches a plugin.

use super::case::WATCHING;
use super::fail;
use crate::result::Outcome;
use crate::runtime::scenario::{Joining, Life};

/// The events contain the pod that the driver requested.
pub(super) fn metadata_is_correct(life: &Life) -> Outcome {
    let (name, uid) = &life.asked;
    for observer in WATCHING {
        for entry in life.orderly.record.of(observer, &life.orderly.id) {
            if entry.pod.name != *name || entry.pod.uid != *uid {
                return fail(
                    format!("requests about pod {name} with uid {uid}"),
                    format!(
                        "{} about pod {} with uid {}",
                        entry.hook, entry.pod.name, entry.pod.uid
                    ),
                    "every event names the pod",
                );
            }
        }
    }
    Outcome::Pass
}

/// A plugin that connects late.
pub(super) fn late_plugin(joining: &Joining) -> Outcome {
    complete(
        &joining.late,
        "a plugin that connects after the pod was run",
    )
}

/// A container that is created while a plugin handles Synchronize.
pub(super) fn container_during_synchronize(joining: &Joining) -> Outcome {
    complete(
        &joining.slow,
        "a container is created while a plugin handles Synchronize",
    )
}

/// Pods and containers that are created while a plugin connects.
pub(super) fn crowd(joining: &Joining) -> Outcome {
    complete(
        &joining.crowd,
        "pods and containers are created while plugins connect",
    )
}

/// A plugin that was disconnected.
pub(super) fn returned_plugin(joining: &Joining) -> Outcome {
    complete(&joining.returned, "a plugin that connects again")
}

fn complete(missed: &[String], sent: &str) -> Outcome {
    match missed.first() {
        None => Outcome::Pass,
        Some(first) => fail(
            sent,
            format!("{first} ({} in all)", missed.len()),
            "every pod and container in Synchronize or in an event",
        ),
    }
}
