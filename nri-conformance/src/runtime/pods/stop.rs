//! S1 to S5, O6, O7, D1 and D2: the state of a pod at StopPodSandbox until the hook returns, and at RemovePodSandbox.

use crate::runtime::cri::messages::ContainerState;
use crate::runtime::event::Hook;
use crate::runtime::judgement::{Cause, Ended, Shape, Test, fail, shaped, skip, tests};
use crate::runtime::machine::{NETWORK, Namespace, Network, PodState};
use crate::runtime::observer::{View, WATCHING};
use crate::runtime::pods::requests::is_out_of_order;
use crate::runtime::pods::{PodCase, containers, each, missing, network_at_run};

pub(super) const TESTS: &[Test<Vec<PodCase>>] = tests! {
    "S1" "containers-are-stopping" each(containers_are_stopped);
    "S2" "sandbox-is-accessible" each(sandbox_is_accessible);
    "S3" "network-stays" each(network_stays);
    "S4" "cgroup-is-accessible" each(cgroup_is_accessible);
    "S5" "resources-are-stable" each(resources_are_stable);
    "O6" "containers-are-stopped" each(containers_are_stopped);
    "O7" "addresses-stay" each(addresses_stay);
    "D1" "containers-are-removed" each(containers_are_removed);
    "D2" "stop-has-completed" each(stop_has_completed);
};

/// O6, and the observable part of S1: no container of the pod runs.
fn containers_are_stopped(case: &PodCase) -> Ended {
    let view = case.view(Hook::STOP_POD)?;
    let mut containers = containers(view)?.iter();
    match containers.find(|(_, state)| *state == ContainerState::Running) {
        None => Ok(()),
        Some((id, _)) => fail(
            sent(case),
            format!("container {id} is listed as running"),
            "all containers of the pod have been stopped, or are being stopped",
        ),
    }
}

/// S2: the runtime knows the sandbox, and the namespaces that do not depend on its process exist.
fn sandbox_is_accessible(case: &PodCase) -> Ended {
    let view = case.view(Hook::STOP_POD)?;
    if let Some(namespace) = lost_namespace(case, &view.state) {
        let failed = fail(
            sent(case),
            format!("the {} namespace of the event is gone", namespace.kind),
            "the sandbox is fully accessible during the hook",
        );
        let shape = Shape::caused(Hook::STOP_POD, 1, Cause::NamespaceRemoval);
        return shaped(failed, Some(shape));
    }
    match view.cri.as_ref().map(|cri| &cri.status) {
        None => skip("needs the CRI socket of the runtime"),
        Some(Ok(_)) => Ok(()),
        Some(Err(message)) => fail(
            format!("PodSandboxStatus during the hook of pod {}", case.id),
            message.as_str(),
            "the sandbox exists during the hook",
        ),
    }
}

/// Returns a namespace that had its own path at the Run hook and is gone. S3 covers the network namespace.
fn lost_namespace<'a>(case: &PodCase, stop: &'a PodState) -> Option<&'a Namespace> {
    let run = &case.view(Hook::RUN_POD).ok()?.state;
    let has_path = |namespace: &Namespace| {
        let file = namespace.file.as_deref();
        file.is_some_and(|file| !file.to_string_lossy().contains("/proc/"))
    };
    let others = stop
        .namespaces
        .iter()
        .filter(|namespace| namespace.kind != NETWORK && has_path(namespace));
    others
        .filter(|namespace| namespace.inode.is_none())
        .find(|namespace| {
            let before = run.namespace(namespace.kind);
            before.is_some_and(|before| before.inode.is_some())
        })
}

/// S3: the network namespace and its interfaces exist until the hook returns.
fn network_stays(case: &PodCase) -> Ended {
    let view = case.view(Hook::STOP_POD).ok();
    let gone = view.is_some_and(|view| view.state.network.is_none());
    let shape = gone.then(|| Shape::caused(Hook::STOP_POD, 1, Cause::NetworkRemoval));
    shaped(has_network(case), shape)
}

