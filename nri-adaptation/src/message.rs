//! An event, encoded at most once for all plugins.

use bytes::Bytes;

use nri::__private::rpc::STATE_CHANGE;
use nri::api::Event;
use nri::plugin::Rpc;

use super::content::Content;
use super::revision::{Revision, Via, rpc_of};

/// An event on its way to the plugins.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) event: Event,
    pub(super) rpc: &'static Rpc,
    /// The RPC that the revision spoken has for the event.
    pub(super) carrier: Via,
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

    /// Encodes the content, unless that is done.
    pub(super) fn encode(&mut self, content: &Content<'_>) {
        self.request
            .get_or_insert_with(|| content.encode(self.event).into());
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
        let payload = revision.encoded(self.rpc, via, &request);
        let payload = payload.unwrap_or_default();
        *made = Some(payload.clone());
        payload
    }
}
