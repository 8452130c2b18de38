//! Frames and messages, one after the other.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;

use bytes::Bytes;
use nri::__private::wire::{
    FRAME_HEADER_LEN, FrameHeader, Kind, MESSAGE_HEADER_LEN, MessageHeader, RequestEnvelope,
    ResponseEnvelope as Response, StatusEnvelope as Status,
};
use nri::api::RUNTIME_SERVICE;
use nri::codec::Message;
use nri::wire::{MAX_FRAME, MAX_MESSAGE};

/// The logical connections: the plugin's service, and the runtime's.
const PLUGIN: u32 = 1;
const RUNTIME: u32 = 2;

/// An answer: the encoded response, or a code and a message.
pub(crate) type Answer = Result<Vec<u8>, (i32, String)>;

/// A message of the runtime.
pub(crate) enum Incoming {
    /// A request on a stream.
    Request(u32, RequestEnvelope),
    /// A request that cannot be decoded.
    Malformed(u32, String),
    /// The answer to a call of ours.
    Answer(Result<(), String>),
}

/// The connection.
pub(crate) struct Wire {
    socket: UnixStream,
    read: Vec<u8>,
    /// The payloads of the frames of each logical connection, put together.
    messages: [Vec<u8>; 2],
    next_stream: u32,
    /// Requests that arrived while the plugin was waiting for the answer to a call.
    waiting: VecDeque<Incoming>,
    /// True if a message header was split.
    pub(crate) saw_cut_header: bool,
}

impl Wire {
    pub(crate) fn new(socket: UnixStream) -> Self {
        Wire {
            socket,
            read: Vec::new(),
            messages: [Vec::new(), Vec::new()],
            next_stream: 1,
            waiting: VecDeque::new(),
            saw_cut_header: false,
        }
    }

    /// Returns the next message; `None` at the end of the connection.
    pub(crate) fn next(&mut self) -> Result<Option<Incoming>, String> {
        match self.waiting.pop_front() {
            Some(request) => Ok(Some(request)),
            None => self.arrived(),
        }
    }

    fn arrived(&mut self) -> Result<Option<Incoming>, String> {
        loop {
            self.take_frames()?;
            if let Some((header, data)) = self.take_message(RUNTIME)? {
                if header.kind == Kind::Response && header.stream < self.next_stream {
                    return Ok(Some(Incoming::Answer(answered(&data)?)));
                }
                continue;
            }
            if let Some((header, data)) = self.take_message(PLUGIN)? {
                if header.kind != Kind::Request {
                    continue;
                }
                let stream = header.stream;
                return Ok(Some(match RequestEnvelope::decode(&*data) {
                    Ok(request) => Incoming::Request(stream, request),
                    Err(error) => Incoming::Malformed(stream, error.to_string()),
                }));
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Returns true if another message has arrived. Reads available bytes without waiting.
    pub(crate) fn has_more(&mut self) -> bool {
        let _ = self.socket.set_nonblocking(true);
        while let Ok(true) = self.fill() {}
        let _ = self.socket.set_nonblocking(false);
        let _ = self.take_frames();
        self.messages[0].len() >= MESSAGE_HEADER_LEN
    }

    fn fill(&mut self) -> Result<bool, String> {
        let mut buffer = [0; 16 << 10];
        match self.socket.read(&mut buffer) {
            Ok(count) => {
                self.read.extend(&buffer[..count]);
                Ok(count > 0)
            }
            Err(error) if error.kind() == ErrorKind::ConnectionReset => Ok(false),
            Err(error) => Err(error.to_string()),
        }
    }

    fn take_frames(&mut self) -> Result<(), String> {
        while let Some((header, _)) = self.read.split_first_chunk::<FRAME_HEADER_LEN>() {
            let header = FrameHeader::decode(*header);
            let length = header.length as usize;
            if length > MAX_FRAME {
                return Err(format!("a frame of {length} bytes"));
            }
            let end = FRAME_HEADER_LEN + length;
            if self.read.len() < end {
                return Ok(());
            }
            let payload: Vec<u8> = self.read.drain(..end).skip(FRAME_HEADER_LEN).collect();
            if let PLUGIN | RUNTIME = header.connection {
                let messages = &mut self.messages[(header.connection - 1) as usize];
                messages.extend(&payload);
                self.saw_cut_header |= (1..MESSAGE_HEADER_LEN).contains(&messages.len());
            }
        }
        Ok(())
    }

    fn take_message(
        &mut self,
        connection: u32,
    ) -> Result<Option<(MessageHeader, Vec<u8>)>, String> {
        let messages = &mut self.messages[(connection - 1) as usize];
        let Some((start, _)) = messages.split_first_chunk::<MESSAGE_HEADER_LEN>() else {
            return Ok(None);
        };
        let header = MessageHeader::decode(*start);
        let length = header.length as usize;
        if length > MAX_MESSAGE {
            return Err(format!("a message of {length} bytes"));
        }
        let end = MESSAGE_HEADER_LEN + length;
        if messages.len() < end {
            return Ok(None);
        }
        let data = messages.drain(..end).skip(MESSAGE_HEADER_LEN).collect();
        Ok(Some((header, data)))
    }

    /// Answers a request.
    pub(crate) fn answer(&mut self, stream: u32, answer: &Answer) -> Result<(), String> {
        let response = match answer {
            Ok(payload) => Response { status: None, payload: payload.clone().into() },
            Err((code, message)) => Response {
                status: Some(Status { code: *code, message: message.clone() }),
                payload: Bytes::new(),
            },
        };
        self.send(PLUGIN, Kind::Response, stream, &response.encode_to_vec())
    }

    /// Calls the runtime, without waiting for the answer.
    pub(crate) fn call(&mut self, method: &str, payload: Vec<u8>) -> Result<(), String> {
        let request = RequestEnvelope {
            service: RUNTIME_SERVICE.to_owned(),
            method: method.to_owned(),
            payload: payload.into(),
            timeout_nano: 0,
        };
        let stream = self.next_stream;
        self.next_stream += 2;
        self.send(RUNTIME, Kind::Request, stream, &request.encode_to_vec())
    }

    /// Calls the runtime and waits for the answer. Requests that arrive meanwhile wait.
    pub(crate) fn call_and_wait(&mut self, method: &str, payload: Vec<u8>) -> Result<(), String> {
        self.call(method, payload)?;
        loop {
            match self.arrived()? {
                Some(Incoming::Answer(_)) | None => return Ok(()),
                Some(request) => self.waiting.push_back(request),
            }
        }
    }

    fn send(
        &mut self,
        connection: u32,
        kind: Kind,
        stream: u32,
        data: &[u8],
    ) -> Result<(), String> {
        let length = data.len() as u32;
        let header = MessageHeader { length, stream, kind, flags: 0 };
        let frame = FrameHeader { connection, length: length + MESSAGE_HEADER_LEN as u32 };
        let bytes = [&frame.encode()[..], &header.encode(), data].concat();
        match self.socket.write_all(&bytes) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(|error| error.to_string()),
        }
    }
}

/// Reads the answer to a call.
fn answered(data: &[u8]) -> Result<Result<(), String>, String> {
    let response = Response::decode(data).map_err(|error| error.to_string())?;
    let error = response.status.filter(|status| status.code != 0);
    Ok(error.map_or(Ok(()), |status| Err(status.message)))
}
