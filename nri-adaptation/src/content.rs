//! The content of a request, as the runtime passed it: encoded for plugins behind a connection, cloned for those in the
//! process.

use nri::api::{
    Container, CreateContainerRequest, Event, LinuxResources, PodSandbox,
    PostCreateContainerRequest, PostStartContainerRequest, PostUpdateContainerRequest,
    PostUpdatePodSandboxRequest, RemoveContainerRequest, RemovePodSandboxRequest,
    RunPodSandboxRequest, StartContainerRequest, StopContainerRequest, StopPodSandboxRequest,
    UpdateContainerRequest, UpdatePodSandboxRequest, ValidateContainerAdjustmentRequest,
};
use nri::codec::Message as _;
use nri::plugin::AnyMessage;

/// Field numbers of the requests.
const POD: u32 = 1;
const CONTAINER: u32 = 2;
const OVERHEAD: u32 = 2;
const RESOURCES: u32 = 3;

/// Room for the request of a common container, so that its buffer need not grow.
const COMMON_SIZE: usize = 1 << 10;

/// The content of a request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Content<'a> {
    Pod(&'a PodSandbox),
    /// The pod, and its new overhead and resources.
    PodUpdate(
        &'a PodSandbox,
        Option<&'a LinuxResources>,
        Option<&'a LinuxResources>,
    ),
    Container(&'a PodSandbox, &'a Container),
    /// The container, and its new resources.
    ContainerUpdate(&'a PodSandbox, &'a Container, &'a LinuxResources),
    Validation(&'a ValidateContainerAdjustmentRequest),
}

impl<'a> Content<'a> {
    /// Encodes the request.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut request = Vec::with_capacity(COMMON_SIZE);
        if let Self::Validation(validation) = self {
            return validation.encode_to_vec();
        }
        if let Some(pod) = self.pod() {
            pod.encode_field(POD, &mut request);
        }
        match *self {
            Self::Pod(_) | Self::Validation(_) => {}
            Self::PodUpdate(_, overhead, resources) => {
                for (field, resources) in [(OVERHEAD, overhead), (RESOURCES, resources)] {
                    if let Some(resources) = resources {
                        resources.encode_field(field, &mut request);
                    }
                }
            }
            Self::Container(_, container) => container.encode_field(CONTAINER, &mut request),
            Self::ContainerUpdate(_, container, resources) => {
                container.encode_field(CONTAINER, &mut request);
                resources.encode_field(RESOURCES, &mut request);
            }
        }
        request
    }

    /// Clones the request of an event for a plugin that takes it over. `None` if the event has no such content: the
    /// plugin gets it encoded then.
    pub(super) fn message(&self, event: Event) -> Option<Box<dyn AnyMessage>> {
        macro_rules! request {
            ($name:ident, $($field:ident),*) => {
                Some(Box::new($name { $($field: Some($field.clone())),* }))
            };
        }
        match (*self, event) {
            (Self::Pod(pod), Event::RunPodSandbox) => request!(RunPodSandboxRequest, pod),
            (Self::Pod(pod), Event::PostUpdatePodSandbox) => {
                request!(PostUpdatePodSandboxRequest, pod)
            }
            (Self::Pod(pod), Event::StopPodSandbox) => request!(StopPodSandboxRequest, pod),
            (Self::Pod(pod), Event::RemovePodSandbox) => request!(RemovePodSandboxRequest, pod),
            (Self::Container(pod, container), event) => match event {
                Event::CreateContainer => request!(CreateContainerRequest, pod, container),
                Event::PostCreateContainer => request!(PostCreateContainerRequest, pod, container),
                Event::StartContainer => request!(StartContainerRequest, pod, container),
                Event::PostStartContainer => request!(PostStartContainerRequest, pod, container),
                Event::PostUpdateContainer => request!(PostUpdateContainerRequest, pod, container),
                Event::StopContainer => request!(StopContainerRequest, pod, container),
                Event::RemoveContainer => request!(RemoveContainerRequest, pod, container),
                // These have other contents.
                Event::RunPodSandbox
                | Event::UpdatePodSandbox
                | Event::PostUpdatePodSandbox
                | Event::StopPodSandbox
                | Event::RemovePodSandbox
                | Event::UpdateContainer
                | Event::ValidateContainerAdjustment
                | Event::Unknown
                | Event::Last => None,
            },
            (Self::PodUpdate(pod, overhead, resources), Event::UpdatePodSandbox) => {
                Some(Box::new(UpdatePodSandboxRequest {
                    pod: Some(pod.clone()),
                    overhead_linux_resources: overhead.cloned(),
                    linux_resources: resources.cloned(),
                }))
            }
            (Self::ContainerUpdate(pod, container, linux_resources), Event::UpdateContainer) => {
                request!(UpdateContainerRequest, pod, container, linux_resources)
            }
            (Self::Validation(request), Event::ValidateContainerAdjustment) => {
                Some(Box::new(request.clone()))
            }
            _ => None,
        }
    }

    fn pod(&self) -> Option<&'a PodSandbox> {
        match *self {
            Self::Pod(pod)
            | Self::PodUpdate(pod, ..)
            | Self::Container(pod, _)
            | Self::ContainerUpdate(pod, ..) => Some(pod),
            Self::Validation(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nri::__private::RPCS;

    /// Every content, with every event that has it.
    #[test]
    fn a_message_is_encoded_as_its_content_is() {
        let pod = PodSandbox {
            id: "pod".to_owned(),
            name: "n".repeat(200),
            ..PodSandbox::default()
        };
        let container = Container {
            id: "container".to_owned(),
            env: vec!["A=1".to_owned(); 9_000],
            ..Container::default()
        };
        let resources = LinuxResources {
            rdt_class: Some("gold".to_owned().into()),
            ..LinuxResources::default()
        };
        let validation = ValidateContainerAdjustmentRequest {
            pod: Some(pod.clone()),
            ..ValidateContainerAdjustmentRequest::default()
        };
        let contents = [
            Content::Pod(&pod),
            Content::PodUpdate(&pod, Some(&resources), None),
            Content::PodUpdate(&pod, None, Some(&resources)),
            Content::Container(&pod, &container),
            Content::ContainerUpdate(&pod, &container, &resources),
            Content::Validation(&validation),
        ];
        for event in RPCS.iter().filter_map(|rpc| rpc.event) {
            let messages = contents
                .iter()
                .filter_map(|content| Some((content.encode(), content.message(event)?)));
            let messages: Vec<_> = messages.collect();
            assert!(!messages.is_empty(), "{event:?} has no content");
            for (encoded, message) in messages {
                assert!(encoded == message.to_bytes(), "{event:?}");
            }
        }
    }
}
