//! Logs of runtimes: the plugins that they warn about for `StateChange` or as v0.1.0 plugins, and
//! those that registered or were closed.
//!
//! A log of any size is read once, in constant memory. A search for one word finds the few relevant
//! lines; only those are parsed, one wrapper after the other: JSON of a collector, journald's
//! format, containerd's format.
//!
//! ```
//! use nri_compat::check::logs;
//! use nri_compat::place::Place;
//!
//! let log = br#"Mar 18 20:15:04 node-1 containerd[195]: time="2026-03-18T20:15:04.861Z" level=warning msg="NRI plugin uses a deprecated interface." deprecated=StateChange details="does not implement RunPodSandbox" plugin=10-template"#;
//! let read = logs::read(&Place::of("containerd.log".as_ref()), &mut &log[..]);
//! let plugin = &read.sightings[0];
//! assert_eq!((plugin.index.as_deref(), plugin.name.as_deref()), (Some("10"), Some("template")));
//! assert_eq!(plugin.events.names, ["RunPodSandbox"]);
//! ```

mod fact;
mod folders;
mod format;
mod inputs;
mod line_handler;
mod marker;
mod period;
pub(crate) mod pieces;
mod reader;
mod record;
mod rotation;
mod scan;
mod sightings;
mod source;
pub(crate) mod stamp;
mod tally;

use std::io::Read;

use crate::check::progress::Progress;
use crate::place::Place;
use crate::sighting::Sighting;
use crate::skipped::{SkipKind, Skipped, Unreadable};
use format::Statement;
use line_handler::{FoundLine, LineHandler};
use record::Origin;

pub(crate) use format::unwrap_once;
pub use inputs::read_logs;
pub use period::{Period, parse as parse_time};
pub use reader::LogReader;
pub use scan::LONGEST_LINE;
use sightings::READER;

/// The content of one log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// Plugins that it names, and entries of a list of deprecations, sorted by kind, then by name.
    pub sightings: Vec<Sighting>,
    /// The parts that could not be read, with the reasons.
    pub skipped: Vec<Skipped>,
    /// The number of bytes read, decompressed.
    pub bytes: u64,
}

/// Options for reading a log.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'p> {
    /// The period to report.
    pub period: Period,
    /// The counters of a progress display.
    pub progress: Option<&'p Progress>,
}

/// Reads a whole log, plain or compressed with gzip, zstd or xz; `place` is its location.
/// Everything before a part that cannot be read is kept.
pub fn read(place: &Place, input: &mut dyn Read) -> Log {
    read_with(place, input, &Options::default())
}

/// Reads a log with options.
pub fn read_with(place: &Place, input: &mut dyn Read, options: &Options<'_>) -> Log {
    match source::lines(input) {
        Ok(mut lines) => read_lines(place, &mut *lines, options),
        Err(error) => Log {
            skipped: vec![unreadable(place, &error)],
            ..Log::default()
        },
    }
}

/// Reads a decompressed log.
fn read_lines(place: &Place, lines: &mut dyn Read, options: &Options<'_>) -> Log {
    let mut reading = Reading {
        options: *options,
        ..Reading::default()
    };
    let mut lines = source::Noted::new(lines);
    let end = scan::scan(&mut lines, &mut reading);
    let mut skipped: Vec<Skipped> = end
        .err()
        .iter()
        .map(|error| unreadable(place, error))
        .collect();
    let unread = reading.skipped().into_iter();
    skipped.extend(unread.map(|(kind, reason)| Skipped::new(place.clone(), kind, reason)));
    let bytes = reading.bytes;
    let sightings = sightings::sightings(place, reading.tally);
    if sightings.is_empty() && skipped.is_empty() && lines.is_binary() {
        skipped.push(Skipped::new(
            place.clone(),
            SkipKind::UnsupportedFormat,
            NOT_TEXT,
        ));
    }
    Log {
        bytes,
        skipped,
        sightings,
    }
}

/// Returns true if a part that could not be read may have a warning that counts. Lines of the kind
/// `Broken` have one, which counts already; what is not a text counts only if it was `named` as a
/// log.
fn may_hide_warnings(skipped: &Skipped, named: bool) -> bool {
    match skipped.kind {
        SkipKind::Broken | SkipKind::NotFound => false,
        SkipKind::UnsupportedFormat
        | SkipKind::SpecialFile
        | SkipKind::PseudoFilesystem
        | SkipKind::Link => named,
        SkipKind::Permission
        | SkipKind::TooLarge
        | SkipKind::Limit
        | SkipKind::UnsupportedCompression
        | SkipKind::NestedArchive
        | SkipKind::Truncated
        | SkipKind::Changed
        | SkipKind::Defect
        | SkipKind::Io => true,
    }
}

/// The reason for skipping a file that has no lines.
const NOT_TEXT: &str = "is not text; convert it to text, or unpack it, and read it again";

fn unreadable(place: &Place, error: &std::io::Error) -> Skipped {
    let reason = format!("cannot be read to its end: {error}");
    Skipped::new(place.clone(), Unreadable::from(error).kind, reason)
}

