//! Joins lines that a container runtime wrote in pieces: entries with the tag `P` of Kubernetes'
//! log format, and entries of Docker's json-file without a line end.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};

use serde::Deserialize;

use crate::stamp;

/// The number of bytes read at once.
const CHUNK: usize = 128 << 10;

/// The form in which lines are passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As entries, each with a complete line.
    Entries,
    /// Without the wrapper; an entry with a complete JSON object keeps it, for its time.
    Bare,
}

/// Reads a stream and joins the pieces of each line. Lines that are not entries are passed on
/// unchanged.
pub(crate) struct Joined<R> {
    input: BufReader<R>,
    form: Form,
    /// The maximum number of bytes of a line.
    limit: usize,
    /// The beginnings of unfinished lines of `stdout` and `stderr`.
    unfinished: [Vec<u8>; 2],
    ready: Vec<u8>,
    taken: usize,
}

/// The beginning of an entry of Docker's json-file.
const DOCKER: &str = "{\"log\":";

/// Returns true if a stream begins with an entry whose line may continue in the next entry. The
/// first entry may be the rest of one that a rotation cut.
pub(crate) fn is_in_entries(head: &str) -> bool {
    head.lines()
        .take(2)
        .any(|line| line.starts_with(DOCKER) || CriLine::parse(line).is_some())
}

impl<R: Read> Joined<R> {
    pub(crate) fn new(input: R, form: Form, limit: usize) -> Self {
        Self {
            input: BufReader::with_capacity(CHUNK, input),
            form,
            limit,
            unfinished: Default::default(),
            ready: Vec::new(),
            taken: 0,
        }
    }

    /// Reads the next line, which may be a piece that completes no line; at the end, outputs
    /// unfinished lines. Returns true if there was anything.
    fn fill(&mut self) -> io::Result<bool> {
        let mut line = std::mem::take(&mut self.ready);
        line.clear();
        self.taken = 0;
        let limit = self.limit as u64;
        self.input
            .by_ref()
            .take(limit)
            .read_until(b'\n', &mut line)?;
        if line.is_empty() {
            let [out, err] = &mut self.unfinished;
            let rest = if out.is_empty() { err } else { out };
            self.ready = std::mem::take(rest);
            return Ok(!self.ready.is_empty());
        }
        let entry = if self.is_complete(&line) {
            None
        } else {
            LogEntry::parse(&line)
        };
        self.ready = match entry {
            Some(entry) => self.entry(&entry, &line),
            None => line,
        };
        Ok(true)
    }

    /// Returns true if a line is surely an entry of Docker that needs no joining, which is faster to
    /// see than to parse it.
    fn is_complete(&self, line: &[u8]) -> bool {
        let is_joined =
            self.form == Form::Bare || self.unfinished.iter().any(|text| !text.is_empty());
        let after_text = || memchr::memmem::rfind(line, b"\",\"stream\":\"");
        !is_joined
            && line.starts_with(DOCKER.as_bytes())
            && after_text()
                .and_then(|end| line.get(..end))
                .is_some_and(|text| text.ends_with(b"\\n") && !text.ends_with(b"\\\\n"))
    }

    /// Returns the line that an entry completes, or nothing.
    fn entry(&mut self, entry: &LogEntry<'_>, line: &[u8]) -> Vec<u8> {
        let is_kept = !entry.is_partial && self.keeps(entry);
        let [out, err] = &mut self.unfinished;
        let unfinished = if entry.stream == "stdout" { out } else { err };
        if unfinished.is_empty() && is_kept {
            return line.to_owned();
        }
        if unfinished.is_empty() && self.form == Form::Entries {
            unfinished.extend_from_slice(entry.header().as_bytes());
        }
        unfinished.extend_from_slice(entry.text.as_bytes());
        if entry.is_partial && unfinished.len() < self.limit {
            return Vec::new();
        }
        let mut whole = std::mem::take(unfinished);
        if !whole.ends_with(b"\n") {
            whole.push(b'\n');
        }
        whole
    }

    /// Returns true if an entry with a complete line is passed on unchanged.
    fn keeps(&self, entry: &LogEntry<'_>) -> bool {
        let text = entry.text.trim();
        match self.form {
            Form::Entries => true,
            Form::Bare => text.starts_with('{') && text.ends_with('}') && text.len() > 2,
        }
    }
}

