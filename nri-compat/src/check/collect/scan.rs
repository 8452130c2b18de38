//! The state that all threads of one scan share, and the way of a single file through the readers.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::budget::Budget;
use super::disk::{self, Disk, FileId};
use super::found::{Found, guarded};
use super::{Collected, archive, roots::Root};
use crate::check::content::{Content, File};
use crate::check::escape;
use crate::check::evidence::Reader;
use crate::check::packing::Packing;
use crate::check::place::Place;
use crate::check::progress::Progress;
use crate::check::sighting::Sighting;
use crate::check::skipped::{SkipKind, Skipped, Unreadable};

/// Bytes of files that readers may hold in memory at one time, over all threads.
const READING: u64 = 32 << 20;

/// What a reader holds of one file at most: they read large ones in parts.
const ONE_FILE: u64 = 4 << 20;

/// One scan.
pub(super) struct Scan<'s> {
    readers: &'s [&'s dyn Reader],
    progress: &'s Progress,
    files: AtomicU64,
    bytes: AtomicU64,
    reading: Budget,
    /// Windows of packed streams, over all threads.
    pub(super) windows: Budget,
    found: Mutex<Collected>,
    read: Mutex<HashSet<FileId>>,
    linked: Mutex<Vec<Linked>>,
    pub(super) threads: usize,
}

/// A file worth reading that has, or may have, several names: which of them counts is known when all are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Linked {
    /// Which file.
    pub(super) id: FileId,
    /// Whether the name is a symbolic link.
    pub(super) symbolic: bool,
    /// The name to show.
    pub(super) shown: PathBuf,
    /// The name to open.
    pub(super) path: PathBuf,
}

/// How a walk came to a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Via {
    /// Under its own name.
    Name,
    /// Through a symbolic link.
    Link,
}

