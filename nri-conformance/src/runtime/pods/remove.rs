//! D1 and D2: the state of a pod at RemovePodSandbox.

use super::requests::is_out_of_order;
use super::{containers, each};
use crate::runtime::event::Hook;
use crate::runtime::judgement::{Ended, Test, fail, skip, tests};
use crate::runtime::observer::WATCHING;
use crate::runtime::pods::{PodCase, missing};

pub(super) const TESTS: &[Test<Vec<PodCase>>] = tests! {
    "D1" "containers-are-removed" each(containers_are_removed);
    "D2" "stop-has-completed" each(stop_has_completed);
};

/// D1: the runtime lists no container of the pod.
fn containers_are_removed(case: &PodCase) -> Ended {
    let view = case.view(Hook::REMOVE_POD)?;
    match containers(view)?.first() {
        None => Ok(()),
        Some((id, _)) => fail(
            format!("ListContainers during RemovePodSandbox of pod {}", case.id),
            format!("container {id}"),
            "no container of the pod",
        ),
    }
}

/// D2: every Stop hook has returned when the first Remove hook begins.
fn stop_has_completed(case: &PodCase) -> Ended {
    if is_out_of_order(case) {
        return skip("the events are out of order, see O4");
    }
    let removes = case.events(Hook::REMOVE_POD);
    let Some(removed) = removes.map(|entry| entry.started).min() else {
        return missing(Hook::REMOVE_POD);
    };
    let mut stops = 0;
    for observer in WATCHING {
        let events = case.record.of(observer, &case.id);
        for stop in events.filter(|entry| entry.event.hook == Hook::STOP_POD) {
            stops += 1;
            if !stop.ended_before(removed) {
                return fail(
                    format!("RemovePodSandbox of pod {}", case.id),
                    format!("the event while plugin {observer} still handled StopPodSandbox"),
                    "StopPodSandbox has completed before RemovePodSandbox begins",
                );
            }
        }
    }
    if stops == 0 {
        return missing(Hook::STOP_POD);
    }
    Ok(())
}