impl<R: Read> Read for Joined<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken >= self.ready.len() {
            if !self.fill()? {
                return Ok(0);
            }
        }
        let rest = self.ready.get(self.taken..).unwrap_or(&[]);
        let count = rest.len().min(buffer.len());
        for (to, from) in buffer.iter_mut().zip(rest) {
            *to = *from;
        }
        self.taken += count;
        Ok(count)
    }
}

/// A line, or a piece of one, in an entry of a container runtime.
struct LogEntry<'t> {
    stream: &'t str,
    time: Cow<'t, str>,
    is_partial: bool,
    text: Cow<'t, str>,
}

/// An entry of Docker's json-file.
#[derive(Deserialize)]
struct DockerLogEntry<'t> {
    #[serde(borrow)]
    log: Cow<'t, str>,
    #[serde(borrow)]
    stream: Cow<'t, str>,
    #[serde(borrow)]
    time: Cow<'t, str>,
}

impl<'t> LogEntry<'t> {
    fn parse(line: &'t [u8]) -> Option<Self> {
        let is_docker = line.starts_with(DOCKER.as_bytes());
        if !is_docker && !line.first()?.is_ascii_digit() {
            return None;
        }
        let line = std::str::from_utf8(line).ok()?;
        if is_docker {
            return Self::docker(line);
        }
        // A copy may have the line ends of Windows.
        let line = line.strip_suffix('\n').unwrap_or(line);
        let entry = CriLine::parse(line.strip_suffix('\r').unwrap_or(line))?;
        Some(Self {
            stream: entry.stream,
            time: entry.time.into(),
            is_partial: entry.is_partial,
            text: entry.text.into(),
        })
    }

    fn docker(line: &'t str) -> Option<Self> {
        let entry: DockerLogEntry<'_> = serde_json::from_str(line).ok()?;
        Some(Self {
            stream: if entry.stream == "stdout" {
                "stdout"
            } else {
                "stderr"
            },
            is_partial: !entry.log.ends_with('\n'),
            time: entry.time,
            text: entry.log,
        })
    }

    fn header(&self) -> String {
        format!("{} {} F ", self.time, self.stream)
    }
}

/// A line of a container's log, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CriLine<'t> {
    /// The time of the entry.
    time: &'t str,
    /// `stdout` or `stderr`.
    stream: &'t str,
    /// True if the line continues in the next entry of the stream: tag `P`.
    is_partial: bool,
    /// The text after the tags.
    text: &'t str,
}

impl<'t> CriLine<'t> {
    /// Parses a line without its line end.
    fn parse(line: &'t str) -> Option<Self> {
        let (time, rest) = line.split_once(' ')?;
        let (stream, rest) = rest.split_once(' ')?;
        let (tags, text) = rest.split_once(' ').unwrap_or((rest, ""));
        let is_partial = match tags.split(':').next()? {
            "P" => true,
            "F" => false,
            _ => return None,
        };
        stamp::rfc3339(time)?;
        matches!(stream, "stdout" | "stderr").then_some(Self {
            time,
            stream,
            is_partial,
            text,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_joined_whatever_ends_their_lines() {
        let (first, second) = ("T10:00:00Z stdout P {\"a\":", "T10:00:01Z stdout F 1}");
        for end in ["\n", "\r\n"] {
            let log = format!("2026-11-22{first}{end}2026-11-22{second}{end}");
            let mut joined = String::new();
            let mut reader = Joined::new(log.as_bytes(), Form::Bare, 1024);
            reader.read_to_string(&mut joined).expect("readable");
            assert_eq!(joined, "{\"a\":1}\n");
        }
    }

    #[test]
    fn entries_of_docker_are_joined_wherever_they_were_split() {
        let entry = |text: &str| {
            let time = "2026-11-22T10:00:00Z";
            let entry = serde_json::json!({"log": text, "stream": "stderr", "time": time});
            format!("{entry}\n")
        };
        let text = "level=info msg=\"\\n\",\"stream\":\"x\"\n";
        for at in 1..text.len() - 1 {
            let (first, second) = text.split_at(at);
            let log = format!("{}{}{}", entry("before\n"), entry(first), entry(second));
            assert!(is_in_entries(&log));
            let mut joined = String::new();
            let mut reader = Joined::new(log.as_bytes(), Form::Entries, 1024);
            reader.read_to_string(&mut joined).expect("readable");
            let whole = format!("2026-11-22T10:00:00Z stderr F {text}");
            assert_eq!(joined, entry("before\n") + &whole, "{at}");
        }
    }
}
