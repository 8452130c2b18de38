//! The state of a pod and a container at an event.

use nri::api::{Container, ContainerState, Event, Hooks, PodSandbox};

use crate::session::RuntimeKind;

/// How long a container runs, in nanoseconds.
const RUNNING: i64 = 3_600_000_000_000;

/// Returns a pod as it is at an event.
pub(super) fn pod(event: Event, running: &PodSandbox) -> PodSandbox {
    let mut pod = running.clone();
    if matches!(event, Event::StopPodSandbox | Event::RemovePodSandbox) {
        pod.pid = 0;
    }
    pod
}

/// Returns a container as a runtime describes it at an event.
pub(super) fn container(runtime: RuntimeKind, event: Event, running: &Container) -> Container {
    match runtime {
        RuntimeKind::Containerd => container_of_containerd(event, running),
        RuntimeKind::Crio => container_of_crio(event, running),
    }
}

/// Returns a container as containerd describes it: the process exists from the start on, and a removed container has no state.
fn container_of_containerd(event: Event, running: &Container) -> Container {
    let mut container = container_in(state(event), running);
    if matches!(event, Event::PostCreateContainer | Event::RemoveContainer) {
        container.pid = 0;
    }
    if event == Event::RemoveContainer {
        container.state = ContainerState::ContainerUnknown.into();
    }
    container
}

/// Returns a container as CRI-O describes it: it updates the state of a started container only after PostStartContainer.
fn container_of_crio(event: Event, running: &Container) -> Container {
    let state = if event == Event::PostStartContainer {
        ContainerState::ContainerCreated
    } else {
        state(event)
    };
    container_in(state, running)
}

/// Returns a container in a state, with what it has in that state.
fn container_in(state: ContainerState, running: &Container) -> Container {
    let mut container = running.clone();
    container.state = state.into();
    match state {
        ContainerState::ContainerUnknown => {
            container.hooks.get_or_insert_with(Hooks::default);
            (container.pid, container.created_at, container.started_at) = (0, 0, 0);
        }
        ContainerState::ContainerCreated => container.started_at = 0,
        ContainerState::ContainerPaused | ContainerState::ContainerRunning => {}
        ContainerState::ContainerStopped => {
            container.finished_at = container.started_at + RUNNING;
        }
    }
    container
}

/// Returns the state of the container at an event.
fn state(event: Event) -> ContainerState {
    match event {
        Event::CreateContainer
        | Event::ValidateContainerAdjustment
        | Event::Unknown
        | Event::Last => ContainerState::ContainerUnknown,
        Event::PostCreateContainer | Event::StartContainer => ContainerState::ContainerCreated,
        Event::PostStartContainer
        | Event::UpdateContainer
        | Event::PostUpdateContainer
        | Event::RunPodSandbox
        | Event::UpdatePodSandbox
        | Event::PostUpdatePodSandbox => ContainerState::ContainerRunning,
        Event::StopContainer
        | Event::RemoveContainer
        | Event::StopPodSandbox
        | Event::RemovePodSandbox => ContainerState::ContainerStopped,
    }
}
