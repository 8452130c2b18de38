//! R1 to R7, S1 to S5, O6, O7, D1 and D2: the state of a pod at RunPodSandbox, at StopPodSandbox
//! until the hook returns, and at RemovePodSandbox.

use std::net::IpAddr;

use super::requests::is_out_of_order;
use super::{PodCase, absent, containers};
use crate::runtime::cri::messages::{Container, ContainerState, PodSandboxState};
use crate::runtime::event::Hook;
use crate::runtime::judgement::{After, Ended, Judge, Shape, Stop, Test, fail, skip, tests};
use crate::runtime::machine::{NETWORK, Namespace, Network, Pause, PodState};
use crate::runtime::observer::WATCHING;
use crate::runtime::view::View;

pub(super) const TESTS: &[(Test, Judge<PodCase>)] = tests! {
    "R1" "cgroup-exists" "RunPodSandbox"
        => "the cgroups of the pod exist during the hook", cgroup_exists;
    "R2" "namespaces-are-active" "RunPodSandbox"
        => "the IPC, network and UTS namespaces of the pod are active during the hook", namespaces_are_active;
    "R4" "network-is-configured" "RunPodSandbox"
        => "an interface that is up and has an address", network_is_configured;
    "R5" "ip-is-assigned" "RunPodSandbox"
        => "the addresses of the pod are assigned during the hook", ip_is_assigned;
    "R6" "pause-runs" "RunPodSandbox"
        => "the pause container runs during the hook", pause_runs;
    "R7" "not-ready-during-the-hook" "ListPodSandbox and PodSandboxStatus during RunPodSandbox"
        => "the pod is not ready before all hooks have returned", not_ready_during_the_hook;
    "S1" "containers-are-stopping" "StopPodSandbox"
        => "all containers of the pod have been stopped, or are being stopped", containers_are_stopped;
    "S2" "sandbox-is-accessible" "StopPodSandbox"
        => "the sandbox is fully accessible during the hook", sandbox_is_accessible;
    "S3" "network-stays" "StopPodSandbox"
        => "the network of the pod stays in place until the hook returns", network_stays;
    "S4" "cgroup-is-accessible" "StopPodSandbox"
        => "the cgroup of the pod is accessible during the hook", cgroup_is_accessible;
    "S5" "resources-are-stable" "StopPodSandbox"
        => "the resources of the pod are stable until the hook returns", resources_are_stable;
    "O6" "containers-are-stopped" "StopPodSandbox"
        => "all containers of the pod have been stopped, or are being stopped", containers_are_stopped;
    "O7" "addresses-stay" "StopPodSandbox"
        => "the network is not reclaimed during the hook", addresses_stay;
    "D1" "containers-are-removed" "ListContainers during RemovePodSandbox"
        => "no container of the pod", containers_are_removed;
    "D2" "stop-has-completed" "RemovePodSandbox"
        => "StopPodSandbox has completed before RemovePodSandbox begins", stop_has_completed;
};

/// R1: the cgroups that the event names exist.
fn cgroup_exists(case: &PodCase) -> Ended {
    let state = &case.view(Hook::RUN_POD)?.state;
    if state.cgroups.is_empty() {
        return skip("the event names no cgroup");
    }
    match state.cgroups.iter().find(|(_, exists)| !exists) {
        None => Ok(()),
        Some((name, _)) => fail(format!("the cgroup {name} does not exist in any hierarchy")),
    }
}

/// R2: the namespaces exist and are not those of the node.
fn namespaces_are_active(case: &PodCase) -> Ended {
    let state = &case.view(Hook::RUN_POD)?.state;
    let mut judged = false;
    for namespace in &state.namespaces {
        let Some(file) = &namespace.file else {
            continue;
        };
        judged = true;
        if namespace.inode.is_none() {
            let (kind, file) = (namespace.kind, file.display());
            return fail(format!("there is no {kind} namespace at {file}"));
        }
    }
    if !judged {
        return skip("neither the event nor a process shows a namespace, see R6");
    }
    Ok(())
}

/// R4: there is an interface other than the loopback, and it is up with an address.
fn network_is_configured(case: &PodCase) -> Ended {
    let network = case.network_at_run()?;
    if !network.addresses.is_empty() {
        return Ok(());
    }
    match network.interfaces.first() {
        None => fail("the network namespace has no interface other than the loopback"),
        Some(name) => fail(format!("interface {name} is down or has no address")),
    }
}

