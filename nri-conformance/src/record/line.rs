//! The lines of a recording: JSON objects to and from frames.

use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use nri::wire::{Code, Status};
use serde::{Deserialize, Serialize};

use super::error::{Error, ErrorKind, Result};
use super::frame::{
    Closer, End, Frame, FrameEvent, Header, Party, Payload, Request, Response, Source,
};

/// The first bytes of every recording.
pub(super) const MAGIC: &[u8] = br#"{"nri-session":"#;

/// The version of the format that is written, and the newest one that can be read.
pub(super) const VERSION: u64 = 1;

/// The part of the first line that is the same in all versions.
#[derive(Deserialize)]
struct VersionLine {
    #[serde(rename = "nri-session")]
    version: u64,
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct HeaderLine {
    #[serde(rename = "nri-session")]
    version: u64,
    #[serde(default)]
    nri: Option<String>,
    #[serde(default)]
    runtime: Option<String>,
    #[serde(default)]
    runtime_version: Option<String>,
    source: SourceName,
    redacted: bool,
    /// Microseconds since 1970.
    started: u64,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SourceName {
    Observer,
    Proxy,
}

/// Any other line. Which keys it has depends on `event`.
#[derive(Default, Serialize, Deserialize)]
struct FrameLine {
    /// Microseconds since the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    connection: Option<u32>,
    event: EventName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<PartyName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stream: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    service: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    /// Microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timeout: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    payload: Option<String>,
    /// The length in bytes of an omitted payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    withheld: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    frames: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dropped: Option<u64>,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum EventName {
    #[default]
    Opened,
    Request,
    Response,
    Other,
    Lost,
    Closed,
    End,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PartyName {
    Runtime,
    Plugin,
    Recorder,
}

/// A line after the first.
pub(super) enum Line {
    Frame(Frame),
    End(End),
}

/// Returns the version in the first line.
pub(super) fn version(line: &[u8]) -> Result<u64> {
    let parsed: Result<VersionLine, _> = serde_json::from_slice(line);
    parsed.map(|line| line.version).map_err(not_json)
}

/// Reads the first line of a recording of the current version.
pub(super) fn read_header(line: &[u8]) -> Result<Header> {
    let line: HeaderLine = serde_json::from_slice(line).map_err(not_json)?;
    let started = SystemTime::UNIX_EPOCH.checked_add(Duration::from_micros(line.started));
    Ok(Header {
        nri: line.nri,
        runtime: line.runtime,
        runtime_version: line.runtime_version,
        source: match line.source {
            SourceName::Observer => Source::Observer,
            SourceName::Proxy => Source::Proxy,
        },
        redacted: line.redacted,
        started: started.ok_or_else(|| malformed("`started` is too large"))?,
    })
}

/// Returns the first line, without its line feed.
pub(super) fn write_header(header: &Header) -> Result<Vec<u8>> {
    let since_1970 = header.started.duration_since(SystemTime::UNIX_EPOCH);
    encode(&HeaderLine {
        version: VERSION,
        nri: header.nri.clone(),
        runtime: header.runtime.clone(),
        runtime_version: header.runtime_version.clone(),
        source: match header.source {
            Source::Observer => SourceName::Observer,
            Source::Proxy => SourceName::Proxy,
        },
        redacted: header.redacted,
        started: micros(since_1970.unwrap_or_default()),
    })
}

/// Reads any other line.
pub(super) fn read_line(line: &[u8]) -> Result<Line> {
    let mut line: FrameLine = serde_json::from_slice(line).map_err(not_json)?;
    if let EventName::End = line.event {
        return Ok(Line::End(End {
            frames: required(line.frames, "frames")?,
            dropped: line.dropped.unwrap_or(0),
        }));
    }
    Ok(Line::Frame(Frame {
        at: Duration::from_micros(required(line.at, "at")?),
        connection: required(line.connection, "connection")?,
        event: line.event()?,
    }))
}

/// Returns the line of a frame, without its line feed.
pub(super) fn write_frame(frame: &Frame) -> Result<Vec<u8>> {
    let event = match &frame.event {
        FrameEvent::Opened => FrameLine::default(),
        FrameEvent::Request(request) => FrameLine::from_request(request),
        FrameEvent::Response(response) => FrameLine::from_response(response),
        FrameEvent::Other {
            by,
            stream,
            kind,
            length,
        } => FrameLine {
            event: EventName::Other,
            by: Some((*by).into()),
            stream: Some(*stream),
            kind: Some(*kind),
            length: Some(*length),
            ..FrameLine::default()
        },
        FrameEvent::Lost(reason) => FrameLine {
            event: EventName::Lost,
            reason: Some(reason.clone()),
            ..FrameLine::default()
        },
        FrameEvent::Closed { by, reason } => FrameLine {
            event: EventName::Closed,
            by: Some((*by).into()),
            reason: reason.clone(),
            ..FrameLine::default()
        },
    };
    encode(&FrameLine {
        at: Some(micros(frame.at)),
        connection: Some(frame.connection),
        ..event
    })
}

/// Returns the last line, without its line feed.
pub(super) fn write_end(end: End) -> Result<Vec<u8>> {
    encode(&FrameLine {
        event: EventName::End,
        frames: Some(end.frames),
        dropped: (end.dropped > 0).then_some(end.dropped),
        ..FrameLine::default()
    })
}

impl FrameLine {
    fn from_request(request: &Request) -> Self {
        FrameLine {
            event: EventName::Request,
            by: Some(request.by.into()),
            stream: Some(request.stream),
            service: Some(request.service.clone()),
            method: Some(request.method.clone()),
            timeout: request.timeout.map(micros),
            ..FrameLine::default()
        }
        .with_payload(&request.payload)
    }

    fn from_response(response: &Response) -> Self {
        let line = FrameLine {
            event: EventName::Response,
            by: Some(response.by.into()),
            stream: Some(response.stream),
            ..FrameLine::default()
        };
        match &response.result {
            Ok(payload) => line.with_payload(payload),
            Err(status) => FrameLine {
                code: Some(status.code.0),
                message: Some(status.message.clone()),
                ..line
            },
        }
    }

    fn with_payload(self, payload: &Payload) -> Self {
        match payload {
            Payload::Bytes(bytes) => FrameLine {
                payload: Some(STANDARD.encode(bytes)),
                ..self
            },
            Payload::Withheld(length) => FrameLine {
                withheld: Some(*length),
                ..self
            },
        }
    }

    fn event(&mut self) -> Result<FrameEvent> {
        Ok(match self.event {
            EventName::Opened => FrameEvent::Opened,
            EventName::Request => FrameEvent::Request(self.request()?),
            EventName::Response => FrameEvent::Response(self.response()?),
            EventName::Other => FrameEvent::Other {
                by: self.party()?,
                stream: required(self.stream, "stream")?,
                kind: required(self.kind, "kind")?,
                length: required(self.length, "length")?,
            },
            EventName::Lost => FrameEvent::Lost(required(self.reason.take(), "reason")?),
            EventName::Closed => FrameEvent::Closed {
                by: required(self.by, "by")?.into(),
                reason: self.reason.take(),
            },
            EventName::End => return Err(malformed("the last line is not a frame")),
        })
    }

    fn request(&mut self) -> Result<Request> {
        Ok(Request {
            by: self.party()?,
            stream: required(self.stream, "stream")?,
            service: required(self.service.take(), "service")?,
            method: required(self.method.take(), "method")?,
            timeout: self.timeout.map(Duration::from_micros),
            payload: self.payload()?,
        })
    }

    fn response(&mut self) -> Result<Response> {
        let result = match self.code {
            None => Ok(self.payload()?),
            Some(code) if code == Code::OK.0 => return Err(malformed("`code` 0 is not an error")),
            Some(code) => Err(Status::new(
                Code(code),
                self.message.take().unwrap_or_default(),
            )),
        };
        Ok(Response {
            by: self.party()?,
            stream: required(self.stream, "stream")?,
            result,
        })
    }

    fn payload(&mut self) -> Result<Payload> {
        if let Some(length) = self.withheld {
            return Ok(Payload::Withheld(length));
        }
        let text = required(self.payload.take(), "payload")?;
        STANDARD
            .decode(text)
            .map(|bytes| Payload::Bytes(bytes.into()))
            .map_err(|error| malformed("`payload` is not base64").with_source(error))
    }

    fn party(&self) -> Result<Party> {
        match required(self.by, "by")? {
            PartyName::Runtime => Ok(Party::Runtime),
            PartyName::Plugin => Ok(Party::Plugin),
            PartyName::Recorder => Err(malformed("`by` must be `runtime` or `plugin`")),
        }
    }
}

impl From<Party> for PartyName {
    fn from(party: Party) -> Self {
        match party {
            Party::Runtime => PartyName::Runtime,
            Party::Plugin => PartyName::Plugin,
        }
    }
}

impl From<Closer> for PartyName {
    fn from(closer: Closer) -> Self {
        match closer {
            Closer::Runtime => PartyName::Runtime,
            Closer::Plugin => PartyName::Plugin,
            Closer::Recorder => PartyName::Recorder,
        }
    }
}

impl From<PartyName> for Closer {
    fn from(name: PartyName) -> Self {
        match name {
            PartyName::Runtime => Closer::Runtime,
            PartyName::Plugin => Closer::Plugin,
            PartyName::Recorder => Closer::Recorder,
        }
    }
}

fn encode(line: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(line).map_err(|error| malformed("cannot write as JSON").with_source(error))
}

/// Returns a duration in microseconds.
fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

fn required<T>(value: Option<T>, key: &str) -> Result<T> {
    value.ok_or_else(|| malformed(format!("`{key}` is missing")))
}

fn malformed(message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Malformed, message)
}

fn not_json(error: serde_json::Error) -> Error {
    // The error already names the line of the recording; that of the JSON parser is always 1.
    let mut message = error.to_string();
    if let Some(end) = message.rfind(" at line ") {
        message.truncate(end);
    }
    let column = error.column();
    Error::new(ErrorKind::Malformed, format!("{message} (column {column})")).with_source(error)
}