/// The state of a log that is being read.
#[derive(Default)]
struct Reading<'p> {
    tally: tally::Tally,
    options: Options<'p>,
    /// The id of an entry of a JSON list whose time has not been read yet, and the number of lines
    /// in which the time may follow.
    entry: Option<(String, u8)>,
    bytes: u64,
    /// The number of lines that say that messages were dropped.
    suppressed: u64,
    /// The number of lines that are too long.
    too_long: u64,
}

/// The number of lines of an entry of a JSON list after its id: message, time.
const REST_OF_ENTRY: u8 = 3;

impl Reading<'_> {
    /// Returns the lines that could not be read, by the reason.
    fn skipped(&self) -> Vec<(SkipKind, String)> {
        let mut reasons = Vec::new();
        let mut count = |kind, count: u64, lines: &str| match count {
            0 => {}
            1 => reasons.push((kind, format!("1 line {lines}"))),
            _ => reasons.push((kind, format!("{count} lines {lines}"))),
        };
        let too_long = format!("longer than {} MiB", LONGEST_LINE >> 20);
        count(SkipKind::Limit, self.too_long, &too_long);
        count(
            SkipKind::Broken,
            self.tally.unread_lines(),
            "with a warning about a plugin, truncated or in an unknown format",
        );
        let suppressed = "about messages that the journal dropped: warnings may be missing";
        count(SkipKind::Broken, self.suppressed, suppressed);
        let beyond = "about plugins beyond the limit";
        count(SkipKind::Limit, self.tally.beyond, beyond);
        reasons
    }

    /// Adds a statement, if it was made within the period.
    fn add(&mut self, statement: Statement, origin: Origin) {
        let time = match &statement {
            Statement::Deprecation(_, time) => time.as_ref(),
            Statement::LastOccurrence(time) => Some(time),
            Statement::Fact(_) | Statement::Unread(_) => origin.time.as_ref(),
        };
        if !self.options.period.may_contain(time.map(String::as_str)) {
            return;
        }
        match statement {
            Statement::Fact(fact) => self.tally.add(fact, &origin),
            // The list of deprecations contains the same message.
            Statement::Unread(_) if self.entry.is_some() => {}
            Statement::Unread(warning) => self.tally.unread(warning, &origin),
            Statement::Deprecation(id, time) => self.listed(id, Origin { time, ..origin }),
            Statement::LastOccurrence(time) => {
                if let Some((id, _)) = self.entry.take() {
                    self.tally.listed_at(&id, &time);
                }
            }
        }
    }

    fn listed(&mut self, id: String, origin: Origin) {
        let waits = self.tally.listed(&id, &origin) && origin.time.is_none();
        self.entry = waits.then_some((id, REST_OF_ENTRY));
    }

    /// Returns true if the line was cut within the name of the plugin: it ends with the beginning
    /// of another name.
    fn is_cut(&self, line: &[u8], statement: &Statement) -> bool {
        let Statement::Fact(fact) = statement else {
            return false;
        };
        let name = fact
            .plugin
            .as_deref()
            .filter(|name| line.ends_with(name.as_bytes()));
        name.is_some_and(|name| self.tally.has_longer(name))
    }

    /// Counts down to the last line on which an entry can have its time.
    fn count_down(&mut self) {
        if let Some((_, left)) = &mut self.entry {
            *left -= 1;
        }
        self.entry.take_if(|(_, left)| *left == 0);
    }
}

/// Returns true if journald or rsyslog says in a line that it dropped messages: `Suppressed 12 messages from
/// containerd.service`, `imjournal: 12 messages lost due to rate-limiting`.
fn is_suppression(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let follows_number = |before: &str| {
        let number = before.rsplit(' ').next().unwrap_or_default();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    let by_journald = text
        .split_once(" messages from ")
        .is_some_and(|(before, _)| before.contains("Suppressed ") && follows_number(before));
    let by_rsyslog = text
        .split_once(" messages lost due to rate-limiting")
        .is_some_and(|(before, _)| follows_number(before));
    let is_from = |names: [&str; 2]| names.iter().any(|name| text.contains(name));
    by_journald && is_from(["journald", "JOURNAL"])
        || by_rsyslog && is_from(["rsyslog", "imjournal"])
}

impl LineHandler for Reading<'_> {
    fn line(&mut self, line: FoundLine<'_>) -> bool {
        self.count_down();
        for (mut origin, statement) in format::read(line.bytes) {
            if line.ended || !self.is_cut(line.bytes, &statement) {
                origin.line = Some((
                    line.number,
                    fact::clean(&String::from_utf8_lossy(line.bytes)),
                ));
                self.add(statement, origin);
            }
        }
        self.suppressed += u64::from(is_suppression(line.bytes));
        self.entry.is_some()
    }

    fn read(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        if let Some(progress) = self.options.progress {
            progress.read(bytes as u64);
        }
    }

    fn too_long(&mut self) {
        self.too_long += 1;
    }
}
