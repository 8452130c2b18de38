//! An event, encoded once for all plugins.

use bytes::Bytes;
use prost::Message as _;
use prost::encoding::message;

use crate::api::dispatch::rpc::STATE_CHANGE;
use crate::api::{Container, Event, LinuxResources, PodSandbox, fields};
use crate::plugin::{Rpc, to_change};

use super::revision::{Revision, Via, rpc_of};

/// Field numbers that all requests share.
const POD: u32 = 1;
const CONTAINER: u32 = 2;

/// The message that StateChange takes.
const STATE_CHANGE_EVENT: &str = "StateChangeEvent";

/// An event on its way to the plugins.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) event: Event,
    pub(super) rpc: &'static Rpc,
    /// The RPC that the revision spoken has for the event.
    pub(super) carrier: Via,
    /// Encoded for the dedicated RPC, with all fields.
    request: Bytes,
    /// Encoded for the dedicated RPC, without fields that the revision lacks.
    dedicated: Option<Bytes>,
    /// Encoded for StateChange, likewise.
    change: Option<Bytes>,
}

impl Message {
    /// Returns the message of an event, or `None` if the revision does not send the event.
    pub(super) fn new(revision: &Revision, event: Event, request: Vec<u8>) -> Option<Self> {
        let rpc = rpc_of(event)?;
        Some(Message {
            event,
            rpc,
            carrier: revision.carrier(rpc)?,
            request: request.into(),
            dedicated: None,
            change: None,
        })
    }

    /// Replaces the encoded request.
    pub(super) fn replace(&mut self, request: Vec<u8>) {
        self.request = request.into();
        self.dedicated = None;
        self.change = None;
    }

    /// Returns whether the event may be sent as StateChange to plugins that lack its dedicated RPC.
    pub(super) fn can_fall_back(&self) -> bool {
        self.carrier == Via::Dedicated && self.rpc.change_fields.is_some()
    }

    /// Returns the name of the RPC.
    pub(super) fn method(&self, via: Via) -> &'static str {
        match via {
            Via::Dedicated => self.rpc.name,
            Via::StateChange => STATE_CHANGE.name,
        }
    }

    /// Returns the encoded request of the RPC.
    pub(super) fn payload(&mut self, revision: &Revision, via: Via) -> Bytes {
        let made = match via {
            Via::Dedicated => &mut self.dedicated,
            Via::StateChange => &mut self.change,
        };
        if let Some(made) = made {
            return made.clone();
        }
        let payload = match via {
            Via::Dedicated => dedicated(self.rpc, &self.request, revision),
            Via::StateChange => change(self.event, self.rpc, &self.request, revision),
        };
        *made = Some(payload.clone());
        payload
    }
}

fn dedicated(rpc: &Rpc, request: &Bytes, revision: &Revision) -> Bytes {
    if !fields::is_outdated(revision.release()) {
        return request.clone();
    }
    let name = format!("{}Request", rpc.name);
    fields::without_newer(&name, request, revision.release()).into()
}

fn change(event: Event, rpc: &Rpc, request: &Bytes, revision: &Revision) -> Bytes {
    let fields = rpc.change_fields.unwrap_or_default();
    // The request was encoded here, so it can be read.
    let change = to_change(request, event, fields).unwrap_or_default();
    if !fields::is_outdated(revision.release()) {
        return change.into();
    }
    fields::without_newer(STATE_CHANGE_EVENT, &change, revision.release()).into()
}

/// Encodes the request of an event about a pod.
pub(super) fn of_pod(pod: &PodSandbox) -> Vec<u8> {
    let mut request = Vec::with_capacity(message::encoded_len(POD, pod));
    message::encode(POD, pod, &mut request);
    request
}

/// Encodes the request of an event about a container.
pub(super) fn of_container(pod: &PodSandbox, container: &Container) -> Vec<u8> {
    let size = message::encoded_len(POD, pod) + message::encoded_len(CONTAINER, container);
    let mut request = Vec::with_capacity(size);
    message::encode(POD, pod, &mut request);
    message::encode(CONTAINER, container, &mut request);
    request
}

/// Appends a message with resources to an encoded request.
pub(super) fn add_resources(request: &mut Vec<u8>, field: u32, resources: &LinuxResources) {
    request.reserve(resources.encoded_len() + 8);
    message::encode(field, resources, request);
}

#[cfg(test)]
#[allow(deprecated, reason = "StateChange is what is tested")]
mod tests {
    use prost::Message as _;

    use super::*;
    use crate::api::{CreateContainerRequest, StateChangeEvent};

    fn pod() -> PodSandbox {
        PodSandbox {
            id: "pod".to_owned(),
            ..PodSandbox::default()
        }
    }

    #[test]
    fn an_event_is_encoded_for_either_rpc() {
        let newest = Revision::newest();
        let mut message = Message::new(&newest, Event::RunPodSandbox, of_pod(&pod())).unwrap();
        assert!(message.can_fall_back());
        assert_eq!(message.method(Via::StateChange), "StateChange");
        let change = StateChangeEvent::decode(message.payload(&newest, Via::StateChange)).unwrap();
        assert_eq!(
            (change.event(), change.pod),
            (Event::RunPodSandbox, Some(pod()))
        );
    }

    #[test]
    fn a_request_is_what_the_message_type_encodes() {
        let container = Container {
            id: "container".to_owned(),
            ..Container::default()
        };
        let whole = CreateContainerRequest {
            pod: Some(pod()),
            container: Some(container.clone()),
        };
        assert_eq!(of_container(&pod(), &container), whole.encode_to_vec());
    }

    #[test]
    fn an_event_that_the_revision_lacks_has_no_message() {
        let older = Revision::of("v0.8.0").unwrap();
        assert!(Message::new(&older, Event::UpdatePodSandbox, Vec::new()).is_none());
    }
}
