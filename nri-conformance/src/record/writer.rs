//! Writes recordings.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use super::error::{Error, Result};
use super::frame::{End, Frame, Header};
use super::line;

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
        .map_err(|error| Error::io("cannot create the recording", error).in_file(path))
}

impl<W: Write> Writer<W> {
    /// Writes the first line. Frames that would make the recording longer than `max_bytes` are counted and omitted. The
    /// last line is always written.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Io`](super::ErrorKind::Io) if writing fails.
    pub fn new(output: W, header: &Header, max_bytes: u64) -> Result<Self> {
        let end = End {
            frames: 0,
            dropped: 0,
        };
        let mut writer = Writer {
            output,
            max_bytes,
            bytes: 0,
            end,
        };
        writer.put(line::write_header(header)?)?;
        Ok(writer)
    }

    /// Writes a frame.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Io`](super::ErrorKind::Io) if writing fails.
    pub fn write(&mut self, frame: &Frame) -> Result<()> {
        let line = line::write_frame(frame)?;
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
        self.put(line::write_end(self.end)?)?;
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
    Error::io("cannot write the recording", error)
}
