//! Reads the logs that the user named: files, folders, pipes, standard input.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::folders::Folders;
use super::rotation::{self, LogSet, SetReader};
use super::{Log, NOT_TEXT, Options, may_hide_warnings, read_lines, read_with, sightings};
use crate::check::collected::Collected;
use crate::place::Place;
use crate::skipped::{SkipKind, Skipped, Unreadable};

/// The path that means standard input.
const STDIN: &str = "-";

/// The name of standard input in reports.
const STDIN_SHOWN: &str = "<stdin>";

/// Reads logs one after the other. A log that cannot be read does not stop the others. The files of
/// a rotated set are one log, and a folder stands for the logs in it.
pub fn read_logs(paths: &[PathBuf], options: &Options<'_>) -> Collected {
    let start = Instant::now();
    let mut inputs = Inputs {
        options,
        folders: Folders::default(),
        named: BTreeSet::new(),
        collected: Collected::default(),
    };
    for path in paths {
        inputs.named(path);
    }
    for skipped in std::mem::take(&mut inputs.folders.skipped) {
        inputs.skipped(skipped, false);
    }
    for set in rotation::sets(&inputs.folders.files) {
        inputs.set(&set);
    }
    let mut collected = inputs.collected;
    let summary = &mut collected.summary;
    summary.skipped = collected.skipped.len() as u64;
    summary.millis = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    collected
}

struct Inputs<'o> {
    options: &'o Options<'o>,
    /// The files to read, as named or found.
    folders: Folders,
    /// Those that were named.
    named: BTreeSet<PathBuf>,
    collected: Collected,
}

impl Inputs<'_> {
    fn named(&mut self, path: &Path) {
        let is_stdin = path == Path::new(STDIN);
        let shown = if is_stdin {
            STDIN_SHOWN.to_owned()
        } else {
            shown(path)
        };
        self.collected.summary.looked_at.push(shown.clone());
        if is_stdin {
            let log = read_with(
                &shown.as_str().into(),
                &mut io::stdin().lock(),
                self.options,
            );
            return self.add(log, 1, true);
        }
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => self.folders.add(path),
            Ok(_) => {
                self.named.insert(path.to_owned());
                self.folders.files.push(path.to_owned());
            }
            Err(error) => self.missing(shown, &error),
        }
    }

    fn missing(&mut self, path: String, error: &io::Error) {
        if error.kind() == io::ErrorKind::NotFound {
            self.collected.missing.push(path.clone());
        }
        self.skip(path.as_str().into(), error);
    }

    fn skip(&mut self, place: Place, error: &io::Error) {
        let reason = format!("cannot be read: {error}");
        self.skipped(
            Skipped::new(place, Unreadable::from(error).kind, reason),
            false,
        );
    }

    /// Adds a part that could not be read; the log is `unknown` if the part may have warnings.
    fn skipped(&mut self, skipped: Skipped, named: bool) {
        if may_hide_warnings(&skipped, named) {
            self.collected.unread.push(skipped.place.to_string());
            self.collected
                .sightings
                .push(sightings::incomplete(&skipped));
        }
        self.collected.skipped.push(skipped);
    }

    fn set(&mut self, set: &LogSet) {
        let mut lines = SetReader::new(set, self.options.progress);
        let mut log = read_lines(&Place::from_path(&set.shown), &mut lines, self.options);
        log.skipped.append(&mut lines.skipped);
        if set.files.len() > 1 {
            not_text(&mut log, &lines.binary);
            sightings::note_rotated_set(&mut log.sightings, set.files.len());
        }
        let named = set.files.iter().any(|file| self.named.contains(file));
        self.add(log, lines.opened, named);
    }

    fn add(&mut self, log: Log, files: u64, named: bool) {
        self.collected.summary.files += files;
        self.collected.summary.bytes += log.bytes;
        self.collected.sightings.extend(log.sightings);
        for skipped in log.skipped {
            self.skipped(skipped, named);
        }
    }
}

/// Replaces the note that a set is not text by one for each file of it that is not.
fn not_text(log: &mut Log, binary: &[Place]) {
    log.skipped
        .retain(|skipped| skipped.kind != SkipKind::UnsupportedFormat);
    let notes = binary.iter().cloned();
    log.skipped
        .extend(notes.map(|place| Skipped::new(place, SkipKind::UnsupportedFormat, NOT_TEXT)));
}

fn shown(path: &Path) -> String {
    Place::from_path(path).to_string()
}
