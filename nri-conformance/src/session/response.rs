//! The response of each event.

use nri::api::{
    CreateContainerResponse, Empty, Event, PostCreateContainerResponse, PostStartContainerResponse,
    PostUpdateContainerResponse, PostUpdatePodSandboxResponse, RemoveContainerResponse,
    RemovePodSandboxResponse, RunPodSandboxResponse, StartContainerResponse, StopContainerResponse,
    StopPodSandboxResponse, UpdateContainerResponse, UpdatePodSandboxResponse,
    ValidateContainerAdjustmentResponse,
};
use nri::codec::{DecodeError, Message};
use nri_adaptation::Via;

/// Checks that a runtime can decode the response to an event.
pub(super) fn check(event: Event, via: Via, response: &[u8]) -> Result<(), DecodeError> {
    macro_rules! decode {
        ($message:ident) => {
            $message::decode(response).map(drop)
        };
    }
    if via == Via::StateChange {
        return decode!(Empty);
    }
    match event {
        Event::Unknown | Event::Last => Ok(()),
        Event::RunPodSandbox => decode!(RunPodSandboxResponse),
        Event::UpdatePodSandbox => decode!(UpdatePodSandboxResponse),
        Event::PostUpdatePodSandbox => decode!(PostUpdatePodSandboxResponse),
        Event::StopPodSandbox => decode!(StopPodSandboxResponse),
        Event::RemovePodSandbox => decode!(RemovePodSandboxResponse),
        Event::CreateContainer => decode!(CreateContainerResponse),
        Event::PostCreateContainer => decode!(PostCreateContainerResponse),
        Event::StartContainer => decode!(StartContainerResponse),
        Event::PostStartContainer => decode!(PostStartContainerResponse),
        Event::UpdateContainer => decode!(UpdateContainerResponse),
        Event::PostUpdateContainer => decode!(PostUpdateContainerResponse),
        Event::StopContainer => decode!(StopContainerResponse),
        Event::RemoveContainer => decode!(RemoveContainerResponse),
        Event::ValidateContainerAdjustment => decode!(ValidateContainerAdjustmentResponse),
    }
}
