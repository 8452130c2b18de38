//! O1 to O3, O5 and P2: the position of events within the requests to the runtime, and the order of plugins.

use std::time::Instant;

use super::each;
use crate::runtime::drive::Call;
use crate::runtime::event::Hook;
use crate::runtime::judgement::{Ended, Stop, Test, fail, skip, tests};
use crate::runtime::observer::{FIRST, LAST, RecordedEvent, WATCHING};
use crate::runtime::order::is_in_order;
use crate::runtime::pods::{PodCase, missing};

pub(super) const TESTS: &[Test<Vec<PodCase>>] = tests! {
    "O1" "run-is-part-of-its-request" each(run_is_part_of_its_request);
    "O2" "stop-is-part-of-its-request" each(|case| begins_within(case, Hook::STOP_POD));
    "O3" "remove-is-part-of-its-request" each(|case| begins_within(case, Hook::REMOVE_POD));
    "O5" "workload-starts-after-run" each(workload_starts_after_run);
    "P2" "plugins-are-called-by-index" each(plugins_are_called_by_index);
};

/// O1: the Run hooks are part of RunPodSandbox.
fn run_is_part_of_its_request(case: &PodCase) -> Ended {
    within(case, Hook::RUN_POD, |entry| entry.ended)
}

/// O2 and O3: the Stop hooks begin within StopPodSandbox, and the Remove hooks within RemovePodSandbox.
fn begins_within(case: &PodCase, hook: Hook) -> Ended {
    if is_out_of_order(case) {
        return skip("the events are out of order, see O4");
    }
    within(case, hook, |entry| Some(entry.started))
}

fn within(case: &PodCase, hook: Hook, end: fn(&RecordedEvent) -> Option<Instant>) -> Ended {
    let Some(call) = case.request(hook) else {
        return skip("the driver did not send the request");
    };
    for observer in WATCHING {
        let entry = case.record.first(observer, &case.id, hook);
        let got = match entry {
            None => "no event".to_owned(),
            Some(entry) if call.contains(entry.started, end(entry)) => continue,
            Some(entry) => place(call, entry),
        };
        return fail(
            format!("{hook} of pod {}", case.id),
            format!("{got} for plugin {observer}"),
            format!("the {hook} hook as part of the request"),
        );
    }
    Ok(())
}

/// Describes the position of an event that is not within a request.
fn place(call: &Call, entry: &RecordedEvent) -> String {
    if entry.started < call.started {
        "the event before the request".to_owned()
    } else if entry.started > call.ended {
        "the event after the response".to_owned()
    } else {
        "the response before the hook had returned".to_owned()
    }
}

/// Returns true if a plugin received the events of a pod in a wrong order.
pub(super) fn is_out_of_order(case: &PodCase) -> bool {
    WATCHING.into_iter().any(|observer| {
        let hooks = pod_hooks(case, observer);
        !is_in_order(&hooks)
    })
}

fn pod_hooks(case: &PodCase, observer: &str) -> Vec<Hook> {
    let events = case
        .record
        .of(observer, &case.id)
        .map(|entry| entry.event.hook);
    events.filter(|hook| hook.is_life_of_pod()).collect()
}

/// O5: no container starts before all Run hooks have returned, according to the events.
fn workload_starts_after_run(case: &PodCase) -> Ended {
    if let Err(Stop::Fail(..)) = run_is_part_of_its_request(case) {
        return skip("the hook is not part of the request, see O1");
    }
    let ended = case.events(Hook::RUN_POD).map(|entry| entry.ended);
    let Some(ended) = ended
        .collect::<Option<Vec<_>>>()
        .and_then(|all| all.into_iter().max())
    else {
        return missing(Hook::RUN_POD);
    };
    let starts = WATCHING
        .into_iter()
        .filter_map(|observer| case.record.first(observer, &case.id, Hook::START));
    let Some(started) = starts.map(|entry| entry.started).min() else {
        return skip("no container was started in the pod");
    };
    if started >= ended {
        return Ok(());
    }
    fail(
        format!("RunPodSandbox of pod {}", case.id),
        "StartContainer of a container in it, before all hooks had returned",
        "no container starts before all hooks have returned",
    )
}

/// P2: the plugin with the lower index is called first, and has answered before the other is called.
fn plugins_are_called_by_index(case: &PodCase) -> Ended {
    let mut judged = false;
    for hook in [
        Hook::RUN_POD,
        Hook::CREATE,
        Hook::START,
        Hook::STOP_POD,
        Hook::REMOVE_POD,
    ] {
        let first = case.record.first(FIRST.name, &case.id, hook);
        let last = case.record.first(LAST.name, &case.id, hook);
        let (Some(first), Some(last)) = (first, last) else {
            continue;
        };
        judged = true;
        if !first.ended_before(last.started) {
            return fail(
                format!("{hook} of pod {}", case.id),
                "the plugin with index 99 was called before that with index 00 had answered",
                "plugins are called one after the other, in the order of their indexes",
            );
        }
    }
    if judged {
        Ok(())
    } else {
        skip("no event reached two plugins")
    }
}
