//! An event on its way to the plugins: encoded at most once for all plugins behind a connection,
//! and cloned for those in the process.

use bytes::Bytes;

use nri::__private::{RequestParts, Stage, request};
use nri::api::{Container, Event, LinuxResources, PodSandbox, ValidateContainerAdjustmentRequest};
use nri::codec::Message as _;
use nri::plugin::{AnyMessage, Rpc};

use super::revision::{Revision, Via, rpc_of};

/// Room for the request of a common container, so that its buffer need not grow.
const COMMON_SIZE: usize = 1 << 10;

/// The content of a request, as the runtime passed it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Content<'a> {
    /// The parts of the request of any event but the validation.
    Parts(RequestParts<'a>),
    Validation(&'a ValidateContainerAdjustmentRequest),
}

impl<'a> Content<'a> {
    pub(super) fn of(pod: &'a PodSandbox, container: Option<&'a Container>) -> Self {
        Self::Parts(RequestParts { pod: Some(pod), container, ..RequestParts::default() })
    }

    pub(super) fn pod(pod: &'a PodSandbox) -> Self {
        Self::of(pod, None)
    }

    pub(super) fn container(pod: &'a PodSandbox, container: &'a Container) -> Self {
        Self::of(pod, Some(container))
    }

    /// Adds the resources that the request is about.
    pub(super) fn with_resources(self, resources: &'a LinuxResources) -> Self {
        match self {
            Self::Validation(_) => self,
            Self::Parts(parts) => {
                Self::Parts(RequestParts { linux_resources: Some(resources), ..parts })
            }
        }
    }

    /// Encodes the request of an event.
    pub(super) fn encode(&self, event: Event) -> Vec<u8> {
        match self {
            Self::Validation(validation) => validation.encode_to_vec(),
            Self::Parts(parts) => {
                let mut request = Vec::with_capacity(COMMON_SIZE);
                if let Some(stage) = Stage::of(event) {
                    stage.encode(parts, &mut request);
                }
                request
            }
        }
    }

    /// Clones the request of an event for a plugin that takes it over. `None` if the event has no
    /// RPC.
    pub(super) fn message(&self, event: Event) -> Option<Box<dyn AnyMessage>> {
        match *self {
            Self::Validation(validation) => Some(Box::new(validation.clone())),
            Self::Parts(ref parts) => request(event, parts),
        }
    }
}

/// An event on its way to the plugins.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) event: Event,
    pub(super) rpc: &'static Rpc,
    /// The RPC that the revision spoken has for the event.
    pub(super) carrier: Via,
    /// True if the revision has a fallback.
    falls_back: bool,
    /// Encoded for the dedicated RPC, with all fields; `None` until a plugin needs it.
    request: Option<Bytes>,
    /// Encoded for the dedicated RPC, without fields that the revision lacks.
    dedicated: Option<Bytes>,
    /// Encoded for StateChange; `None` until a plugin needs it.
    change: Option<Bytes>,
}

impl Message {
    /// Returns the message of an event, or `None` if the revision does not send the event.
    pub(super) fn new(revision: &Revision, event: Event) -> Option<Self> {
        Some(Message {
            event,
            rpc: rpc_of(event)?,
            carrier: revision.carrier(event)?,
            falls_back: revision.falls_back(),
            request: None,
            dedicated: None,
            change: None,
        })
    }

    /// Notes that the content has changed.
    pub(super) fn renew(&mut self) {
        self.request = None;
        self.dedicated = None;
        self.change = None;
    }

    /// Encodes the content, unless that is done. Returns its size in bytes.
    pub(super) fn encode(&mut self, content: &Content<'_>) -> usize {
        self.request.get_or_insert_with(|| content.encode(self.event).into()).len()
    }

    /// Returns true if the event may be sent as StateChange to plugins that lack its dedicated RPC.
    pub(super) fn can_fall_back(&self) -> bool {
        self.falls_back && self.carrier == Via::Dedicated && self.rpc.change_fields.is_some()
    }

    /// Returns the encoded request of the RPC. The message must have been encoded.
    pub(super) fn payload(&mut self, revision: &Revision, via: Via) -> Bytes {
        let made = match via {
            Via::Dedicated => &mut self.dedicated,
            Via::StateChange => &mut self.change,
        };
        if let Some(made) = made {
            return made.clone();
        }
        let request = self.request.clone().unwrap_or_default();
        // The request was encoded here, so it can be read.
        let payload = revision.encoded(self.rpc, via, &request).unwrap_or_default();
        *made = Some(payload.clone());
        payload
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nri::__private::STAGES;

    /// Every event, with contents that fill every field that a runtime fills in.
    #[test]
    fn a_message_is_encoded_as_its_content_is() {
        let pod =
            PodSandbox { id: "pod".to_owned(), name: "n".repeat(200), ..PodSandbox::default() };
        let container = Container {
            id: "container".to_owned(),
            env: vec!["A=1".to_owned(); 9_000],
            ..Container::default()
        };
        let resources =
            LinuxResources { rdt_class: Some("gold".to_owned()), ..LinuxResources::default() };
        let validation = ValidateContainerAdjustmentRequest {
            pod: Some(pod.clone()),
            ..ValidateContainerAdjustmentRequest::default()
        };
        let contents = [
            Content::Parts(RequestParts {
                pod: Some(&pod),
                overhead_linux_resources: Some(&resources),
                ..RequestParts::default()
            }),
            Content::pod(&pod).with_resources(&resources),
            Content::container(&pod, &container).with_resources(&resources),
        ];
        for stage in STAGES {
            for content in contents {
                let message = content.message(stage.event).unwrap();
                let encoded = content.encode(stage.event);
                assert!(!encoded.is_empty(), "{:?}", stage.event);
                assert!(encoded == message.to_bytes(), "{:?}", stage.event);
            }
        }
        let content = Content::Validation(&validation);
        let event = Event::ValidateContainerAdjustment;
        let message = content.message(event).unwrap();
        assert!(content.encode(event) == message.to_bytes());
    }
}
