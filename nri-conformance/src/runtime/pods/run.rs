//! R1 to R7: the state of a pod at RunPodSandbox.

use std::net::IpAddr;

use super::PodCase;
use crate::runtime::cri::messages::PodSandboxState;
use crate::runtime::event::Hook;
use crate::runtime::judgement::{Ended, Judge, Test, fail, skip, tests};
use crate::runtime::machine::Pause;

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
        Some(address) => fail(format!(
            "no interface of the pod has the address {address} of the event"
        )),
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
        (Err(message), _) => skip(format!(
            "the runtime does not list pods during the hook: {message}"
        )),
        (Ok(_), _) => Ok(()),
    }
}
