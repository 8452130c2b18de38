//! Writes recordings.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use serde::Serialize;

use super::frame::{End, Frame, Header};
use crate::error::{Error, ErrorKind, Result};

/// The version of the format that is written, and the newest one that can be read.
pub(super) const VERSION: u64 = 1;

/// The first line.
#[derive(Serialize)]
struct HeaderLine<'a> {
    #[serde(rename = "nri-session")]
    version: u64,
    #[serde(flatten)]
    header: &'a Header,
}

/// Writes a recording line by line.
///
/// Without [`Writer::finish`], the recording has no last line and is read as truncated.
#[derive(Debug)]
pub struct Writer<W> {
    output: W,
    max_bytes: u64,
    bytes: u64,
    end: End,
}

/// Creates the file of a recording, or truncates it. Only the owner can read it.
///
/// # Errors
///
/// Returns [`ErrorKind::Io`](super::ErrorKind::Io) if the file cannot be created.
pub fn create_file(path: &Path) -> Result<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
        .map_err(|error| Error::failed("cannot create the recording", error).in_file(path))
}

impl<W: Write> Writer<W> {
    /// Writes the first line. Frames that would make the recording longer than `max_bytes` are
    /// counted and omitted. The last line is always written.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Io`](super::ErrorKind::Io) if writing fails.
    pub fn new(output: W, header: &Header, max_bytes: u64) -> Result<Self> {
        let mut writer = Writer { output, max_bytes, bytes: 0, end: End::default() };
        writer.put(encode(&HeaderLine { version: VERSION, header })?)?;
        Ok(writer)
    }

    /// Writes a frame.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Io`](super::ErrorKind::Io) if writing fails.
    pub fn write(&mut self, frame: &Frame) -> Result<()> {
        let line = encode(frame)?;
        // Once a frame is omitted, so are all later ones, because a gap would mislead readers.
        if self.end.dropped > 0 || self.bytes + line.len() as u64 >= self.max_bytes {
            self.end.dropped += 1;
            return Ok(());
        }
        self.put(line)?;
        self.end.frames += 1;
        Ok(())
    }

    /// Passes all buffered data to the operating system.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Io`](super::ErrorKind::Io) if writing fails.
    pub fn flush(&mut self) -> Result<()> {
        self.output.flush().map_err(failed)
    }

    /// Returns the number of bytes that were written.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes the last line and returns its content.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Io`](super::ErrorKind::Io) if writing fails.
    pub fn finish(mut self) -> Result<End> {
        self.put(encode(&self.end)?)?;
        self.flush()?;
        Ok(self.end)
    }

    fn put(&mut self, mut line: Vec<u8>) -> Result<()> {
        line.push(b'\n');
        self.output.write_all(&line).map_err(failed)?;
        self.bytes += line.len() as u64;
        Ok(())
    }
}

fn failed(error: std::io::Error) -> Error {
    Error::failed("cannot write the recording", error)
}

fn encode(line: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(line)
        .map_err(|error| Error::of(ErrorKind::Malformed, "cannot write as JSON").with_source(error))
}