/// R5: the addresses that the event names are those of an interface.
fn ip_is_assigned(case: &PodCase) -> Ended {
    let network = case.network_at_run()?;
    let event = case.event(Hook::RUN_POD);
    let facts = event.and_then(|event| event.facts.as_deref());
    let named = facts.map_or(&[][..], |pod| &pod.ips);
    if named.is_empty() {
        return skip(
            "the event names no address: the pod has none, or the runtime speaks a release before v0.10.0",
        );
    }
    if network.addresses.is_empty() {
        return skip("no interface has an address, see R4");
    }
    let unassigned = named.iter().find(|text| {
        let address = text.parse::<IpAddr>();
        !address.is_ok_and(|address| network.addresses.contains(&address))
    });
    match unassigned {
        None => Ok(()),
        Some(address) => {
            fail(format!("no interface of the pod has the address {address} of the event"))
        }
    }
}

/// R6: the process that keeps the sandbox alive runs.
fn pause_runs(case: &PodCase) -> Ended {
    match case.view(Hook::RUN_POD)?.state.pause {
        Pause::Running(_) => Ok(()),
        Pause::Unknown => skip("neither the event nor the cgroup of the sandbox shows a process"),
        Pause::Ended(pid) => fail(format!("process {pid} of the event does not run")),
    }
}

/// R7: the runtime does not list the pod as ready while a Run hook is held.
fn not_ready_during_the_hook(case: &PodCase) -> Ended {
    let view = case.view(Hook::RUN_POD)?;
    let Some(cri) = &view.cri else {
        return skip("needs the CRI socket of the runtime");
    };
    let times = case.request(Hook::RUN_POD).zip(case.event(Hook::RUN_POD));
    if times.is_some_and(|(request, event)| event.at > request.end) {
        return skip("the event arrived after the request, see O1");
    }
    match (&cri.listed, &cri.status) {
        (Ok(Some(PodSandboxState::Ready)), _) | (_, Ok(PodSandboxState::Ready)) => {
            fail("the pod is ready")
        }
        (Err(message), _) => {
            skip(format!("the runtime does not list pods during the hook: {message}"))
        }
        (Ok(_), _) => Ok(()),
    }
}

/// O6, and the observable part of S1: no container of the pod runs.
fn containers_are_stopped(case: &PodCase) -> Ended {
    let view = case.view(Hook::STOP_POD)?;
    match containers(view)?.iter().find(|found| found.state() == ContainerState::Running) {
        None => Ok(()),
        Some(Container { id, .. }) => fail(format!("container {id} is listed as running")),
    }
}

/// S2: the runtime knows the sandbox, and the namespaces that do not depend on its process exist.
fn sandbox_is_accessible(case: &PodCase) -> Ended {
    let view = case.view(Hook::STOP_POD)?;
    if let Some(namespace) = lost_namespace(case, &view.state) {
        let got = format!("the {} namespace of the event is gone", namespace.kind);
        let shape = Shape::new(Hook::STOP_POD, 1, After::NamespaceRemoval);
        return Err(Stop::Fail(got, Some(shape)));
    }
    match view.cri.as_ref().map(|cri| &cri.status) {
        None => skip("needs the CRI socket of the runtime"),
        Some(Ok(_)) => Ok(()),
        Some(Err(message)) => fail(format!("an error from PodSandboxStatus: {message}")),
    }
}

/// Returns a namespace that had its own path at the Run hook and is gone. S3 covers the network
/// namespace.
fn lost_namespace<'a>(case: &PodCase, stop: &'a PodState) -> Option<&'a Namespace> {
    let run = &case.view(Hook::RUN_POD).ok()?.state;
    let existed = |namespace: &Namespace| {
        let before = run.namespace(namespace.kind);
        before.is_some_and(|before| before.inode.is_some())
    };
    stop.namespaces
        .iter()
        .filter(|namespace| namespace.kind != NETWORK && namespace.inode.is_none())
        .find(|namespace| has_path(namespace) && existed(namespace))
}

/// Returns true if a namespace has a path of its own, not that of a process.
fn has_path(namespace: &Namespace) -> bool {
    let file = namespace.file.as_deref();
    file.is_some_and(|file| !file.to_string_lossy().contains("/proc/"))
}