impl<'s> Scan<'s> {
    pub(super) fn new(
        readers: &'s [&'s dyn Reader],
        progress: &'s Progress,
        threads: usize,
    ) -> Self {
        Self {
            readers,
            progress,
            threads,
            files: AtomicU64::default(),
            bytes: AtomicU64::default(),
            reading: Budget::new(READING),
            windows: Budget::new(1 << archive::WINDOW_LOG),
            found: Mutex::default(),
            read: Mutex::default(),
            linked: Mutex::default(),
        }
    }

    /// A file that the user named: said to be skipped if nothing recognises it.
    pub(super) fn named(&self, root: &Root) {
        self.guard(&root.shown, || {
            let is_file = root.path.metadata()?.is_file();
            let Some(disk) = is_file
                .then(|| self.open(&root.path))
                .transpose()?
                .flatten()
            else {
                self.skip_named(root, SkipKind::SpecialFile, "neither a file nor a folder");
                return Ok(());
            };
            if disk.is_empty() {
                self.skip_named(root, SkipKind::UnsupportedFormat, "empty");
            } else if !self.take(&disk, &root.path, &root.shown, Via::Name)? {
                self.skip_named(
                    root,
                    SkipKind::UnsupportedFormat,
                    "not a kind of file that is looked into",
                );
            }
            Ok(())
        });
    }

    /// A file that a walk came to. `path` is opened, `shown` is shown.
    pub(super) fn walked(&self, path: &Path, shown: &Path, via: Via) {
        self.guard(shown, || {
            if let Some(disk) = self.open(path)? {
                self.take(&disk, path, shown, via)?;
            }
            Ok(())
        });
    }

    /// Reads a file if a reader recognises it, or puts it off if it may have other names. Returns whether one did.
    fn take(&self, disk: &Disk, path: &Path, shown: &Path, via: Via) -> io::Result<bool> {
        let file = file(shown, disk, Some(path))?;
        let archive = archive::kind(&file);
        if archive.is_none() && !self.recognised(&file) {
            return Ok(false);
        }
        if via == Via::Link || disk.links > 1 {
            self.put_off(disk.id, path, shown, via);
        } else if self.first(disk.id) {
            self.read(&file, archive);
        }
        Ok(true)
    }

    /// The name of a file that counts, out of several.
    pub(super) fn chosen(&self, linked: &Linked) {
        self.guard(&linked.shown, || {
            if let Some(disk) = Disk::open(&linked.path)?
                && disk.id == linked.id
                && self.first(disk.id)
            {
                let file = file(&linked.shown, &disk, Some(&linked.path))?;
                self.read(&file, archive::kind(&file));
            }
            Ok(())
        });
    }

    /// The executable of running processes, under the `name` that they know it by.
    pub(super) fn program(&self, exe: &Path, place: &Place, name: &OsStr) {
        self.guard_place(place, || {
            if let Some(disk) = self.open(exe)? {
                let mut file = File {
                    place: place.clone(),
                    ..file(exe, &disk, None)?
                };
                file.name = escape::bytes(name.as_bytes());
                if self.recognised(&file) && self.first(disk.id) {
                    self.read(&file, archive::kind(&file));
                }
            }
            Ok(())
        });
    }

    fn put_off(&self, id: FileId, path: &Path, shown: &Path, via: Via) {
        lock(&self.linked).push(Linked {
            id,
            symbolic: via == Via::Link,
            shown: shown.to_owned(),
            path: path.to_owned(),
        });
    }

    /// The files put off so far.
    pub(super) fn take_linked(&self) -> Vec<Linked> {
        std::mem::take(&mut *lock(&self.linked))
    }

    /// Whether this file is met for the first time.
    fn first(&self, id: FileId) -> bool {
        lock(&self.read).insert(id)
    }

    fn open(&self, path: &Path) -> io::Result<Option<Disk>> {
        let disk = Disk::open(path)?;
        if let Some(disk) = &disk {
            self.count(disk.len());
        }
        Ok(disk)
    }

    /// Counts a file.
    pub(super) fn count(&self, bytes: u64) {
        self.files.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.progress.file();
        self.progress.read(bytes);
    }

    /// Whether anything is to be read beyond the first bytes.
    pub(super) fn recognised(&self, file: &File<'_>) -> bool {
        !file.head.is_empty() && self.readers.iter().any(|reader| reader.recognises(file))
    }

    fn read(&self, file: &File<'_>, archive: Option<Packing>) {
        match archive {
            Some(packing) => archive::read(self, file, packing),
            None => self.store(self.look(file)),
        }
    }

    /// What the readers see in a file that is no archive.
    pub(super) fn look(&self, file: &File<'_>) -> Found {
        let _lent = self.reading.lend(file.content.len().min(ONE_FILE));
        let mut found = Found::default();
        for reader in self.readers.iter().filter(|reader| reader.recognises(file)) {
            found.add(file, guarded(*reader, file));
        }
        found
    }

    /// Keeps what was seen for the answer.
    pub(super) fn store(&self, found: Found) {
        let mut all = lock(&self.found);
        all.sightings.extend(found.sightings);
        all.skipped.extend(found.skipped);
    }

    fn guard(&self, shown: &Path, work: impl FnOnce() -> io::Result<()>) {
        self.guard_place(&Place::of(shown), work);
    }

    fn guard_place(&self, place: &Place, work: impl FnOnce() -> io::Result<()>) {
        if let Err(error) = work() {
            self.skip(place.clone(), Unreadable::from(&error));
        }
    }

    fn skip_named(&self, root: &Root, kind: SkipKind, reason: &str) {
        self.skip(Place::of(&root.shown), Unreadable::new(kind, reason));
    }

    /// Lists what others could not look at.
    pub(super) fn skip_all(&self, skipped: &[Skipped]) {
        lock(&self.found).skipped.extend_from_slice(skipped);
    }

    /// Lists something as skipped.
    pub(super) fn skip(&self, place: Place, why: Unreadable) {
        lock(&self.found)
            .skipped
            .push(Skipped::unreadable(place, why));
    }

    /// Lists a named path as missing.
    pub(super) fn missing(&self, path: &Path) {
        lock(&self.found).missing.push(escape::path(path));
    }

    /// All that was found; the sightings in no order yet.
    pub(super) fn finish(self) -> Collected {
        let mut found = self
            .found
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        found.summary.files = self.files.into_inner();
        found.summary.bytes = self.bytes.into_inner();
        found.skipped.sort();
        found.skipped.dedup();
        found
    }
}

/// The order of the answer.
pub(super) fn by_place(a: &Sighting, b: &Sighting) -> std::cmp::Ordering {
    let key = |sighting: &Sighting| (sighting.kind, sighting.name.clone(), sighting.index.clone());
    a.place
        .compare_paths(&b.place)
        .then_with(|| key(a).cmp(&key(b)))
}

/// Returns a file under the name to show, and with the path that others may be around.
fn file<'c>(shown: &Path, content: &'c dyn Content, disk: Option<&Path>) -> io::Result<File<'c>> {
    Ok(File {
        disk: disk.map(Path::to_owned),
        place: Place::of(shown),
        name: escape::name(shown),
        head: disk::head(content)?,
        content,
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
