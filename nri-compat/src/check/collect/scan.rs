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
use super::seen::{Seen, guarded};
use super::{Collected, archive, roots::Root, shown};
use crate::check::content::{Content, File};
use crate::check::evidence::Reader;
use crate::check::packing::Packing;
use crate::check::progress::Progress;
use crate::check::sighting::Sighting;
use crate::report::check::Skipped;

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
                self.skip(&root.shown, "neither a file nor a folder");
                return Ok(());
            };
            if disk.is_empty() {
                self.skip(&root.shown, "empty");
            } else if !self.take(&disk, &root.path, &root.shown, Via::Name)? {
                self.skip(&root.shown, "not a kind of file that is looked into");
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
        let file = file(shown, disk)?;
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
                let file = file(&linked.shown, &disk)?;
                self.read(&file, archive::kind(&file));
            }
            Ok(())
        });
    }

    /// The executable of running processes, under the `name` that they know it by.
    pub(super) fn program(&self, exe: &Path, shown: &Path, name: &OsStr) {
        self.guard(shown, || {
            if let Some(disk) = self.open(exe)? {
                let mut file = file(shown, &disk)?;
                file.name = shown::bytes(name.as_bytes());
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
            None => self.store(self.seen(file)),
        }
    }

    /// What the readers see in a file that is no archive.
    pub(super) fn seen(&self, file: &File<'_>) -> Seen {
        let _lent = self.reading.lend(file.content.len().min(ONE_FILE));
        let mut seen = Seen::default();
        for reader in self.readers.iter().filter(|reader| reader.recognises(file)) {
            seen.take(file, guarded(*reader, file));
        }
        seen
    }

    /// Keeps what was seen for the answer.
    pub(super) fn store(&self, seen: Seen) {
        let mut found = lock(&self.found);
        found.sightings.extend(seen.sightings);
        found.skipped.extend(seen.skipped);
    }

    fn guard(&self, shown: &Path, work: impl FnOnce() -> io::Result<()>) {
        if let Err(error) = work() {
            self.skip(shown, disk::reason(&error));
        }
    }

    /// Lists a path as skipped.
    pub(super) fn skip(&self, path: &Path, reason: impl Into<String>) {
        self.skip_shown(shown::path(path), reason.into());
    }

    /// Lists what others could not look at.
    pub(super) fn skip_all(&self, skipped: &[Skipped]) {
        lock(&self.found).skipped.extend_from_slice(skipped);
    }

    /// Lists something as skipped that is shown already.
    pub(super) fn skip_shown(&self, path: String, reason: String) {
        lock(&self.found).skipped.push(Skipped { path, reason });
    }

    /// Lists a named path as missing.
    pub(super) fn missing(&self, path: &Path) {
        lock(&self.found).missing.push(shown::path(path));
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
    a.path.cmp(&b.path).then_with(|| key(a).cmp(&key(b)))
}

fn file<'c>(shown: &Path, content: &'c dyn Content) -> io::Result<File<'c>> {
    Ok(File {
        shown: shown::path(shown),
        name: shown::name(shown),
        head: disk::head(content)?,
        content,
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
