//! Turns the bytes of a connection into frames.

use std::collections::HashMap;

use bytes::Bytes;
use nri::__private::wire::{Demux, Kind, Message, RequestEnvelope, ResponseEnvelope};
use nri::codec::Message as _;
use nri::wire::{ConnectionError, Status};
use prost_reflect::{MessageDescriptor, MethodDescriptor};

use super::frame::{FrameEvent, Party, Payload, Request, Response, Source};
use super::limits::{MAX_MESSAGE_TEXT, MAX_NAME, MAX_UNANSWERED};
use super::redact::redact;
use super::schema;

/// The logical connections of the mux: the Plugin service, and the Runtime service.
const CONNECTION_IDS: [u32; 2] = [1, 2];

/// Decodes both directions of a connection.
pub(super) struct Conversation {
    source: Source,
    redacts: bool,
    /// The directions, by their senders.
    directions: [Direction; 2],
}

/// The bytes that one end sends.
struct Direction {
    demux: Demux,
    /// The methods of its unanswered requests, by stream, as far as they are known.
    unanswered: HashMap<u32, MethodDescriptor>,
}

impl Conversation {
    pub(super) fn new(source: Source, redacts: bool) -> Self {
        Conversation {
            source,
            redacts,
            directions: [(); 2].map(|()| Direction {
                demux: Demux::new(CONNECTION_IDS),
                unanswered: HashMap::new(),
            }),
        }
    }

    /// Processes bytes that one end has sent, and passes on complete messages.
    pub(super) fn receive(
        &mut self,
        by: Party,
        bytes: &[u8],
        mut emit: impl FnMut(FrameEvent),
    ) -> Result<(), ConnectionError> {
        self.directions[by as usize].demux.extend(bytes);
        while let Some(message) = self.directions[by as usize].demux.next_message()? {
            if let Some(event) = self.event(by, message) {
                emit(event);
            }
        }
        Ok(())
    }

    fn event(&mut self, by: Party, message: Message) -> Option<FrameEvent> {
        let stream = message.header.stream;
        let other = FrameEvent::Other {
            by,
            stream,
            kind: message.header.kind.into(),
            length: message.data.len() as u64,
        };
        match message.header.kind {
            Kind::Request => Some(self.request(by, stream, message.data).unwrap_or(other)),
            Kind::Response => self.response(by, stream, message.data, other),
            Kind::Data | Kind::Other(_) => Some(other),
        }
    }

    /// Returns `None` if the envelope cannot be decoded.
    fn request(&mut self, by: Party, stream: u32, data: Bytes) -> Option<FrameEvent> {
        let envelope = RequestEnvelope::decode(data).ok()?;
        let timeout = envelope.timeout();
        let method = schema::method(&envelope.service, &envelope.method);
        let message = method.as_ref().map(MethodDescriptor::input);
        let unanswered = &mut self.directions[by as usize].unanswered;
        match method {
            Some(method) if unanswered.len() < MAX_UNANSWERED => {
                unanswered.insert(stream, method);
            }
            Some(_) | None => _ = unanswered.remove(&stream),
        }
        Some(FrameEvent::Request(Request {
            by,
            stream,
            service: shortened(envelope.service, MAX_NAME),
            method: shortened(envelope.method, MAX_NAME),
            timeout,
            payload: self.payload(envelope.payload, message),
        }))
    }

    /// Returns `None` for an answer of the observing plugin itself, which is not recorded.
    fn response(
        &mut self,
        by: Party,
        stream: u32,
        data: Bytes,
        other: FrameEvent,
    ) -> Option<FrameEvent> {
        let method = self.directions[by.peer() as usize].unanswered.remove(&stream);
        if self.source == Source::Observer && by == Party::Plugin {
            return None;
        }
        let Ok(envelope) = ResponseEnvelope::decode(data) else {
            return Some(other);
        };
        let result = match Result::<Bytes, Status>::from(envelope) {
            Ok(payload) => Ok(self.payload(payload, method.map(|method| method.output()))),
            Err(status) => {
                Err(Status::new(status.code, shortened(status.message, MAX_MESSAGE_TEXT)))
            }
        };
        Some(FrameEvent::Response(Response { by, stream, result }))
    }

    fn payload(&self, payload: Bytes, message: Option<MessageDescriptor>) -> Payload {
        if self.redacts { redact(&payload, message) } else { Payload::Bytes(payload) }
    }
}

/// Truncates a text at a character boundary.
pub(super) fn shortened(mut text: String, max: usize) -> String {
    let end = (0..=max.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.truncate(end.unwrap_or(0));
    text
}
