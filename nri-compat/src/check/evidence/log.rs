//! Logs of containerd and CRI-O.

use super::{Reader, Unreadable};
use crate::check::content::{File, Stream};
use crate::check::logs;
use crate::packing::Packing;
use crate::sighting::{LOG_READER, Sighting};

/// The reader of logs, which accepts only files that begin like a log.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LogReader;

impl Reader for LogReader {
    fn name(&self) -> &'static str {
        LOG_READER
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        if Packing::detect(&file.head) != Packing::Not {
            return logs::is_log(file.head.unpacked());
        }
        logs::is_log(&file.head)
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let log = logs::read(&file.place, &mut Stream::new(file.content));
        match log.skipped.first() {
            Some(skipped) if log.sightings.is_empty() => {
                Err(Unreadable::new(skipped.kind, skipped.reason.clone()))
            }
            Some(_) | None => Ok(log.with_notes()),
        }
    }
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
