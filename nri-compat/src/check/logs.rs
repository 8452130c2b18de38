//! Logs of runtimes: the plugins that they warn about for `StateChange` or as v0.1.0 plugins, those
//! that registered, and incidents: why a plugin was refused, closed, or not heard.
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

mod document;
mod fact;
mod incidents;
mod inputs;
mod json;
mod life;
mod logfmt;
mod period;
mod record;
mod room;
mod scan;
mod source;
mod subject;
mod table;
mod tally;
mod unwrap;
mod wording;

use std::collections::BTreeMap;
use std::io::Read;

use crate::check::progress::Progress;
use crate::place::Place;
use crate::sighting::Sighting;
use crate::skipped::{SkipKind, Skipped, Unreadable};
use life::Registrations;
use record::Field;
use scan::Scanner;
use tally::Tally;

pub use inputs::read_logs;
pub use period::{Period, parse as parse_time};
pub use scan::LONGEST_LINE;
pub(crate) use source::is_log;
pub(crate) use tally::incomplete;

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

/// Reads a whole log, plain or compressed with gzip, zstd, xz or bzip2; `place` is its location.
/// Everything before a part that cannot be read is kept.
pub fn read(place: &Place, input: &mut dyn Read) -> Log {
    let mut reading = Reading::default();
    reading.log(place, input, None);
    reading.finish()
}

/// Returns true if a part that could not be read may have a warning that counts. Lines of the kind
/// `Broken` have one, which counts already. A file that is not text counts only if it was `named`
/// as a log.
pub(crate) fn may_hide_warnings(kind: SkipKind, named: bool) -> bool {
    let is_counted = matches!(kind, SkipKind::Broken | SkipKind::NotFound);
    let may_be_log = kind.may_hold_plugin() && kind != SkipKind::UnsupportedFormat;
    !is_counted && (named || may_be_log)
}

/// The reason for skipping a file that has no lines.
const NOT_TEXT: &str = "is not text; convert it to text, or unpack it, and read it again";

/// Why lines do not count, and the end of a sentence about them.
type Reason = (SkipKind, &'static str);

const TOO_LONG: Reason = (SkipKind::Limit, "longer than 256 MiB");
const BEYOND: Reason = (SkipKind::Limit, "about plugins beyond the limit");
const TRUNCATED: Reason =
    (SkipKind::Broken, "with a warning about a plugin, truncated or in an unknown format");
const DROPPED: Reason =
    (SkipKind::Broken, "about messages that the journal dropped: warnings may be missing; ");

/// Logs that are read one after the other.
#[derive(Default)]
struct Reading<'o> {
    options: Options<'o>,
    tally: Tally,
    /// The last registrations in the current log.
    registrations: Registrations,
    /// The lines of the current log that do not count: their number, and the first one if it is to
    /// be shown.
    unread: BTreeMap<Reason, (u64, String)>,
    /// The parts of the current log that could not be read.
    skipped: Vec<Skipped>,
    bytes: u64,
}

impl Reading<'_> {
    /// Reads a log in a file with this extension.
    fn log(&mut self, place: &Place, input: &mut dyn Read, extension: Option<&str>) {
        let (mut is_binary, mut found) = (false, false);
        let mut scanner = Scanner::default();
        self.registrations = Registrations::default();
        let read = source::open(input, extension).and_then(|(mut lines, begins_binary)| {
            is_binary = begins_binary;
            scanner.scan(&mut lines, self.options.progress, &mut |number, line| {
                found |= self.line(place, number, line);
            })
        });
        self.bytes += scanner.bytes;
        self.count(TOO_LONG, scanner.too_long, "");
        let mut skip = |kind, reason| self.skipped.push(Skipped::new(place.clone(), kind, reason));
        if let Err(error) = read {
            let reason = format!("cannot be read to its end: {error}");
            skip(Unreadable::from(&error).kind, reason);
        }
        for ((kind, lines), (count, shown)) in std::mem::take(&mut self.unread) {
            let plural = if count == 1 { "" } else { "s" };
            skip(kind, format!("{count} line{plural} {lines}{shown}"));
        }
        if is_binary && !found && self.skipped.is_empty() {
            let skipped = Skipped::new(place.clone(), SkipKind::UnsupportedFormat, NOT_TEXT);
            self.skipped.push(skipped);
        }
    }

    /// Adds the statements in a line that were made within the period. Returns true if there are
    /// any.
    fn line(&mut self, place: &Place, number: u64, line: &str) -> bool {
        let shown = format!("line {number}: {}", fact::clean(line));
        let place = Place { line: u32::try_from(number).ok(), ..place.clone() };
        let mut found = unwrap::statements(line);
        found.retain(|(record, _)| self.options.period.may_contain(record.get(&Field::Time)));
        let mut is_any = false;
        let is_whole = line.ends_with('\n');
        for mut statement in found {
            let host = statement.0.get(&Field::Host);
            if !self.registrations.follow(host, &mut statement.1) || statement.1.note.is_empty() {
                continue;
            }
            is_any = true;
            let topic = &statement.1.topic;
            let is_cut = !is_whole && tally::has_longer_name(&self.tally, topic);
            self.count(TRUNCATED, u64::from(is_cut || topic.0.is_unread()), "");
            if is_cut {
                continue;
            }
            let is_beyond = !tally::add(&mut self.tally, statement, &place, &shown);
            self.count(BEYOND, u64::from(is_beyond), "");
        }
        self.count(DROPPED, u64::from(fact::is_about_dropped(line)), &shown);
        is_any
    }

    fn count(&mut self, reason: Reason, count: u64, shown: &str) {
        if count > 0 {
            let unread = self.unread.entry(reason);
            unread.or_insert_with(|| (0, shown.to_owned())).0 += count;
        }
    }

    fn finish(mut self) -> Log {
        tally::join(&mut self.tally);
        let tally = self.tally.into_iter();
        Log {
            sightings: tally.map(tally::sighting).collect(),
            skipped: self.skipped,
            bytes: self.bytes,
        }
    }
}
