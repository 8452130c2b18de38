//! Reads the logs that the user named: files, folders, pipes, standard input.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::{Options, Reading, may_hide_warnings, tally};
use crate::arguments::{STDIN_PLACE, is_stdin};
use crate::check::collected::Collected;
use crate::folder::{self, FolderLinks, NotWalked};
use crate::place::Place;
use crate::skipped::{SkipKind, Skipped, Unreadable};

/// The reason for not following a link.
const LEADS_ABOVE: &str = "leads to a folder above: name that folder to read its logs";

/// Reads logs one after the other. A log that cannot be read does not stop the others. A folder
/// stands for the logs in it, and a plugin is one sighting even if several logs mention it.
pub fn read_logs(paths: &[PathBuf], options: &Options<'_>) -> Collected {
    let start = Instant::now();
    let mut inputs = LogInputs {
        reading: Reading { options: *options, ..Reading::default() },
        ..LogInputs::default()
    };
    for path in paths {
        inputs.named(path);
    }
    let log = inputs.reading.finish();
    let mut collected = inputs.collected;
    collected.sightings.extend(log.sightings);
    let summary = &mut collected.summary;
    summary.bytes = log.bytes;
    summary.skipped = collected.skipped.len() as u64;
    summary.millis = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    collected
}

#[derive(Default)]
struct LogInputs<'o> {
    reading: Reading<'o>,
    /// The resolved paths of the files that were found so far: each counts once.
    files: BTreeSet<PathBuf>,
    collected: Collected,
}

impl LogInputs<'_> {
    fn named(&mut self, path: &Path) {
        let is_stdin = is_stdin(path);
        let place = if is_stdin { STDIN_PLACE.into() } else { Place::from_path(path) };
        let shown = place.to_string();
        self.collected.summary.looked_at.push(shown.clone());
        if is_stdin {
            return self.log(&place, &mut io::stdin().lock(), None, true);
        }
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => self.folder(path),
            Ok(_) => self.file(path, true),
            Err(error) => {
                if error.kind() == io::ErrorKind::NotFound {
                    self.collected.missing.push(shown);
                }
                self.unreadable(path, &error);
            }
        }
    }

    /// Reads the files of a folder and its subfolders, and those to which links in it lead, which
    /// come last: a file that is found twice has its own path.
    fn folder(&mut self, folder: &Path) {
        let root = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let mut files = Vec::new();
        for entry in folder::entries(folder, FolderLinks::Followed, |_| true) {
            match entry {
                // Anything else is read only if it is named: a pipe, a socket, a device.
                Ok(entry) if entry.file_type().is_file() => files.push(entry.into_path()),
                Ok(_) => {}
                Err((path, NotWalked::Unreadable(error))) => self.unreadable(&path, &error),
                Err((path, NotWalked::LeadsAbove)) => self.skip(&path, SkipKind::Link, LEADS_ABOVE),
            }
        }
        files.sort_by_cached_key(|file| {
            let own = file.strip_prefix(folder).map(|file| root.join(file));
            file.canonicalize().ok() != own.ok()
        });
        files.iter().for_each(|file| self.file(file, false));
    }

    fn file(&mut self, path: &Path, named: bool) {
        let resolved = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if !self.files.insert(resolved) {
            return;
        }
        let extension = path.extension().and_then(|extension| extension.to_str());
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
        match opened {
            Ok((bytes, mut file)) => {
                if let Some(progress) = self.reading.options.progress {
                    progress.file();
                    progress.expect(bytes);
                }
                self.log(&Place::from_path(path), &mut file, extension, named);
            }
            Err(error) => self.unreadable(path, &error),
        }
    }

    fn log(&mut self, place: &Place, input: &mut dyn Read, extension: Option<&str>, named: bool) {
        self.collected.summary.files += 1;
        self.reading.log(place, input, extension);
        for skipped in std::mem::take(&mut self.reading.skipped) {
            self.skipped(skipped, named);
        }
    }

    fn unreadable(&mut self, path: &Path, error: &io::Error) {
        let reason = format!("cannot be read: {error}");
        self.skip(path, Unreadable::from(error).kind, reason);
    }

    fn skip(&mut self, path: &Path, kind: SkipKind, reason: impl Into<String>) {
        self.skipped(Skipped::new(Place::from_path(path), kind, reason), false);
    }

    /// Adds a part that could not be read; the log is `unknown` if the part may have warnings.
    fn skipped(&mut self, skipped: Skipped, named: bool) {
        if may_hide_warnings(skipped.kind, named) {
            self.collected.unread.push(skipped.place.to_string());
            let incomplete = tally::incomplete(&skipped);
            self.collected.sightings.push(incomplete);
        }
        self.collected.skipped.push(skipped);
    }
}
