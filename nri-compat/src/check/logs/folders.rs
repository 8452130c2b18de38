//! The files of folders that the user named. Links are followed, but a file counts once, under its
//! own path if that was found as well.

use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::place::Place;
use crate::skipped::{SkipKind, Skipped, Unreadable};

/// The files that were found so far, and what could not be read.
#[derive(Default)]
pub(super) struct Folders {
    /// The files, as found.
    pub(super) files: Vec<PathBuf>,
    pub(super) skipped: Vec<Skipped>,
    /// The resolved paths of the files.
    known: BTreeSet<PathBuf>,
    /// The resolved paths of the folders that were walked.
    walked: Vec<PathBuf>,
    /// Links that were found and not followed yet.
    links: VecDeque<PathBuf>,
}

impl Folders {
    /// Adds the files of a folder and its subfolders, and those to which links in it lead.
    pub(super) fn add(&mut self, folder: &Path) {
        self.folder(folder);
        while let Some(link) = self.links.pop_front() {
            self.follow(&link);
        }
    }

    fn folder(&mut self, folder: &Path) {
        self.walked.extend(folder.canonicalize());
        let walk = WalkBuilder::new(folder)
            .standard_filters(false)
            .sort_by_file_path(Path::cmp)
            .build();
        for entry in walk {
            match entry {
                Ok(entry) if entry.depth() > 0 && entry.path_is_symlink() => {
                    self.links.push_back(entry.into_path());
                }
                Ok(entry) => self.file(entry.path()),
                Err(error) => self.skip(folder, &io::Error::other(error)),
            }
        }
    }

    /// Adds a file, unless it is known. Anything else is read only if it is named: a pipe, a socket,
    /// a device.
    fn file(&mut self, path: &Path) {
        match path.metadata() {
            Ok(metadata) if metadata.is_file() => {
                let resolved = path.canonicalize().unwrap_or_else(|_| path.to_owned());
                if self.known.insert(resolved) {
                    self.files.push(path.to_owned());
                }
            }
            Ok(_) => {}
            Err(error) => self.skip(path, &error),
        }
    }

    fn follow(&mut self, link: &Path) {
        match link.canonicalize() {
            Ok(target) if target.is_dir() => self.linked_folder(link, &target),
            Ok(_) => self.file(link),
            Err(error) => self.skip(link, &error),
        }
    }

    fn linked_folder(&mut self, link: &Path, target: &Path) {
        if self.walked.iter().any(|walked| target.starts_with(walked)) {
            return;
        }
        if self.walked.iter().any(|walked| walked.starts_with(target)) {
            let reason = "leads to a folder above: name that folder to read its logs";
            let skipped = Skipped::new(Place::from_path(link), SkipKind::Link, reason);
            return self.skipped.push(skipped);
        }
        self.folder(link);
    }

    fn skip(&mut self, path: &Path, error: &io::Error) {
        let reason = format!("cannot be read: {error}");
        let kind = Unreadable::from(error).kind;
        self.skipped
            .push(Skipped::new(Place::from_path(path), kind, reason));
    }
}
