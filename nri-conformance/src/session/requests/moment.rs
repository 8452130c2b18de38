//! The state of a pod and a container at an event.

use nri::__private::{ContainerStage, Stage};
use nri::api::{Container, ContainerState, Event, Hooks, PodSandbox};

use crate::session::RuntimeKind;

/// How long a container runs, in nanoseconds.
const RUNNING: i64 = 3_600_000_000_000;

/// Returns a pod as it is at an event.
pub(super) fn pod(event: Event, running: &PodSandbox) -> PodSandbox {
    let mut pod = running.clone();
    let ends_pod = |stage: &Stage| stage.container.is_none() && stage.kind.is_teardown();
    if Stage::of(event).is_some_and(ends_pod) {
        pod.pid = 0;
    }
    pod
}

/// Returns a container as a runtime describes it at an event.
pub(super) fn container(runtime: RuntimeKind, event: Event, running: &Container) -> Container {
    let Some(stage) = Stage::of(event).and_then(|stage| stage.container) else {
        return running.clone();
    };
    match runtime {
        RuntimeKind::Containerd => container_of_containerd(stage, running),
        RuntimeKind::Crio => container_of_crio(event, stage, running),
    }
}

/// Returns a container as containerd describes it: the process exists from the start on, and a removed container has no state.
fn container_of_containerd(stage: ContainerStage, running: &Container) -> Container {
    let mut container = container_in(state(stage), running);
    if matches!(stage, ContainerStage::Created | ContainerStage::Removed) {
        container.pid = 0;
    }
    if stage == ContainerStage::Removed {
        container.state = ContainerState::ContainerUnknown.into();
    }
    container
}

/// Returns a container as CRI-O describes it: it updates the state of a started container only after PostStartContainer.
fn container_of_crio(event: Event, stage: ContainerStage, running: &Container) -> Container {
    let state = if event == Event::PostStartContainer {
        ContainerState::ContainerCreated
    } else {
        state(stage)
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

fn state(stage: ContainerStage) -> ContainerState {
    match stage {
        ContainerStage::Planned => ContainerState::ContainerUnknown,
        ContainerStage::Created | ContainerStage::Starting => ContainerState::ContainerCreated,
        ContainerStage::Running => ContainerState::ContainerRunning,
        ContainerStage::Stopped | ContainerStage::Removed => ContainerState::ContainerStopped,
    }
}
