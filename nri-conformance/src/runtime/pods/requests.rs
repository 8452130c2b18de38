//! O1 to O3, O5 and P2: the position of events within the requests to the runtime, and the order of
//! plugins.

use std::ops::Range;
use std::time::Duration;

use super::{PodCase, absent};
use crate::runtime::event::Hook;
use crate::runtime::judgement::{Ended, Judge, Stop, Test, fail, skip, tests};
use crate::runtime::observer::{FIRST, LAST, WATCHING};
use crate::runtime::order::is_in_order;
use crate::runtime::sequence::Arrival;

pub(super) const TESTS: &[(Test, Judge<PodCase>)] = tests! {
    "O1" "run-is-part-of-its-request" "RunPodSandbox"
        => "the RunPodSandbox hook as part of the request", run_is_part_of_its_request;
    "O2" "stop-is-part-of-its-request" "StopPodSandbox"
        => "the StopPodSandbox hook as part of the request", |case| begins_within(case, Hook::STOP_POD);
    "O3" "remove-is-part-of-its-request" "RemovePodSandbox"
        => "the RemovePodSandbox hook as part of the request", |case| begins_within(case, Hook::REMOVE_POD);
    "O5" "workload-starts-after-run" "RunPodSandbox"
        => "no container starts before all hooks have returned", workload_starts_after_run;
    "P2" "plugins-are-called-by-index" "the requests of the life of a pod"
        => "plugins are called one after the other, in the order of their indexes", plugins_are_called_by_index;
};

/// O1: the Run hooks are part of RunPodSandbox.
fn run_is_part_of_its_request(case: &PodCase) -> Ended {
    within(case, Hook::RUN_POD, |event| event.answered)
}

/// O2 and O3: the Stop hooks begin within StopPodSandbox, and the Remove hooks within
/// RemovePodSandbox.
fn begins_within(case: &PodCase, hook: Hook) -> Ended {
    if is_out_of_order(case) {
        return skip("the events are out of order, see O4");
    }
    within(case, hook, |event| Some(event.at))
}

fn within(case: &PodCase, hook: Hook, end: fn(&Arrival) -> Option<Duration>) -> Ended {
    let Some(request) = case.request(hook) else {
        return skip("the driver did not send the request");
    };
    let contains = |event: &Arrival| {
        request.start <= event.at && end(event).is_some_and(|end| end <= request.end)
    };
    for observer in WATCHING {
        let got = match case.record.first(observer, &case.id, hook) {
            None => "no event",
            Some(event) if contains(event) => continue,
            Some(event) => place(request, event),
        };
        return fail(format!("{got} for plugin {observer}"));
    }
    Ok(())
}

/// Describes the position of an event that is not within a request.
fn place(request: &Range<Duration>, event: &Arrival) -> &'static str {
    if event.at < request.start {
        "the event before the request"
    } else if event.at > request.end {
        "the event after the response"
    } else {
        "the response before the hook had returned"
    }
}

/// Returns true if a plugin received the events of a pod in a wrong order.
pub(super) fn is_out_of_order(case: &PodCase) -> bool {
    WATCHING.into_iter().any(|observer| {
        let events = case.record.events(observer, &case.id);
        !is_in_order(events)
    })
}

/// O5: no container starts before all Run hooks have returned, according to the events.
fn workload_starts_after_run(case: &PodCase) -> Ended {
    if let Err(Stop::Fail(..)) = run_is_part_of_its_request(case) {
        return skip("the hook is not part of the request, see O1");
    }
    let answered: Option<Vec<_>> = case.events(Hook::RUN_POD).map(|event| event.answered).collect();
    let Some(answered) = answered.and_then(|all| all.into_iter().max()) else {
        return Err(absent(Hook::RUN_POD));
    };
    match case.events(Hook::START).map(|event| event.at).min() {
        None => skip("no container was started in the pod"),
        Some(started) if started >= answered => Ok(()),
        Some(_) => fail("StartContainer of a container in it, before all hooks had returned"),
    }
}

/// P2: the plugin with the lower index is called first, and has answered before the other is
/// called.
fn plugins_are_called_by_index(case: &PodCase) -> Ended {
    let mut judged = false;
    for hook in [Hook::RUN_POD, Hook::CREATE, Hook::START, Hook::STOP_POD, Hook::REMOVE_POD] {
        let event = |observer| case.record.first(observer, &case.id, hook);
        let (Some(first), Some(last)) = (event(FIRST.name), event(LAST.name)) else {
            continue;
        };
        judged = true;
        if !first.answered_before(last.at) {
            return fail(format!(
                "{hook} for the plugin with index 99 before that with index 00 had answered"
            ));
        }
    }
    if !judged {
        return skip("no event reached two plugins");
    }
    Ok(())
}
