//! The request of each event, with the pod and the container as a runtime shows them at that time.

mod moment;

use nri::__private::{RequestParts, STAGES, Stage};
use nri::api::{
    Container, ContainerAdjustment, Event, Hooks, LinuxContainerAdjustment, LinuxCpu, LinuxMemory,
    LinuxResources, OwningPlugins, PluginInstance, PodSandbox, ValidateContainerAdjustmentRequest,
};
use nri::codec::Message;

use super::RuntimeKind;

/// Returns the encoded request of an event for a pod and a container that run. What they lack before they run and lose
/// afterwards is removed, as it is by this runtime.
pub fn sample_request(
    runtime: RuntimeKind,
    event: Event,
    pod: &PodSandbox,
    container: &Container,
) -> Vec<u8> {
    let pod = moment::pod(event, pod);
    let container = moment::container(runtime, event, container);
    request(event, &pod, &container)
}

/// Returns the encoded request of the RPC that is dedicated to an event. The container is omitted if the event does not
/// need it.
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

/// Returns every event, in the order in which a runtime sends them in the life of a pod with one container.
pub(crate) fn life() -> impl Iterator<Item = Event> {
    STAGES.iter().map(|stage| stage.event)
}

fn validate(pod: &PodSandbox, container: &Container) -> Vec<u8> {
    ValidateContainerAdjustmentRequest {
        pod: Some(pod.clone()),
        container: Some(container.clone()),
        adjust: Some(no_adjustment()),
        owners: Some(OwningPlugins::default()),
        plugins: vec![PluginInstance {
            name: "conformance".to_owned(),
            index: "00".to_owned(),
        }],
        ..ValidateContainerAdjustmentRequest::default()
    }
    .encode_to_vec()
}

/// Returns the merged adjustment if no plugin adjusts anything: the adaptation creates these parts in any case.
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
