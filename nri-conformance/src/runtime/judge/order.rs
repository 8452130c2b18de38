//! The order of events, and their place within the runtime's own requests.

use super::{fail, skip};
use crate::result::Outcome;
use crate::runtime::observer::Hook;
use crate::runtime::scenario::{FIRST, LAST, PodCase};

/// O4: Run, then Stop, then Remove.
pub(super) fn pod_events_in_order(case: &PodCase) -> Outcome {
    for observer in [FIRST.name, LAST.name] {
        let hooks: Vec<Hook> = case
            .record
            .of(observer, &case.id)
            .map(|entry| entry.hook)
            .filter(|hook| matches!(hook, Hook::RunPod | Hook::StopPod | Hook::RemovePod))
            .collect();
        if !in_order(&hooks) {
            let names: Vec<String> = hooks.iter().map(ToString::to_string).collect();
            return fail(
                format!("all requests about pod {}", case.id),
                format!("plugin {observer} received {}", names.join(", ")),
                "RunPodSandbox once, then StopPodSandbox, then RemovePodSandbox once",
            );
        }
        if !hooks.contains(&Hook::RemovePod) {
            return skip("the pod was not removed while plugins watched");
        }
    }
    Outcome::Pass
}

/// Returns true for one Run, any number of Stops, and then at most one Remove, which has a Stop before it.
fn in_order(hooks: &[Hook]) -> bool {
    let [Hook::RunPod, rest @ ..] = hooks else {
        return false;
    };
    let stops = rest
        .iter()
        .take_while(|hook| **hook == Hook::StopPod)
        .count();
    match &rest[stops..] {
        [] => true,
        [Hook::RemovePod] => stops > 0,
        _ => false,
    }
}
