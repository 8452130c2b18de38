//! The content of a recording, as data.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use nri::wire::Status;

/// The first line of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The NRI release that the runtime speaks, such as `v0.12.5`; `None` if it did not report one. Runtimes before
    /// v0.12.0 do not.
    pub nri: Option<String>,
    /// The name of the runtime, such as `containerd`; `None` if no plugin was configured.
    pub runtime: Option<String>,
    /// The version of the runtime.
    pub runtime_version: Option<String>,
    /// The source of the recording.
    pub source: Source,
    /// True if the values of environment variables and annotations were replaced.
    pub redacted: bool,
    /// When the recording was started, to the microsecond.
    pub started: SystemTime,
}

/// The source of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// An observing plugin that subscribes to all events. The recording has requests, but no relevant answers.
    Observer,
    /// A proxy between the runtime and its plugins. The recording has the requests and answers of both.
    Proxy,
}

/// One line of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The time since the start of the recording, to the microsecond.
    pub at: Duration,
    /// The connection that it belongs to, counted from 1.
    pub connection: u32,
    /// The event.
    pub event: FrameEvent,
}

/// An event on a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameEvent {
    /// A plugin connected.
    Opened,
    /// A request was sent.
    Request(Request),
    /// An answer was sent.
    Response(Response),
    /// A message was sent that is neither a request nor an answer.
    Other {
        /// The sender.
        by: Party,
        /// Its ttrpc stream.
        stream: u32,
        /// Its ttrpc message type.
        kind: u8,
        /// The length of its data in bytes.
        length: u64,
    },
    /// The rest of the connection was not recorded, for this reason.
    Lost(String),
    /// The connection ended.
    Closed {
        /// The party that ended it.
        by: Closer,
        /// The error that ended it, if there was one.
        reason: Option<String>,
    },
}

/// A recorded request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The sender.
    pub by: Party,
    /// Its ttrpc stream, which is also that of the answer.
    pub stream: u32,
    /// The service, such as `nri.pkg.api.v1alpha1.Plugin`.
    pub service: String,
    /// The method, such as `CreateContainer`.
    pub method: String,
    /// The time that the sender waits for the answer, to the microsecond; `None` without limit.
    pub timeout: Option<Duration>,
    /// The encoded request.
    pub payload: Payload,
}

/// A recorded answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The sender.
    pub by: Party,
    /// The ttrpc stream of the request.
    pub stream: u32,
    /// The encoded answer, or the error.
    pub result: Result<Payload, Status>,
}

/// The data of a request or an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// The encoded message.
    Bytes(Bytes),
    /// The length of a message that was omitted because it cannot be decoded and therefore cannot be redacted.
    Withheld(u64),
}

impl Payload {
    /// Returns the encoded message, unless it was omitted.
    pub fn bytes(&self) -> Option<&Bytes> {
        match self {
            Payload::Bytes(bytes) => Some(bytes),
            Payload::Withheld(_) => None,
        }
    }
}

/// An end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Party {
    /// The container runtime.
    Runtime,
    /// The plugin.
    Plugin,
}

impl Party {
    /// Returns the other end.
    pub fn peer(self) -> Self {
        match self {
            Party::Runtime => Party::Plugin,
            Party::Plugin => Party::Runtime,
        }
    }
}

/// The party that ended a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Closer {
    /// The container runtime.
    Runtime,
    /// The plugin.
    Plugin,
    /// The recorder, because it was asked to stop.
    Recorder,
}

/// The last line of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The number of frames between the header and this line.
    pub frames: u64,
    /// The number of frames that were omitted because the recording reached its size limit.
    pub dropped: u64,
}
