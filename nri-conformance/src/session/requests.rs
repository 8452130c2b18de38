//! The request of each event, with the pod and the container as a runtime shows them at that time.

mod moment;

use nri::api::{
    Container, ContainerAdjustment, CreateContainerRequest, Event, Hooks, LinuxContainerAdjustment,
    LinuxCpu, LinuxMemory, LinuxResources, OwningPlugins, PluginInstance, PodSandbox,
    PostCreateContainerRequest, PostStartContainerRequest, PostUpdateContainerRequest,
    PostUpdatePodSandboxRequest, RemoveContainerRequest, RemovePodSandboxRequest,
    RunPodSandboxRequest, StartContainerRequest, StopContainerRequest, StopPodSandboxRequest,
    UpdateContainerRequest, UpdatePodSandboxRequest, ValidateContainerAdjustmentRequest,
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
    macro_rules! of {
        ($message:ident, pod) => {
            $message {
                pod: Some(pod.clone()),
            }
            .encode_to_vec()
        };
        ($message:ident, container) => {
            $message {
                pod: Some(pod.clone()),
                container: Some(container.clone()),
            }
            .encode_to_vec()
        };
    }
    match event {
        Event::Unknown | Event::Last => Vec::new(),
        Event::RunPodSandbox => of!(RunPodSandboxRequest, pod),
        Event::UpdatePodSandbox => update_pod(pod),
        Event::PostUpdatePodSandbox => of!(PostUpdatePodSandboxRequest, pod),
        Event::StopPodSandbox => of!(StopPodSandboxRequest, pod),
        Event::RemovePodSandbox => of!(RemovePodSandboxRequest, pod),
        Event::CreateContainer => of!(CreateContainerRequest, container),
        Event::PostCreateContainer => of!(PostCreateContainerRequest, container),
        Event::StartContainer => of!(StartContainerRequest, container),
        Event::PostStartContainer => of!(PostStartContainerRequest, container),
        Event::UpdateContainer => update_container(pod, container),
        Event::PostUpdateContainer => of!(PostUpdateContainerRequest, container),
        Event::StopContainer => of!(StopContainerRequest, container),
        Event::RemoveContainer => of!(RemoveContainerRequest, container),
        Event::ValidateContainerAdjustment => validate(pod, container),
    }
}

fn update_pod(pod: &PodSandbox) -> Vec<u8> {
    let linux = pod.linux.as_ref();
    UpdatePodSandboxRequest {
        pod: Some(pod.clone()),
        overhead_linux_resources: linux.and_then(|linux| linux.pod_overhead.clone()),
        linux_resources: linux.and_then(|linux| linux.pod_resources.clone()),
    }
    .encode_to_vec()
}

/// The pod has one container, so the kubelet requests the same resources for both.
fn update_container(pod: &PodSandbox, container: &Container) -> Vec<u8> {
    let linux = pod.linux.as_ref();
    UpdateContainerRequest {
        pod: Some(pod.clone()),
        container: Some(container.clone()),
        linux_resources: linux.and_then(|linux| linux.pod_resources.clone()),
    }
    .encode_to_vec()
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
