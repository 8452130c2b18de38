//! The reader of logs for `check`, which reads any file: it accepts only files that begin like a
//! log of a known format.

use super::format;
use super::{Log, READER, may_hide_warnings, read, sightings, source};
use crate::check::content::{File, Stream};
use crate::check::evidence::{Reader, Unreadable};
use crate::check::head::{HEAD, HEAD_LINES};
use crate::packing::Packing;
use crate::sighting::{Evidence, Sighting};

/// The reader of logs of containerd and CRI-O, which it recognises by their first lines.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogReader;

impl Reader for LogReader {
    fn name(&self) -> &'static str {
        READER
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        if Packing::of(&file.head) != Packing::Not {
            return is_log(&source::head(file.head.unpacked(), HEAD));
        }
        is_log(&file.head)
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let log = read(&file.place, &mut Stream::new(file.content));
        if log.sightings.is_empty()
            && let Some(skipped) = log.skipped.first()
        {
            return Err(Unreadable::new(skipped.kind, skipped.reason.clone()));
        }
        Ok(with_notes(log))
    }
}

/// Returns the sightings, each with the parts of the log that could not be read, and one of the log
/// itself if these parts may have warnings.
fn with_notes(log: Log) -> Vec<Sighting> {
    let mut hiding = log.skipped.iter();
    let hiding = hiding.find(|skipped| may_hide_warnings(skipped, true));
    let incomplete = hiding.map(sightings::incomplete);
    let mut sightings = log.sightings;
    for sighting in &mut sightings {
        let notes = log.skipped.iter().map(|skipped| Evidence {
            reader: READER,
            detail: format!("not read: {}", skipped.reason),
        });
        sighting.evidence.extend(notes);
    }
    sightings.extend(incomplete);
    sightings
}

/// Adds to the evidence that a log consists of several files.
pub(super) fn note_rotated_set(sightings: &mut [Sighting], files: usize) {
    for sighting in sightings {
        // The number counts the lines of all files.
        sighting.place.line = None;
        sighting.evidence.push(Evidence {
            reader: READER,
            detail: format!("read from a rotated set of {files} files"),
        });
    }
}

/// Returns true if text begins like a log: as a list of deprecations, or with a line in a known
/// format.
fn is_log(head: &[u8]) -> bool {
    if source::is_binary(head) {
        return false;
    }
    let first = first_lines(head);
    format::may_be_list(first) && format::is_list(&String::from_utf8_lossy(first))
        || first
            .split(|byte| *byte == b'\n')
            .filter(|line| format::may_have_time(line))
            .any(|line| format::is_sure(&String::from_utf8_lossy(line)))
}

/// Returns the first [`HEAD_LINES`] lines.
fn first_lines(head: &[u8]) -> &[u8] {
    let mut ends = memchr::memchr_iter(b'\n', head);
    let end = ends.nth(HEAD_LINES - 1).unwrap_or(head.len());
    &head[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recognised(head: &[u8]) -> bool {
        LogReader.recognises(&File {
            place: "a".into(),
            name: "a".to_owned(),
            head: head.to_vec().into(),
            content: &head,
            disk: None,
        })
    }

    #[test]
    fn logs_and_lists_of_deprecations_are_recognised() {
        for head in [
            "time=\"2026-11-21T11:47:18Z\" level=info msg=\"starting\"\n",
            "{\"level\":\"info\",\"msg\":\"starting\",\"time\":\"2026-11-21T11:47:18Z\"}\n",
            "rest of a line that was cut\nNov 21 11:47:18 node-1 kernel: booted\n",
            "{\"log\":\"a\\n\",\"stream\":\"stderr\",\"time\":\"2026-11-21T11:47:18.9Z\"}",
            "2026-11-21T11:47:18.9Z stderr F starting",
            "\0\0\0\x002026-11-21T11:47:18.9Z stderr F starting",
            "ID    LAST OCCURRENCE    MESSAGE",
            "[\n    {\n        \"id\": \"io.containerd.deprecation/cgroup-v1\",\n",
        ] {
            assert!(recognised(head.as_bytes()), "{head}");
            assert!(
                recognised(&zstd::encode_all(head.as_bytes(), 1).expect("packed")),
                "{head}"
            );
        }
    }

    #[test]
    fn other_files_are_not() {
        for head in [
            "",
            "module example.com/plugin\n\nrequire github.com/containerd/nri v0.11.0\n",
            "[package]\nname = \"time\"\nversion = \"1.0.0\"\n",
            "{\"name\":\"a\",\"time\":\"2026-11-21T11:47:18Z\"}",
            "#!/bin/sh\nset -e: x\nmsg=hello\n",
            "key: value\nother: value\n",
            "\x7fELF\x02\x01\x01\0\0\0\0\0\n2026-11-21T11:47:18.9Z stderr F starting\n",
        ] {
            assert!(!recognised(head.as_bytes()), "{head}");
        }
    }
}
