//! A record of the bytes of a connection.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use nri::__private::wire::{
    Demux, Kind, MESSAGE_HEADER_LEN, Message, RequestEnvelope, ResponseEnvelope,
};
use nri::codec::Message as _;
use nri::wire::Code;

use crate::tapped::Record;

/// The maximum number of bytes recorded for each direction, which is enough for an ordinary test.
const MAX_RECORDED: usize = 1 << 20;

/// The maximum number of bytes of a message that are printed.
const MAX_PRINTED: usize = 256;

/// The direction of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the runtime to the plugin.
    ToPlugin,
    /// From the plugin to the runtime.
    FromPlugin,
}

/// A record of the bytes of a connection in both directions. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Trace(Arc<Mutex<Log>>);

#[derive(Debug, Default)]
struct Log {
    sent: Vec<u8>,
    received: Vec<u8>,
    answers: Answers,
}

impl Log {
    /// Returns the recorded bytes of one direction.
    fn bytes(&mut self, direction: Direction) -> &mut Vec<u8> {
        match direction {
            Direction::ToPlugin => &mut self.sent,
            Direction::FromPlugin => &mut self.received,
        }
    }
}

/// The streams that the plugin has answered, counted over the whole connection.
#[derive(Debug)]
struct Answers {
    /// `None` after something malformed, which ends the connection.
    demux: Option<Demux>,
    streams: HashSet<u32>,
    repeated: Option<u32>,
}

impl Default for Answers {
    fn default() -> Self {
        Answers {
            demux: Some(Demux::new([1, 2])),
            streams: HashSet::new(),
            repeated: None,
        }
    }
}

impl Answers {
    fn add(&mut self, bytes: &[u8]) {
        let Some(demux) = &mut self.demux else {
            return;
        };
        demux.extend(bytes);
        loop {
            match demux.next_message().map(|it| it.map(TracedHeader::from)) {
                Ok(Some(header)) => {
                    let is_answer = header.connection == 1 && header.kind == Kind::Response;
                    if is_answer && !self.streams.insert(header.stream) {
                        self.repeated.get_or_insert(header.stream);
                    }
                }
                Ok(None) => return,
                Err(_) => break,
            }
        }
        self.demux = None;
    }
}

/// The header of a message on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracedHeader {
    /// The logical connection.
    pub connection: u32,
    /// The ttrpc stream of the message.
    pub stream: u32,
    /// The type.
    pub kind: Kind,
}

impl From<Message> for TracedHeader {
    fn from(message: Message) -> Self {
        TracedHeader {
            connection: message.connection,
            stream: message.header.stream,
            kind: message.header.kind,
        }
    }
}

impl Trace {
    fn log(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, direction: Direction, bytes: &[u8]) {
        let mut log = self.log();
        let kept = log.bytes(direction);
        let room = MAX_RECORDED.saturating_sub(kept.len());
        kept.extend_from_slice(&bytes[..room.min(bytes.len())]);
    }

    /// Returns the headers of the messages in one direction, up to the first that is malformed or not recorded.
    pub fn messages(&self, direction: Direction) -> Vec<TracedHeader> {
        let mut demux = Demux::new([1, 2]);
        demux.extend(self.log().bytes(direction));
        let mut seen = Vec::new();
        while let Ok(Some(message)) = demux.next_message() {
            seen.push(message.into());
        }
        seen
    }

    /// Returns the first stream on which the plugin has answered more than once.
    pub(crate) fn answered_twice(&self) -> Option<u32> {
        self.log().answers.repeated
    }

    /// Returns the connection as text: one line per message, with the first bytes of its data.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (name, direction) in [
            ("runtime to plugin", Direction::ToPlugin),
            ("plugin to runtime", Direction::FromPlugin),
        ] {
            let bytes = self.log().bytes(direction).clone();
            let _ = writeln!(text, "# {name}, {} bytes", bytes.len());
            messages(&bytes, &mut text);
        }
        text
    }
}

fn messages(bytes: &[u8], text: &mut String) {
    let mut demux = Demux::new([1, 2]);
    demux.extend(bytes);
    loop {
        match demux.next_message() {
            Ok(Some(message)) => {
                let header = message.header;
                let printed = message.data.get(..MAX_PRINTED).unwrap_or(&message.data);
                let _ = writeln!(
                    text,
                    "connection {} stream {} {:?}{}, {} bytes: {}",
                    message.connection,
                    header.stream,
                    header.kind,
                    subject(header.kind, message.data.clone()),
                    message.data.len() + MESSAGE_HEADER_LEN,
                    hex(printed),
                );
            }
            Ok(None) => return,
            Err(error) => {
                let _ = writeln!(text, "malformed: {error}");
                return;
            }
        }
    }
}

/// Returns the method of a request, or the outcome of a response, after a space.
fn subject(kind: Kind, data: Bytes) -> String {
    match kind {
        Kind::Request => RequestEnvelope::decode(data)
            .map(|request| format!(" {}", request.method.escape_debug())),
        Kind::Response => ResponseEnvelope::decode(data).map(|response| match response.status {
            Some(status) if status.code != Code::OK.0 => {
                format!(" error {}, {:?}", status.code, status.message)
            }
            Some(_) | None => " ok".to_owned(),
        }),
        Kind::Data | Kind::Other(_) => return String::new(),
    }
    .unwrap_or_else(|_| " malformed".to_owned())
}

/// Returns bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Record for Trace {
    fn received(&self, bytes: &[u8]) {
        self.add(Direction::FromPlugin, bytes);
        self.log().answers.add(bytes);
    }

    fn sent(&self, bytes: &[u8]) {
        self.add(Direction::ToPlugin, bytes);
    }
}