/// S3: the network namespace and its interfaces exist until the hook returns.
fn network_stays(case: &PodCase) -> Ended {
    let run = case.network_at_run()?;
    let event = case.event(Hook::STOP_POD);
    let views = event.map_or(&[][..], |event| &event.views);
    let Some(first) = views.first() else {
        return Err(absent(Hook::STOP_POD));
    };
    let gone = first.state.network.is_none();
    let shape = gone.then(|| Shape::new(Hook::STOP_POD, 1, After::NetworkRemoval));
    let moments = ["when the hook began", "before the hook returned"];
    for (view, moment) in views.iter().zip(moments) {
        if let Some(lost) = lost_network(run, view) {
            return Err(Stop::Fail(format!("{lost} was gone {moment}"), shape));
        }
    }
    // O7 covers addresses that disappear while the hook is held.
    let network = first.state.network.as_ref();
    if network.is_some_and(|network| !network.addresses.is_superset(&run.addresses)) {
        return fail("addresses of the pod were gone when the hook began");
    }
    Ok(())
}

fn lost_network(run: &Network, view: &View) -> Option<String> {
    let Some(network) = &view.state.network else {
        return Some("the network namespace".to_owned());
    };
    let lost = run.interfaces.difference(&network.interfaces).next()?;
    Some(format!("interface {lost}"))
}

/// S4: the cgroup of the pod exists.
fn cgroup_is_accessible(case: &PodCase) -> Ended {
    let stop = &case.view(Hook::STOP_POD)?.state;
    let run = &case.view(Hook::RUN_POD)?.state;
    // The cgroup of the pod comes first. That of the sandbox may end with its process if there is
    // another.
    let Some((name, exists)) = stop.cgroups.first() else {
        return skip("the event names no cgroup");
    };
    // If there is only the cgroup of the sandbox, it may or may not be gone during a hook.
    if stop.cgroups.len() == 1 {
        return skip(
            "the pod has only the cgroup of its sandbox, which ends with the process of the sandbox",
        );
    }
    if !run.cgroups.iter().any(|(known, existed)| known == name && *existed) {
        return skip("the cgroup did not exist at RunPodSandbox, see R1");
    }
    if *exists { Ok(()) } else { fail(format!("the cgroup {name} is gone")) }
}

/// S5: nothing in the pod changes while the hook is held, except for its network, which S3 and O7
/// cover.
fn resources_are_stable(case: &PodCase) -> Ended {
    let (before, after) = case.views(Hook::STOP_POD)?;
    // The cgroup of the sandbox ends with its process, see S4.
    let own = |view: &View| view.state.cgroups.len() > 1;
    let cgroup = |view: &View| view.state.cgroups.first().filter(|_| own(view)).cloned();
    if cgroup(before) != cgroup(after) {
        return fail("the cgroup of the pod was removed while the hook was held");
    }
    let status = |view: &View| view.cri.as_ref().map(|cri| cri.status.is_ok());
    if status(before) != status(after) {
        return fail("the runtime forgot the sandbox while the hook was held");
    }
    Ok(())
}

/// O7: no address disappears while the hook is held.
fn addresses_stay(case: &PodCase) -> Ended {
    let (first, last) = case.views(Hook::STOP_POD)?;
    case.network_at_run()?;
    let (Some(before), Some(after)) = (&first.state.network, &last.state.network) else {
        return skip("the network namespace was gone, see S3");
    };
    match before.addresses.difference(&after.addresses).next() {
        None => Ok(()),
        Some(address) => {
            fail(format!("address {address} was taken from the pod while the hook was held"))
        }
    }
}

/// D1: the runtime lists no container of the pod.
fn containers_are_removed(case: &PodCase) -> Ended {
    match containers(case.view(Hook::REMOVE_POD)?)?.first() {
        None => Ok(()),
        Some(Container { id, .. }) => fail(format!("container {id}")),
    }
}

/// D2: every Stop hook has returned when the first Remove hook begins.
fn stop_has_completed(case: &PodCase) -> Ended {
    if is_out_of_order(case) {
        return skip("the events are out of order, see O4");
    }
    let removes = case.events(Hook::REMOVE_POD);
    let Some(removed) = removes.map(|event| event.at).min() else {
        return Err(absent(Hook::REMOVE_POD));
    };
    let mut stopped = Err(absent(Hook::STOP_POD));
    for observer in WATCHING {
        // If R3 is broken, another pod with the same id may follow.
        let stops = case
            .record
            .events(observer, &case.id)
            .take_while(|event| event.hook != Hook::REMOVE_POD)
            .filter(|event| event.hook == Hook::STOP_POD);
        for stop in stops {
            if !stop.answered_before(removed) {
                return fail(format!(
                    "the event while plugin {observer} still handled StopPodSandbox"
                ));
            }
            stopped = Ok(());
        }
    }
    stopped
}
