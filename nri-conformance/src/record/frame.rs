//! The content of a recording, as data, and as the keys of its lines.

use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use nri::wire::{Code, Status};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use crate::tapped::Party;

/// The first line of a recording.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Header {
    /// The NRI release that the runtime speaks, such as `v0.12.5`; `None` if it did not report one.
    /// Runtimes before v0.12.0 do not.
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
    #[serde(serialize_with = "write_moment", deserialize_with = "read_moment")]
    pub started: SystemTime,
}

/// The source of a recording.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// An observing plugin that subscribes to all events. The recording has requests, but no
    /// relevant answers.
    Observer,
    /// A proxy between the runtime and its plugins. The recording has the requests and answers of
    /// both.
    Proxy,
}

/// One line of a recording.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Frame {
    /// The time since the start of the recording, to the microsecond.
    #[serde(serialize_with = "write_micros", deserialize_with = "read_micros")]
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
        serialize_with = "write_timeout",
        deserialize_with = "read_timeout"
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
    /// The length of a message that was omitted because it cannot be decoded and therefore cannot
    /// be redacted.
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
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename = "end")]
pub struct End {
    /// The number of frames between the header and this line.
    pub frames: u64,
    /// The number of frames that were omitted because the recording reached its size limit.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: u64,
}

// Recordings have times in microseconds.

fn write_micros<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
}

fn read_micros<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    u64::deserialize(deserializer).map(Duration::from_micros)
}

fn write_timeout<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    write_micros(&time.unwrap_or_default(), serializer)
}

fn read_timeout<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let micros = Option::<u64>::deserialize(deserializer)?;
    Ok(micros.map(Duration::from_micros))
}

fn write_moment<S: Serializer>(moment: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    let since = moment.duration_since(SystemTime::UNIX_EPOCH);
    write_micros(&since.unwrap_or_default(), serializer)
}

fn read_moment<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SystemTime, D::Error> {
    let moment = SystemTime::UNIX_EPOCH.checked_add(read_micros(deserializer)?);
    moment.ok_or_else(|| D::Error::custom("`started` is too large"))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
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
        let (payload, withheld) = match payload {
            Payload::Bytes(bytes) => (Some(STANDARD.encode(bytes)), None),
            Payload::Withheld(length) => (None, Some(length)),
        };
        PayloadKeys { payload, withheld }
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
        let (status, data) = match response.result {
            Ok(payload) => (None, payload.into()),
            Err(status) => (Some(status), PayloadKeys::default()),
        };
        ResponseKeys {
            by: response.by,
            stream: response.stream,
            code: status.as_ref().map(|status| status.code.0),
            message: status.map(|status| status.message),
            data,
        }
    }
}

impl TryFrom<ResponseKeys> for Response {
    type Error = &'static str;

    fn try_from(keys: ResponseKeys) -> Result<Self, &'static str> {
        let result = match keys.code {
            None => Ok(keys.data.try_into()?),
            Some(code) if code == Code::OK.0 => return Err("`code` 0 is not an error"),
            Some(code) => Err(Status::new(Code(code), keys.message.unwrap_or_default())),
        };
        Ok(Response { by: keys.by, stream: keys.stream, result })
    }
}
