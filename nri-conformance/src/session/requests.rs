//! The request of each event, with the pod and the container as a runtime shows them at that time.

use nri::__private::{ContainerStage, RequestParts, STAGES, Stage};
use nri::api::{
    Container, ContainerAdjustment, ContainerState, Event, Hooks, LinuxContainerAdjustment,
    LinuxCpu, LinuxMemory, LinuxResources, OwningPlugins, PluginInstance, PodSandbox,
    ValidateContainerAdjustmentRequest,
};
use nri::codec::Message;

use crate::session::RuntimeKind;

/// Returns the encoded request of an event for a pod and a container that run. What they lack
/// before they run and lose afterwards is removed, as it is by this runtime.
pub fn sample_request(
    runtime: RuntimeKind,
    event: Event,
    pod: &PodSandbox,
    container: &Container,
) -> Vec<u8> {
    let mut pod = pod.clone();
    let ends_pod = |stage: &Stage| stage.container.is_none() && stage.kind.is_teardown();
    if Stage::of(event).is_some_and(ends_pod) {
        pod.pid = 0;
    }
    let container = container_at(runtime, event, container);
    request(event, &pod, &container)
}

/// Returns the encoded request of the RPC that is dedicated to an event. The container is omitted
/// if the event does not need it.
pub fn request(event: Event, pod: &PodSandbox, container: &Container) -> Vec<u8> {
    if event == Event::ValidateContainerAdjustment {
        return validate(pod, container);
    }
    let linux = pod.linux.as_ref();
    let parts = RequestParts {
        pod: Some(pod),
        container: Some(container),
        overhead_linux_resources: linux.and_then(|linux| linux.pod_overhead.as_ref()),
        // The pod has one container, so the kubelet requests the same resources for both.
        linux_resources: linux.and_then(|linux| linux.pod_resources.as_ref()),
    };
    let mut request = Vec::new();
    if let Some(stage) = Stage::of(event) {
        stage.encode(&parts, &mut request);
    }
    request
}

/// Returns every event, in the order in which a runtime sends them in the life of a pod with one
/// container.
pub(crate) fn life() -> impl Iterator<Item = Event> {
    STAGES.iter().map(|stage| stage.event)
}

fn validate(pod: &PodSandbox, container: &Container) -> Vec<u8> {
    ValidateContainerAdjustmentRequest {
        pod: Some(pod.clone()),
        container: Some(container.clone()),
        adjust: Some(no_adjustment()),
        owners: Some(OwningPlugins::default()),
        plugins: vec![PluginInstance { name: "conformance".to_owned(), index: "00".to_owned() }],
        ..ValidateContainerAdjustmentRequest::default()
    }
    .encode_to_vec()
}

/// Returns the merged adjustment if no plugin adjusts anything: the adaptation creates these parts
/// in any case.
fn no_adjustment() -> ContainerAdjustment {
    ContainerAdjustment {
        hooks: Some(Hooks::default()),
        linux: Some(LinuxContainerAdjustment {
            resources: Some(LinuxResources {
                memory: Some(LinuxMemory::default()),
                cpu: Some(LinuxCpu::default()),
                ..LinuxResources::default()
            }),
            ..LinuxContainerAdjustment::default()
        }),
        ..ContainerAdjustment::default()
    }
}

/// How long a container runs, in nanoseconds.
const RUNNING: i64 = 3_600_000_000_000;

/// Returns a container as a runtime describes it at an event.
fn container_at(runtime: RuntimeKind, event: Event, running: &Container) -> Container {
    let mut container = running.clone();
    let Some(stage) = Stage::of(event).and_then(|stage| stage.container) else {
        return container;
    };
    let is_containerd = runtime == RuntimeKind::Containerd;
    let state = match stage {
        // CRI-O updates the state of a started container only after this event.
        _ if event == Event::PostStartContainer && !is_containerd => {
            ContainerState::ContainerCreated
        }
        ContainerStage::Planned => ContainerState::ContainerUnknown,
        ContainerStage::Created | ContainerStage::Starting => ContainerState::ContainerCreated,
        ContainerStage::Running => ContainerState::ContainerRunning,
        ContainerStage::Stopped | ContainerStage::Removed => ContainerState::ContainerStopped,
    };
    enter(state, &mut container);
    // In containerd, the process exists from the start on, and a removed container has no state.
    if is_containerd && matches!(stage, ContainerStage::Created | ContainerStage::Removed) {
        container.pid = 0;
    }
    if is_containerd && stage == ContainerStage::Removed {
        container.state = ContainerState::ContainerUnknown.into();
    }
    container
}

/// Sets the state of a running container, and what it has in that state.
fn enter(state: ContainerState, container: &mut Container) {
    container.state = state.into();
    match state {
        ContainerState::ContainerUnknown => {
            container.hooks.get_or_insert_default();
            (container.pid, container.created_at, container.started_at) = (0, 0, 0);
        }
        ContainerState::ContainerCreated => container.started_at = 0,
        ContainerState::ContainerStopped => {
            container.finished_at = container.started_at + RUNNING;
        }
        // Running or paused: the sample is of a running container.
        _ => {}
    }
}
