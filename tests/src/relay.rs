//! Relays requests through the adaptation, from messages that are only known at run time.

use std::collections::BTreeMap;

use nri::api::{Container, LinuxResources, PodSandbox};
use nri::codec::Message;
use nri_adaptation::{Adaptation, RequestError};
use prost::Message as _;
use prost_reflect::DynamicMessage;

use crate::matrix::life_of;
use crate::peers::NRI_RELEASES;

/// Returns the events of a pod's life that the newest reference runtime relays, in order.
/// Validators get theirs with CreateContainer.
pub fn events() -> impl Iterator<Item = &'static str> {
    life_of(NRI_RELEASES[NRI_RELEASES.len() - 1])
        .into_iter()
        .filter(|event| *event != "ValidateContainerAdjustment")
}

/// Relays a request.
///
/// # Errors
///
/// Returns the error of the adaptation.
///
/// # Panics
///
/// Panics if there is no such event, or the request has no pod.
pub async fn relay(
    adaptation: &Adaptation,
    event: &str,
    request: &DynamicMessage,
) -> Result<(), RequestError> {
    let mut parts: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for (field, value) in request.fields() {
        let message = value.as_message().expect("requests have messages");
        parts.insert(field.name().to_owned(), message.encode_to_vec());
    }
    let pod: PodSandbox = part(&parts, "pod").expect("a pod");
    let container = || part::<Container>(&parts, "container").expect("a container");
    let resources = || part::<LinuxResources>(&parts, "linux_resources");
    let a = adaptation;
    match event {
        "RunPodSandbox" => a.run_pod_sandbox(&pod).await.map(drop),
        "UpdatePodSandbox" => {
            let overhead: Option<LinuxResources> = part(&parts, "overhead_linux_resources");
            let resources = resources();
            let updated = a.update_pod_sandbox(&pod, overhead.as_ref(), resources.as_ref());
            updated.await.map(drop)
        }
        "PostUpdatePodSandbox" => a.post_update_pod_sandbox(&pod).await.map(drop),
        "CreateContainer" => a.create_container(&pod, &container()).await.map(drop),
        "PostCreateContainer" => a.post_create_container(&pod, &container()).await.map(drop),
        "StartContainer" => a.start_container(&pod, &container()).await.map(drop),
        "PostStartContainer" => a.post_start_container(&pod, &container()).await.map(drop),
        "UpdateContainer" => {
            let (container, resources) = (container(), resources().unwrap_or_default());
            let updated = a.update_container(&pod, &container, &resources);
            updated.await.map(drop)
        }
        "PostUpdateContainer" => a.post_update_container(&pod, &container()).await.map(drop),
        "StopContainer" => a.stop_container(&pod, &container()).await.map(drop),
        "RemoveContainer" => a.remove_container(&pod, &container()).await.map(drop),
        "StopPodSandbox" => a.stop_pod_sandbox(&pod).await.map(drop),
        "RemovePodSandbox" => a.remove_pod_sandbox(&pod).await.map(drop),
        other => panic!("{other} is no event"),
    }
}

fn part<M: Message + Default>(parts: &BTreeMap<String, Vec<u8>>, name: &str) -> Option<M> {
    let encoded = parts.get(name)?;
    Some(M::decode(&**encoded).expect("both sides have the same messages"))
}
