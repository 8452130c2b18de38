//! Reads recordings.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::frame::{End, Frame, Header};
use super::limits::{MAX_HEADER_LINE, MAX_LINE};
use super::writer::VERSION;
use crate::error::{Error, ErrorKind, Result};

/// The event of the last line.
const END: &str = "end";

/// The first bytes of every recording.
const MAGIC: &[u8] = br#"{"nri-session":"#;

/// The part of the first line that is the same in all versions.
#[derive(Deserialize)]
struct VersionLine {
    #[serde(rename = "nri-session")]
    version: u64,
}

/// The part of a line that distinguishes the last one from frames.
#[derive(Deserialize)]
struct EventLine {
    event: String,
}

/// Reads a recording line by line, in bounded memory.
///
/// ```
/// use nri_conformance::record::{ErrorKind, Reader};
///
/// let text = concat!(
///     r#"{"nri-session":1,"source":"proxy","redacted":true,"started":1795325397000000}"#, "\n",
///     r#"{"at":15,"connection":1,"event":"opened"}"#, "\n",
/// );
/// let mut reader = Reader::new(text.as_bytes())?;
/// assert!(reader.header().redacted);
/// assert!(reader.next_frame()?.is_some());
///
/// let error = reader.next_frame().unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Truncated);
/// # Ok::<(), nri_conformance::record::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    file: Option<PathBuf>,
    header: Header,
    line: u64,
    frames: u64,
    end: Option<End>,
    buffer: Vec<u8>,
}

impl Reader<BufReader<File>> {
    /// Opens a recording and reads its first line.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Io`] if the file cannot be opened, and the errors of [`Reader::new`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let file = File::open(path)
            .map_err(|error| Error::failed("cannot open the recording", error).in_file(path))?;
        let mut reader = Self::new(BufReader::new(file)).map_err(|error| error.in_file(path))?;
        reader.file = Some(path.to_owned());
        Ok(reader)
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads the first line of a recording.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Foreign`] if the input is not a recording, [`ErrorKind::FutureVersion`]
    /// if this version of the crate cannot read it, [`ErrorKind::Truncated`],
    /// [`ErrorKind::Malformed`] or [`ErrorKind::TooLarge`] if the line is damaged, and
    /// [`ErrorKind::Io`] if reading fails.
    pub fn new(mut input: R) -> Result<Self> {
        let header = read_header(&mut input).map_err(|error| error.at_line(1))?;
        Ok(Reader { input, file: None, header, line: 1, frames: 0, end: None, buffer: Vec::new() })
    }

    /// Returns the first line.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the last line, once it has been read.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// Returns the next frame, or `None` after the last one.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Truncated`] if the recording stops before its last line,
    /// [`ErrorKind::Malformed`] or [`ErrorKind::TooLarge`] if a line is damaged, and
    /// [`ErrorKind::Io`] if reading fails. The frames before the damage have been returned.
    pub fn next_frame(&mut self) -> Result<Option<Frame>> {
        if self.end.is_some() {
            return Ok(None);
        }
        self.line += 1;
        self.read_frame().map_err(|error| {
            let error = error.at_line(self.line);
            match &self.file {
                Some(file) => error.in_file(file),
                None => error,
            }
        })
    }

    fn read_frame(&mut self) -> Result<Option<Frame>> {
        self.buffer.clear();
        read_line(&mut self.input, MAX_LINE, &mut self.buffer)?;
        let line: EventLine = decode(&self.buffer)?;
        if line.event != END {
            let frame = decode(&self.buffer)?;
            self.frames += 1;
            return Ok(Some(frame));
        }
        let end = decode(&self.buffer)?;
        self.check_end(end)?;
        self.end = Some(end);
        Ok(None)
    }

    fn check_end(&mut self, end: End) -> Result<()> {
        if end.frames != self.frames {
            let message = format!(
                "the last line counts {} frames, but there are {}",
                end.frames, self.frames
            );
            let help =
                "restore the missing lines, or correct `frames` if lines were removed on purpose";
            return Err(Error::of(ErrorKind::Malformed, message).with_help(help));
        }
        let mut rest = Vec::new();
        let read = (&mut self.input).take(1).read_to_end(&mut rest);
        if read.map_err(unreadable)? > 0 {
            let error = Error::of(ErrorKind::Malformed, "unexpected data after the last line");
            return Err(error.with_help("split files that were joined"));
        }
        Ok(())
    }
}

fn read_header(input: &mut impl BufRead) -> Result<Header> {
    let mut first = Vec::new();
    let outcome = read_line(input, MAX_HEADER_LINE, &mut first);
    check_magic(&first, outcome.is_ok())?;
    outcome?;
    let line: VersionLine = decode(&first)?;
    match line.version {
        VERSION => decode(&first),
        newer if newer > VERSION => {
            let message = format!(
                "version {newer} of the recording format; versions up to {VERSION} can be read"
            );
            let help = "use a newer release of nri-compat or nri-conformance";
            Err(Error::of(ErrorKind::FutureVersion, message).with_help(help))
        }
        other => {
            let message = format!("unknown version {other} of the recording format");
            Err(Error::of(ErrorKind::Malformed, message))
        }
    }
}

/// Checks that the first line starts like that of a recording. A part of this start is enough if
/// the line is incomplete.
fn check_magic(first: &[u8], complete: bool) -> Result<()> {
    if first.starts_with(MAGIC) || (!complete && MAGIC.starts_with(first)) {
        return Ok(());
    }
    Err(Error::of(ErrorKind::Foreign, "not a recording of an NRI session")
        .with_help("name a file that was written by `nri-compat record`"))
}

/// Reads a line and removes its line feed.
fn read_line(input: &mut impl BufRead, max: usize, line: &mut Vec<u8>) -> Result<()> {
    let read = input.take(max as u64).read_until(b'\n', line);
    read.map_err(unreadable)?;
    match line.pop_if(|last| *last == b'\n') {
        Some(_) => Ok(()),
        None if line.len() < max => Err(truncated(line.is_empty())),
        None => {
            let message = format!("longer than {max} bytes");
            Err(Error::of(ErrorKind::TooLarge, message))
        }
    }
}

fn unreadable(error: io::Error) -> Error {
    Error::failed("cannot read the recording", error)
}

fn truncated(between_lines: bool) -> Error {
    let message = if between_lines {
        "the recording is truncated: its last line is missing"
    } else {
        "the recording is truncated in the middle of this line"
    };
    Error::of(ErrorKind::Truncated, message).with_help(
        "copy the file again, or record again and stop the recorder with SIGINT or SIGTERM, \
         which completes the file",
    )
}

fn decode<T: DeserializeOwned>(line: &[u8]) -> Result<T> {
    serde_json::from_slice(line).map_err(|error| {
        // The error already names the line of the recording; that of the JSON parser is always 1.
        let mut message = error.to_string();
        if let Some(end) = message.rfind(" at line ") {
            message.truncate(end);
        }
        let column = error.column();
        Error::of(ErrorKind::Malformed, format!("{message} (column {column})")).with_source(error)
    })
}
