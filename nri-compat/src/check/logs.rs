//! Logs of runtimes: the plugins that they warn about for `StateChange` or as v0.1.0 plugins, and
//! those that registered or were closed.
//!
//! A log of any size is read once, in constant memory. A search for a few words finds the relevant
//! lines; only those are parsed: the texts in any JSON, then the records of a runtime in them.
//!
//! ```
//! use nri_compat::check::logs;
//! use nri_compat::place::Place;
//!
//! let log = br#"Mar 18 20:15:04 node-1 containerd[195]: time="2026-03-18T20:15:04.861Z" level=warning msg="NRI plugin uses a deprecated interface." deprecated=StateChange details="does not implement RunPodSandbox" plugin=10-template"#;
//! let read = logs::read(&Place::from_path("containerd.log".as_ref()), &mut &log[..]);
//! let plugin = &read.sightings[0];
//! assert_eq!((plugin.index.as_deref(), plugin.name.as_deref()), (Some("10"), Some("template")));
//! assert_eq!(plugin.events.names, ["RunPodSandbox"]);
//! ```

mod context;
mod fact;
mod folders;
mod inputs;
mod json;
mod logfmt;
mod period;
mod recognise;
mod rotation;
mod scan;
mod sightings;
mod source;
mod tally;
mod unwrap;

use std::io::Read;
use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::check::progress::Progress;
use crate::place::Place;
use crate::sighting::{Evidence, LOG_READER, Sighting};
use crate::skipped::{SkipKind, Skipped, Unreadable};
use context::Context;
use fact::Statement;
use scan::{FoundLine, LineHandler};
use tally::Origin;

pub use inputs::read_logs;
pub use period::{Period, parse as parse_time};
pub(crate) use recognise::is_log;
pub use scan::LONGEST_LINE;

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

impl Log {
    /// Returns the sightings, each with the parts of the log that could not be read, and one of the log
    /// itself if these parts may have warnings.
    pub(crate) fn with_notes(self) -> Vec<Sighting> {
        let mut hiding = self.skipped.iter();
        let hiding = hiding.find(|skipped| may_hide_warnings(skipped, true));
        let incomplete = hiding.map(sightings::incomplete);
        let mut sightings = self.sightings;
        for sighting in &mut sightings {
            let notes = self.skipped.iter().map(|skipped| Evidence {
                reader: LOG_READER,
                detail: format!("not read: {}", skipped.reason),
            });
            sighting.evidence.extend(notes);
        }
        sightings.extend(incomplete);
        sightings
    }
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
pub(crate) fn read_with(place: &Place, input: &mut dyn Read, options: &Options<'_>) -> Log {
    match source::lines(input, None) {
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
    bytes: u64,
    /// The first line that says that messages were dropped, and the number of such lines.
    suppressed: Option<(String, u64)>,
    /// The number of lines that are too long.
    too_long: u64,
}

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
        let truncated = "with a warning about a plugin, truncated or in an unknown format";
        count(SkipKind::Broken, self.tally.unread_lines(), truncated);
        if let Some((line, lines)) = &self.suppressed {
            let dropped = "about messages that the journal dropped: warnings may be missing";
            count(SkipKind::Broken, *lines, &format!("{dropped}; {line}"));
        }
        let beyond = "about plugins beyond the limit";
        count(SkipKind::Limit, self.tally.beyond, beyond);
        reasons
    }

    /// Adds a statement, if it was made within the period.
    fn add(&mut self, context: Context, statement: Statement, line: FoundLine<'_>) {
        let is_cut = !line.ended && self.is_cut(line.bytes, &statement);
        let period = &self.options.period;
        if !is_cut && period.may_contain(context.time.as_deref()) {
            self.tally.add(statement, &Origin::new(context, line));
        }
    }

    /// Returns true if the line was cut within the name of the plugin: it ends with the beginning
    /// of another name.
    fn is_cut(&self, line: &[u8], statement: &Statement) -> bool {
        let Statement::Fact(Some(name), _) = statement else {
            return false;
        };
        line.ends_with(name.as_bytes()) && self.tally.has_longer(name)
    }
}

/// Returns true if journald or rsyslog says in a line that it dropped messages: `Suppressed 12 messages from
/// containerd.service`, `imjournal: 12 messages lost due to rate-limiting`.
fn is_suppression(line: &[u8]) -> bool {
    static BY_JOURNALD: LazyLock<Regex> = LazyLock::new(|| {
        bytes_regex("Suppressed [0-9]+ messages from |Forwarding to syslog missed [0-9]+ messages")
    });
    static BY_RSYSLOG: LazyLock<Regex> = LazyLock::new(|| {
        bytes_regex(
            "[0-9]+ messages lost due to rate-limiting|lost [0-9]+ messages from pid [0-9]+ due to rate-limiting|begin to drop messages due to rate-limiting",
        )
    });
    let is_from = |names: [&str; 3]| {
        let mut names = names.iter();
        names.any(|name| memchr::memmem::find(line, name.as_bytes()).is_some())
    };
    BY_JOURNALD.is_match(line) && is_from(["journald", "JOURNAL", "systemd-journal"])
        || BY_RSYSLOG.is_match(line) && is_from(["rsyslog", "imjournal", "imuxsock"])
}

fn bytes_regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant")
}

impl LineHandler for Reading<'_> {
    fn line(&mut self, line: FoundLine<'_>) {
        for (context, statement) in unwrap::statements(line.bytes) {
            self.add(context, statement, line);
        }
        if is_suppression(line.bytes) {
            let first = || {
                (
                    format!("line {}: {}", line.number, fact::clean_bytes(line.bytes)),
                    0,
                )
            };
            self.suppressed.get_or_insert_with(first).1 += 1;
        }
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
