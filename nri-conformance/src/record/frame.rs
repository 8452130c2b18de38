//! The content of a recording, as data, and as the keys of its lines.

use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use nri::wire::{Code, Status};
use serde::{Deserialize, Serialize};

use super::micros;

/// The first line of a recording.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
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
    #[serde(with = "micros::since_1970")]
    pub started: SystemTime,
}

/// The source of a recording.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// An observing plugin that subscribes to all events. The recording has requests, but no relevant answers.
    Observer,
    /// A proxy between the runtime and its plugins. The recording has the requests and answers of both.
    Proxy,
}

/// One line of a recording.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Frame {
    /// The time since the start of the recording, to the microsecond.
    #[serde(with = "micros::duration")]
    pub at: Duration,
    /// The connection that it belongs to, counted from 1.
    pub connection: u32,
    /// The event.
    #[serde(flatten)]
    pub event: FrameEvent,
}

/// An event on a connection.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
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
        /// The ttrpc stream of the message.
        stream: u32,
        /// The ttrpc type of the message.
        kind: u8,
        /// The length of its data in bytes.
        length: u64,
    },
    /// The rest of the connection was not recorded.
    Lost {
        /// Why it was not.
        reason: String,
    },
    /// The connection ended.
    Closed {
        /// The party that ended it.
        by: Closer,
        /// The error that ended it, if there was one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

/// A recorded request.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Request {
    /// The sender.
    pub by: Party,
    /// The ttrpc stream of the request, and of its answer.
    pub stream: u32,
    /// The service, such as `nri.pkg.api.v1alpha1.Plugin`.
    pub service: String,
    /// The method, such as `CreateContainer`.
    pub method: String,
    /// The time that the sender waits for the answer, to the microsecond; `None` without limit.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "micros::optional"
    )]
    pub timeout: Option<Duration>,
    /// The encoded request.
    #[serde(flatten)]
    pub payload: Payload,
}

/// A recorded answer.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(try_from = "ResponseKeys", into = "ResponseKeys")]
pub struct Response {
    /// The sender.
    pub by: Party,
    /// The ttrpc stream of the request.
    pub stream: u32,
    /// The encoded answer, or the error.
    pub result: Result<Payload, Status>,
}

/// The data of a request or an answer.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(try_from = "PayloadKeys", into = "PayloadKeys")]
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
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
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
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Closer {
    /// The container runtime.
    Runtime,
    /// The plugin.
    Plugin,
    /// The recorder, because it was asked to stop.
    Recorder,
}

/// The last line of a recording.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct End {
    /// The number of frames between the header and this line.
    pub frames: u64,
    /// The number of frames that were omitted because the recording reached its size limit.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The data of a request or an answer.
#[derive(Default, Serialize, Deserialize)]
struct PayloadKeys {
    /// The encoded message in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    payload: Option<String>,
    /// The length in bytes of an omitted message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    withheld: Option<u64>,
}

impl From<Payload> for PayloadKeys {
    fn from(payload: Payload) -> Self {
        match payload {
            Payload::Bytes(bytes) => PayloadKeys {
                payload: Some(STANDARD.encode(bytes)),
                withheld: None,
            },
            Payload::Withheld(length) => PayloadKeys {
                payload: None,
                withheld: Some(length),
            },
        }
    }
}

impl TryFrom<PayloadKeys> for Payload {
    type Error = &'static str;

    fn try_from(keys: PayloadKeys) -> Result<Self, &'static str> {
        match (keys.withheld, keys.payload) {
            (Some(length), _) => Ok(Payload::Withheld(length)),
            (None, None) => Err("`payload` is missing"),
            (None, Some(text)) => STANDARD
                .decode(text)
                .map(|bytes| Payload::Bytes(bytes.into()))
                .map_err(|_| "`payload` is not base64"),
        }
    }
}

/// An answer: `code` and `message` for an error, else the data.
#[derive(Serialize, Deserialize)]
struct ResponseKeys {
    by: Party,
    stream: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(flatten)]
    data: PayloadKeys,
}

impl From<Response> for ResponseKeys {
    fn from(response: Response) -> Self {
        let Response { by, stream, result } = response;
        let (code, message, data) = match result {
            Ok(payload) => (None, None, payload.into()),
            Err(status) => (
                Some(status.code.0),
                Some(status.message),
                PayloadKeys::default(),
            ),
        };
        ResponseKeys {
            by,
            stream,
            code,
            message,
            data,
        }
    }
}

impl TryFrom<ResponseKeys> for Response {
    type Error = &'static str;

    fn try_from(keys: ResponseKeys) -> Result<Self, &'static str> {
        let result = match keys.code {
            None => Ok(keys.data.try_into()?),
            Some(code) if code == Code::OK.0 => {
                return Err("`code` 0 is not an error");
            }
            Some(code) => {
                let message = keys.message.unwrap_or_default();
                Err(Status::new(Code(code), message))
            }
        };
        Ok(Response {
            by: keys.by,
            stream: keys.stream,
            result,
        })
    }
}
