//! A record of the messages of a connection.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use nri::__private::wire::{
    Demux, Kind, MESSAGE_HEADER_LEN, Message, RequestEnvelope, ResponseEnvelope,
};
use nri::codec::Message as _;
use nri::wire::{Channels, Status};

use crate::tapped::Party;

/// The number of bytes of each end after which messages are no longer kept; enough for an ordinary
/// test.
const MAX_RECORDED: usize = 1 << 20;

/// The maximum number of bytes of a message that are printed.
const MAX_PRINTED: usize = 256;

/// A record of the messages of a connection in both directions. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace(Arc<Mutex<[Log; 2]>>);

/// The messages of one end.
#[derive(Debug)]
struct Log {
    demux: Demux,
    bytes: usize,
    messages: Vec<Message>,
    /// The malformed part, which ends the connection.
    malformed: Option<String>,
    /// The streams that the plugin has answered, over the whole connection.
    answered: HashSet<u32>,
    /// The first stream that it has answered twice.
    repeated: Option<u32>,
}

impl Default for Log {
    fn default() -> Self {
        Log {
            demux: Demux::new(Channels::PLUGIN.ids()),
            bytes: 0,
            messages: Vec::new(),
            malformed: None,
            answered: HashSet::new(),
            repeated: None,
        }
    }
}

impl Log {
    fn read(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
        self.demux.extend(bytes);
        while self.malformed.is_none() {
            match self.demux.next_message() {
                Ok(Some(message)) => self.add(message),
                Ok(None) => return,
                Err(error) => self.malformed = Some(error.to_string()),
            }
        }
    }

    fn add(&mut self, message: Message) {
        let is_answer = message.connection == 1 && message.header.kind == Kind::Response;
        if is_answer && !self.answered.insert(message.header.stream) {
            self.repeated.get_or_insert(message.header.stream);
        }
        if self.bytes <= MAX_RECORDED {
            self.messages.push(message);
        }
    }
}

impl Trace {
    fn logs(&self) -> MutexGuard<'_, [Log; 2]> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds bytes that one end has sent.
    pub(super) fn add(&self, by: Party, bytes: &[u8]) {
        self.logs()[by as usize].read(bytes);
    }

    /// Returns the messages of one end, up to the first that is malformed or not kept.
    pub(crate) fn messages(&self, by: Party) -> Vec<Message> {
        self.logs()[by as usize].messages.clone()
    }

    /// Returns the first stream on which the plugin has answered more than once.
    pub(crate) fn answered_twice(&self) -> Option<u32> {
        self.logs()[Party::Plugin as usize].repeated
    }

    /// Returns the connection as text: one line per message, with the first bytes of its data.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        let names = ["runtime to plugin", "plugin to runtime"];
        for (name, log) in names.iter().zip(&*self.logs()) {
            let _ = writeln!(text, "# {name}, {} bytes", log.bytes);
            for message in &log.messages {
                let _ = writeln!(text, "{}", line(message));
            }
            if let Some(error) = &log.malformed {
                let _ = writeln!(text, "malformed: {error}");
            }
        }
        text
    }
}

fn line(message: &Message) -> String {
    let header = message.header;
    let printed = message.data.get(..MAX_PRINTED).unwrap_or(&message.data);
    let mut line = format!(
        "connection {} stream {} {:?}{}, {} bytes: ",
        message.connection,
        header.stream,
        header.kind,
        subject(message),
        message.data.len() + MESSAGE_HEADER_LEN,
    );
    for byte in printed {
        let _ = write!(line, "{byte:02x}");
    }
    line
}

/// Returns the method of a request, or the outcome of a response, after a space.
fn subject(message: &Message) -> String {
    let data = message.data.clone();
    match message.header.kind {
        Kind::Request => RequestEnvelope::decode(data)
            .map(|request| format!(" {}", request.method.escape_debug())),
        Kind::Response => ResponseEnvelope::decode(data).map(|response| {
            match Result::<Bytes, Status>::from(response) {
                Ok(_) => " ok".to_owned(),
                Err(status) => format!(" error {}, {:?}", status.code.0, status.message),
            }
        }),
        Kind::Data | Kind::Other(_) => return String::new(),
    }
    .unwrap_or_else(|_| " malformed".to_owned())
}
