//! R1 to R7: the state of a pod at RunPodSandbox.

use std::net::IpAddr;

use super::{each, network_at_run};
use crate::runtime::cri::messages::PodSandboxState;
use crate::runtime::event::Hook;
use crate::runtime::judgement::{Ended, Test, fail, skip, tests};
use crate::runtime::machine::Pause;
use crate::runtime::pods::PodCase;

pub(super) const TESTS: &[Test<Vec<PodCase>>] = tests! {
    "R1" "cgroup-exists" each(cgroup_exists);
    "R2" "namespaces-are-active" each(namespaces_are_active);
    "R4" "network-is-configured" each(network_is_configured);
    "R5" "ip-is-assigned" each(ip_is_assigned);
    "R6" "pause-runs" each(pause_runs);
    "R7" "not-ready-during-the-hook" each(not_ready_during_the_hook);
};

/// R1: the cgroups that the event names exist.
fn cgroup_exists(case: &PodCase) -> Ended {
    let (state, sent) = (&case.view(Hook::RUN_POD)?.state, sent(case));
    if state.cgroups.is_empty() {
        return skip("the event names no cgroup");
    }
    match state.cgroups.iter().find(|(_, exists)| !exists) {
        None => Ok(()),
        Some((name, _)) => fail(
            sent,
            format!("the cgroup {name} does not exist in any hierarchy"),
            "the cgroups of the pod exist during the hook",
        ),
    }
}

/// R2: the namespaces exist and are not those of the node.
fn namespaces_are_active(case: &PodCase) -> Ended {
    let (state, sent) = (&case.view(Hook::RUN_POD)?.state, sent(case));
    let known = state
        .namespaces
        .iter()
        .filter(|namespace| namespace.file.is_some());
    let mut judged = false;
    for namespace in known {
        judged = true;
        if namespace.inode.is_none() {
            let file = namespace.file.as_deref().unwrap_or("".as_ref());
            return fail(
                sent,
                format!(
                    "there is no {} namespace at {}",
                    namespace.kind,
                    file.display()
                ),
                "the IPC, network and UTS namespaces of the pod are active during the hook",
            );
        }
    }
    if judged {
        Ok(())
    } else {
        skip("neither the event nor a process shows a namespace, see R6")
    }
}

/// R4: there is an interface other than the loopback, and it is up with an address.
fn network_is_configured(case: &PodCase) -> Ended {
    let (network, sent) = (network_at_run(case)?, sent(case));
    if !network.addresses.is_empty() {
        return Ok(());
    }
    let got = match network.interfaces.iter().next() {
        None => "the network namespace has no interface other than the loopback".to_owned(),
        Some(name) => format!("interface {name} is down or has no address"),
    };
    fail(sent, got, "an interface that is up and has an address")
}

/// R5: the addresses that the event names are those of an interface.
fn ip_is_assigned(case: &PodCase) -> Ended {
    let (network, sent) = (network_at_run(case)?, sent(case));
    let named = case
        .event(Hook::RUN_POD)
        .map(|entry| entry.event.pod.ips.as_slice());
    let named = named.unwrap_or_default();
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
        Some(address) => fail(
            sent,
            format!("no interface of the pod has the address {address} of the event"),
            "the addresses of the pod are assigned during the hook",
        ),
    }
}

/// R6: the process that keeps the sandbox alive runs.
fn pause_runs(case: &PodCase) -> Ended {
    let (state, sent) = (&case.view(Hook::RUN_POD)?.state, sent(case));
    match state.pause {
        Pause::Running(_) => Ok(()),
        Pause::Unknown => skip("neither the event nor the cgroup of the sandbox shows a process"),
        Pause::Ended(pid) => fail(
            sent,
            format!("process {pid} of the event does not run"),
            "the pause container runs during the hook",
        ),
    }
}

/// R7: the runtime does not list the pod as ready while a Run hook is held.
fn not_ready_during_the_hook(case: &PodCase) -> Ended {
    let view = case.view(Hook::RUN_POD)?;
    let Some(cri) = &view.cri else {
        return skip("needs the CRI socket of the runtime");
    };
    let call = case.request(Hook::RUN_POD);
    let entry = case.event(Hook::RUN_POD);
    if call
        .zip(entry)
        .is_some_and(|(call, entry)| entry.started > call.ended)
    {
        return skip("the event arrived after the request, see O1");
    }
    match (&cri.listed, &cri.status) {
        (Ok(Some(PodSandboxState::Ready)), _) | (_, Ok(PodSandboxState::Ready)) => fail(
            format!(
                "ListPodSandbox and PodSandboxStatus during RunPodSandbox of pod {}",
                case.id
            ),
            "the pod is ready",
            "the pod is not ready before all hooks have returned",
        ),
        (Err(message), _) => skip(format!(
            "the runtime does not list pods during the hook: {message}"
        )),
        (Ok(_), _) => Ok(()),
    }
}

fn sent(case: &PodCase) -> String {
    format!("RunPodSandbox of pod {}", case.id)
}
