//! The lines of a recording: JSON objects to and from frames.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::error::{Error, ErrorKind, Result};
use super::frame::{End, Frame, Header};

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
#[derive(Serialize)]
struct HeaderLine<'a> {
    #[serde(rename = "nri-session")]
    version: u64,
    #[serde(flatten)]
    header: &'a Header,
}

/// The last line.
#[derive(Serialize)]
struct EndLine {
    event: &'static str,
    #[serde(flatten)]
    end: End,
}

/// The part of a line that distinguishes the last one from frames.
#[derive(Deserialize)]
struct EventLine {
    event: String,
}

/// The event of the last line.
const END: &str = "end";

/// A line after the first.
pub(super) enum Line {
    Frame(Frame),
    End(End),
}

/// Returns the version in the first line.
pub(super) fn version(line: &[u8]) -> Result<u64> {
    decode(line).map(|line: VersionLine| line.version)
}

/// Reads the first line of a recording of the current version.
pub(super) fn read_header(line: &[u8]) -> Result<Header> {
    decode(line)
}

/// Returns the first line, without its line feed.
pub(super) fn write_header(header: &Header) -> Result<Vec<u8>> {
    encode(&HeaderLine {
        version: VERSION,
        header,
    })
}

/// Reads any other line.
pub(super) fn read_line(line: &[u8]) -> Result<Line> {
    let kind: EventLine = decode(line)?;
    if kind.event == END {
        decode(line).map(Line::End)
    } else {
        decode(line).map(Line::Frame)
    }
}

/// Returns the line of a frame, without its line feed.
pub(super) fn write_frame(frame: &Frame) -> Result<Vec<u8>> {
    encode(frame)
}

/// Returns the last line, without its line feed.
pub(super) fn write_end(end: End) -> Result<Vec<u8>> {
    encode(&EndLine { event: END, end })
}

fn encode(line: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(line).map_err(|error| {
        Error::new(ErrorKind::Malformed, "cannot write as JSON").with_source(error)
    })
}

fn decode<T: DeserializeOwned>(line: &[u8]) -> Result<T> {
    serde_json::from_slice(line).map_err(|error| {
        // The error already names the line of the recording; that of the JSON parser is always 1.
        let mut message = error.to_string();
        if let Some(end) = message.rfind(" at line ") {
            message.truncate(end);
        }
        let column = error.column();
        Error::new(ErrorKind::Malformed, format!("{message} (column {column})")).with_source(error)
    })
}