fn has_network(case: &PodCase) -> Ended {
    let run = network_at_run(case)?;
    let entry = case.event(Hook::STOP_POD);
    let views = entry
        .map(|entry| entry.views.as_slice())
        .unwrap_or_default();
    if views.is_empty() {
        return missing(Hook::STOP_POD);
    }
    for (view, moment) in views
        .iter()
        .zip(["when the hook began", "before the hook returned"])
    {
        if let Some(got) = lost_network(run, view, moment) {
            return fail(
                sent(case),
                got,
                "the network of the pod stays in place until the hook returns",
            );
        }
    }
    // O7 covers addresses that disappear while the hook is held.
    match views.first().and_then(|view| view.state.network.as_ref()) {
        Some(network) if !network.addresses.is_superset(&run.addresses) => fail(
            sent(case),
            "addresses of the pod were gone when the hook began",
            "the network of the pod stays in place until the hook returns",
        ),
        Some(_) | None => Ok(()),
    }
}

fn lost_network(run: &Network, view: &View, moment: &str) -> Option<String> {
    let Some(network) = &view.state.network else {
        return Some(format!("the network namespace was gone {moment}"));
    };
    let lost = run.interfaces.difference(&network.interfaces).next()?;
    Some(format!("interface {lost} was gone {moment}"))
}

/// S4: the cgroup of the pod exists.
fn cgroup_is_accessible(case: &PodCase) -> Ended {
    let stop = &case.view(Hook::STOP_POD)?.state;
    let run = &case.view(Hook::RUN_POD)?.state;
    // The cgroup of the pod comes first. That of the sandbox may end with its process if there is another.
    let Some((name, exists)) = stop.cgroups.first() else {
        return skip("the event names no cgroup");
    };
    // If there is only the cgroup of the sandbox, it may or may not be gone during a hook.
    if stop.cgroups.len() == 1 {
        return skip(
            "the pod has only the cgroup of its sandbox, which ends with the process of the sandbox",
        );
    }
    let existed = run
        .cgroups
        .iter()
        .any(|(known, exists)| known == name && *exists);
    match (existed, exists) {
        (false, _) => skip("the cgroup did not exist at RunPodSandbox, see R1"),
        (true, true) => Ok(()),
        (true, false) => fail(
            sent(case),
            format!("the cgroup {name} is gone"),
            "the cgroup of the pod is accessible during the hook",
        ),
    }
}

/// S5: nothing in the pod changes while the hook is held, except for its network, which S3 and O7 cover.
fn resources_are_stable(case: &PodCase) -> Ended {
    let (before, after) = case.views(Hook::STOP_POD)?;
    // The cgroup of the sandbox ends with its process, see S4.
    let own = |view: &View| view.state.cgroups.len() > 1;
    let cgroup = |view: &View| view.state.cgroups.first().filter(|_| own(view)).cloned();
    if cgroup(before) != cgroup(after) {
        return unstable(case, "the cgroup of the pod was removed");
    }
    let status = |view: &View| view.cri.as_ref().map(|cri| cri.status.is_ok());
    if status(before) != status(after) {
        return unstable(case, "the runtime forgot the sandbox");
    }
    Ok(())
}

fn unstable(case: &PodCase, got: &str) -> Ended {
    fail(
        sent(case),
        format!("{got} while the hook was held"),
        "the resources of the pod are stable until the hook returns",
    )
}

/// O7: no address disappears while the hook is held.
fn addresses_stay(case: &PodCase) -> Ended {
    let (before, after) = case.views(Hook::STOP_POD)?;
    network_at_run(case)?;
    let (Some(before), Some(after)) = (&before.state.network, &after.state.network) else {
        return skip("the network namespace was gone, see S3");
    };
    match before.addresses.difference(&after.addresses).next() {
        None => Ok(()),
        Some(address) => fail(
            sent(case),
            format!("address {address} was taken from the pod while the hook was held"),
            "the network is not reclaimed during the hook",
        ),
    }
}

fn sent(case: &PodCase) -> String {
    format!("StopPodSandbox of pod {}", case.id)
}

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
