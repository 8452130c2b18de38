//! The state of a pod and a container at an event.

use nri::api::{Container, ContainerState, Event, Hooks, PodSandbox};

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

/// Returns a container as it is at an event.
pub(super) fn container(event: Event, running: &Container) -> Container {
    let mut container = running.clone();
    container.state = state(event).into();
    match event {
        Event::CreateContainer | Event::ValidateContainerAdjustment => {
            container.hooks.get_or_insert_with(Hooks::default);
            (container.pid, container.created_at, container.started_at) = (0, 0, 0);
        }
        Event::PostCreateContainer => (container.pid, container.started_at) = (0, 0),
        Event::StartContainer => container.started_at = 0,
        Event::StopContainer => container.finished_at = container.started_at + RUNNING,
        Event::RemoveContainer => {
            container.pid = 0;
            container.finished_at = container.started_at + RUNNING;
        }
        Event::PostStartContainer
        | Event::UpdateContainer
        | Event::PostUpdateContainer
        | Event::RunPodSandbox
        | Event::UpdatePodSandbox
        | Event::PostUpdatePodSandbox
        | Event::StopPodSandbox
        | Event::RemovePodSandbox
        | Event::Unknown
        | Event::Last => {}
    }
    container
}

/// Returns the state of the container at an event.
fn state(event: Event) -> ContainerState {
    match event {
        Event::CreateContainer
        | Event::ValidateContainerAdjustment
        | Event::RemoveContainer
        | Event::Unknown
        | Event::Last => ContainerState::ContainerUnknown,
        Event::PostCreateContainer | Event::StartContainer => ContainerState::ContainerCreated,
        Event::PostStartContainer
        | Event::UpdateContainer
        | Event::PostUpdateContainer
        | Event::RunPodSandbox
        | Event::UpdatePodSandbox
        | Event::PostUpdatePodSandbox => ContainerState::ContainerRunning,
        Event::StopContainer | Event::StopPodSandbox | Event::RemovePodSandbox => {
            ContainerState::ContainerStopped
        }
    }
}
