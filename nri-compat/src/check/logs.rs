//! Logs of runtimes: who is warned of for `StateChange` or as a v0.1.0 plugin, who registered, who was closed.
//!
//! A log of any size is read once, in constant memory. One search for one word finds the few lines that matter; only
//! those are taken apart, skin by skin: a collector's JSON, journald's, containerd's.
//!
//! ```
//! use nri_compat::check::logs;
//!
//! let log = br#"Mar 18 20:15:04 node-1 containerd[195]: time="2026-03-18T20:15:04.861Z" level=warning msg="NRI plugin uses a deprecated interface." deprecated=StateChange details="does not implement RunPodSandbox" plugin=10-template"#;
//! let read = logs::read("containerd.log", &mut &log[..]);
//! let plugin = &read.sightings[0];
//! assert_eq!((plugin.index.as_deref(), plugin.name.as_deref()), (Some("10"), Some("template")));
//! assert_eq!(plugin.events.names, ["RunPodSandbox"]);
//! ```

mod fact;
mod format;
mod inputs;
mod marker;
mod reader;
mod scan;
mod sightings;
mod source;
pub(crate) mod stamp;
mod tally;

use std::io::Read;

use crate::check::place::Place;
use crate::check::progress::Progress;
use crate::check::sighting::Sighting;
use crate::check::skipped::{SkipKind, Skipped, Unreadable};

pub use inputs::read_logs;
pub use reader::LogReader;
pub use scan::LONGEST_LINE;
use sightings::READER;

/// What was read of one log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// Plugins that it names, and entries of a list of deprecations, in this order: by kind, then by name.
    pub sightings: Vec<Sighting>,
    /// What of it could not be read, and why.
    pub skipped: Vec<Skipped>,
    /// Bytes read, unpacked.
    pub bytes: u64,
}

/// Reads a log from its first byte to its last, plain, gzip or zstd; `place` is where it is. What stood
/// before a place that cannot be read is kept.
pub fn read(place: &Place, input: &mut dyn Read) -> Log {
    read_with(place, input, None)
}

/// The same, counting along.
pub fn read_with(place: &Place, input: &mut dyn Read, progress: Option<&Progress>) -> Log {
    let mut reading = Reading {
        progress,
        ..Reading::default()
    };
    let end = source::unpacked(input).and_then(|mut text| scan::scan(&mut *text, &mut reading));
    let mut log = Log {
        bytes: reading.bytes,
        ..Log::default()
    };
    let mut skip = |kind, reason: String| {
        log.skipped.push(Skipped::new(place.clone(), kind, reason));
    };
    if let Err(error) = end {
        let reason = format!("cannot be read to its end: {error}");
        skip(Unreadable::from(&error).kind, reason);
    }
    for reason in reading.skipped() {
        skip(SkipKind::Broken, reason);
    }
    log.sightings = sightings::sightings(place, reading.tally);
    log
}

/// The line that log collectors and journald wrapped, and the time that they say.
pub(crate) fn unwrap(line: &[u8]) -> (Option<String>, String) {
    let (around, said) = format::read(line);
    match said {
        format::Said::Message(message) => (around.time, message.text),
        _ => (around.time, String::new()),
    }
}

/// What is known so far of a log that is being read.
#[derive(Default)]
struct Reading<'p> {
    tally: tally::Tally,
    progress: Option<&'p Progress>,
    /// An entry of a list in JSON whose time is yet to come: its id, and how many lines it may take.
    entry: Option<(String, u8)>,
    bytes: u64,
    too_long: u64,
    garbled: u64,
}

/// Lines of an entry of a list in JSON after that with its id: message, time.
const REST_OF_ENTRY: u8 = 3;

impl Reading<'_> {
    fn skipped(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        let mut count = |count: u64, what: &str| match count {
            0 => {}
            1 => reasons.push(format!("1 line {what}")),
            _ => reasons.push(format!("{count} lines {what}")),
        };
        count(
            self.too_long,
            &format!("longer than {} MiB", LONGEST_LINE >> 20),
        );
        count(
            self.garbled,
            "with a warning about StateChange, cut or in no known format",
        );
        count(self.tally.beyond, "about more plugins than are kept apart");
        reasons
    }

    fn message(
        &mut self,
        line: &[u8],
        ended: bool,
        message: &format::Message,
        around: &format::Around,
    ) {
        let mut facts = fact::facts(message);
        if !ended {
            facts.retain(|fact| !self.is_cut(line, fact));
        }
        if facts.is_empty() && fact::is_garbled(line) {
            self.garbled += 1;
        }
        for fact in facts {
            self.tally.add(fact, around);
        }
    }

    /// Whether the line was cut within the plugin's name: it ends with the beginning of another's.
    fn is_cut(&self, line: &[u8], fact: &fact::Fact) -> bool {
        let name = fact
            .plugin
            .as_deref()
            .filter(|name| line.ends_with(name.as_bytes()));
        name.is_some_and(|name| self.tally.has_longer(name))
    }

    fn listed(&mut self, entries: Vec<(String, Option<String>)>, around: &format::Around) {
        for (id, time) in entries {
            let around = format::Around {
                time,
                ..around.clone()
            };
            let waits = self.tally.listed(&id, &around) && around.time.is_none();
            self.entry = waits.then_some((id, REST_OF_ENTRY));
        }
    }

    /// Counts down to where an entry must have had its time.
    fn count_down(&mut self) {
        if let Some((_, left)) = &mut self.entry {
            *left -= 1;
        }
        self.entry.take_if(|(_, left)| *left == 0);
    }
}

impl scan::Sink for Reading<'_> {
    fn line(&mut self, line: &[u8], ended: bool) -> bool {
        let (around, said) = format::read(line);
        self.count_down();
        match said {
            format::Said::Message(message) => self.message(line, ended, &message, &around),
            format::Said::Listed(entries) => self.listed(entries, &around),
            format::Said::ListedAt(time) => {
                if let Some((id, _)) = self.entry.take() {
                    self.tally.listed_at(&id, &time);
                }
            }
        }
        self.entry.is_some()
    }

    fn read(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        if let Some(progress) = self.progress {
            progress.read(bytes as u64);
        }
    }

    fn too_long(&mut self) {
        self.too_long += 1;
    }
}
