//! Takes lines out of the entries of container runtimes, and joins those that were written in
//! pieces: entries with the tag `P` of Kubernetes' log format, and entries of Docker's json-file
//! without a line end.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};

use serde::Deserialize;

use crate::pieces::{PieceStream, Pieces};
use crate::stamp;

/// The lines in the entries of a stream. An entry with a complete JSON object is passed on
/// unchanged, for its time, like a line that is not an entry.
pub(crate) struct Joined<R> {
    input: BufReader<R>,
    /// The maximum number of bytes of a line.
    limit: usize,
    /// The beginnings of unfinished lines of `stderr` and `stdout`.
    unfinished: [Vec<u8>; 2],
}

/// The beginning of an entry of Docker's json-file.
const DOCKER: &str = "{\"log\":";

/// Returns true if a stream begins with an entry whose line may continue in the next entry. The
/// first entry may be the rest of one that a rotation cut.
pub(crate) fn is_in_entries(head: &str) -> bool {
    head.lines().take(2).any(|line| line.starts_with(DOCKER) || LogEntry::cri(line).is_some())
}

impl<R: Read> Joined<R> {
    /// Returns the lines in the entries of `input` as a stream.
    pub(crate) fn stream(input: R, limit: usize) -> PieceStream<Self> {
        let input = BufReader::new(input);
        PieceStream::new(Self { input, limit, unfinished: Default::default() })
    }

    /// Returns the line that an entry completes, or nothing; `None` if the entry is passed on
    /// unchanged.
    fn text(&mut self, entry: &LogEntry<'_>, is_ended: bool) -> Option<Vec<u8>> {
        let [err, out] = &mut self.unfinished;
        let is_stdout = entry.stream == "stdout";
        let unfinished = if is_stdout { out } else { err };
        let text = entry.text.trim();
        let is_object = text.starts_with('{') && text.ends_with('}') && text.len() > 2;
        if unfinished.is_empty() && is_object && !entry.is_partial {
            return None;
        }
        unfinished.extend_from_slice(entry.text.as_bytes());
        if entry.is_partial && unfinished.len() < self.limit {
            return Some(Vec::new());
        }
        if is_ended && !unfinished.ends_with(b"\n") {
            unfinished.push(b'\n');
        }
        Some(std::mem::take(unfinished))
    }
}

impl<R: Read> Pieces for Joined<R> {
    /// Reads the next line, which may be a piece that completes no line; at the end, the unfinished
    /// lines.
    fn next(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        let mut input = self.input.by_ref().take(self.limit as u64);
        if input.read_until(b'\n', line)? == 0 {
            let [err, out] = &mut self.unfinished;
            *line = std::mem::take(if out.is_empty() { err } else { out });
            return Ok(!line.is_empty());
        }
        let is_ended = line.ends_with(b"\n");
        let text = LogEntry::parse(line).and_then(|entry| self.text(&entry, is_ended));
        if let Some(text) = text {
            *line = text;
        }
        Ok(true)
    }
}

/// A line, or a piece of one, in an entry of a container runtime, or of Docker's json-file.
#[derive(Deserialize)]
struct LogEntry<'t> {
    #[serde(borrow)]
    stream: Cow<'t, str>,
    #[serde(borrow, rename = "log")]
    text: Cow<'t, str>,
    /// True if the line continues in the next entry of the stream.
    #[serde(skip)]
    is_partial: bool,
}

impl<'t> LogEntry<'t> {
    fn parse(line: &'t [u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?;
        if line.starts_with(DOCKER) {
            let mut entry: Self = serde_json::from_str(line).ok()?;
            entry.is_partial = !entry.text.ends_with('\n');
            return Some(entry);
        }
        // A copy may have the line ends of Windows.
        let line = line.strip_suffix('\n').unwrap_or(line);
        Self::cri(line.strip_suffix('\r').unwrap_or(line))
    }

    /// Parses a line without its line end.
    fn cri(line: &'t str) -> Option<Self> {
        let mut parts = line.splitn(4, ' ');
        let (time, stream, tags) = (parts.next()?, parts.next()?, parts.next()?);
        let tag = tags.split(':').next()?;
        let is_entry = matches!((stream, tag), ("stdout" | "stderr", "P" | "F"));
        let entry =
            Self { stream: stream.into(), text: parts.next()?.into(), is_partial: tag == "P" };
        (is_entry && stamp::rfc3339(time).is_some()).then_some(entry)
    }
}
