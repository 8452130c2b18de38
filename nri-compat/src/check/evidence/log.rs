//! Logs of containerd and CRI-O.

use super::{Reader, Unreadable};
use crate::check::content::{File, Stream};
use crate::check::logs::{self, Log};
use crate::sighting::{LOG_READER, Sighting};

/// The reader of logs, which accepts only files that begin like a log.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LogReader;

impl Reader for LogReader {
    fn name(&self) -> &'static str {
        LOG_READER
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        logs::is_log(&file.head) || logs::is_log(file.head.unpacked())
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let log = logs::read(&file.place, &mut Stream::new(file.content));
        match log.skipped.first() {
            Some(skipped) if log.sightings.is_empty() => {
                Err(Unreadable::new(skipped.kind, skipped.reason.clone()))
            }
            Some(_) | None => Ok(with_unread(log)),
        }
    }
}

/// Returns the sightings in a log, each with the parts that could not be read, and one for each of
/// these parts that may have warnings.
fn with_unread(log: Log) -> Vec<Sighting> {
    let mut sightings = log.sightings;
    for skipped in &log.skipped {
        let incomplete = logs::incomplete(skipped);
        for sighting in &mut sightings {
            sighting.evidence.extend_from_slice(&incomplete.evidence);
        }
        if logs::may_hide_warnings(skipped.kind, true) {
            sightings.push(incomplete);
        }
    }
    sightings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_and_lists_of_deprecations_are_recognised() {
        let logs = [
            "time=\"2026-11-21T11:47:18Z\" level=info msg=\"starting\"\n",
            "{\"level\":\"info\",\"msg\":\"starting\",\"time\":\"2026-11-21T11:47:18Z\"}\n",
            "rest of a line that was cut\nNov 21 11:47:18 node-1 kernel: booted\n",
            "{\"log\":\"a\\n\",\"stream\":\"stderr\",\"time\":\"2026-11-21T11:47:18.9Z\"}",
            "2026-11-21T11:47:18.9Z stderr F starting",
            "\0\0\0\x002026-11-21T11:47:18.9Z stderr F starting",
            "ID    LAST OCCURRENCE    MESSAGE",
            "[\n    {\n        \"id\": \"io.containerd.deprecation/cgroup-v1\",\n",
        ];
        let others = [
            "",
            "module example.com/plugin\n\nrequire github.com/containerd/nri v0.11.0\n",
            "[package]\nname = \"time\"\nversion = \"1.0.0\"\n",
            "{\"name\":\"a\",\"time\":\"2026-11-21T11:47:18Z\"}",
            "#!/bin/sh\nset -e: x\nmsg=hello\n",
            "key: value\nother: value\n",
            "\x7fELF\x02\x01\x01\0\0\0\0\0\n2026-11-21T11:47:18.9Z stderr F starting\n",
        ];
        for (nth, head) in logs.iter().chain(&others).enumerate() {
            let is_log = nth < logs.len();
            assert_eq!(recognised(head.as_bytes()), is_log, "{head}");
            let packed = zstd::encode_all(head.as_bytes(), 1).expect("packed");
            assert_eq!(recognised(&packed), is_log, "{head}");
        }
    }

    fn recognised(head: &[u8]) -> bool {
        LogReader.recognises(&File {
            place: "a".into(),
            name: "a".to_owned(),
            head: head.to_vec().into(),
            content: &head,
            disk: None,
        })
    }
}
