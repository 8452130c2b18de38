//! Walks folders with several threads in bounded memory.
//!
//! The threads share a stack of folders and a short queue of files. The thread that lists a folder
//! passes its files to the others in batches; if they are busy, it reads the batch itself. So a
//! folder with any number of files takes only the memory of a few batches. Libraries that list
//! whole folders take hundreds of bytes per file.

use std::borrow::Cow;
use std::fs::FileType;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::archive;
use super::demand::Demand;
use super::pseudo::Pseudo;
use super::roots::Root;
use super::scan::Scan;
use super::unjudged;
use super::visit::{self, Visit};
use crate::place::Place;
use crate::skipped::{SkipKind, Unreadable};

/// The number of files in a batch.
const BATCH_FILES: usize = 128;

/// The maximum number of waiting batches per thread.
const BATCHES_PER_THREAD: usize = 4;

/// The file that marks an OCI layout.
const OCI_LAYOUT: &str = "oci-layout";

/// The folder in an OCI layout with the parts of its images.
const BLOBS: &str = "blobs";

/// The entries of a folder that are handled last, when it is known whether it is an OCI layout.
const LAYOUT: [&str; 2] = [OCI_LAYOUT, BLOBS];

/// A walk of one folder.
struct Walk<'w> {
    scan: &'w Scan<'w>,
    root: &'w Root,
    roots: &'w [Root],
    pseudo: Pseudo,
    /// True if the user spelled the folder like the path that is walked.
    is_shown_as_walked: bool,
    work: Mutex<Work>,
    changed: Condvar,
}

/// The remaining work.
#[derive(Default)]
struct Work {
    folders: Vec<PathBuf>,
    batches: Vec<Batch>,
    /// The number of threads that may still add work.
    busy: usize,
    /// The number of threads that wait for work. Waking is a system call even if nobody waits.
    waiting: usize,
}

/// A batch of files of one folder.
struct Batch {
    files: Vec<Listed>,
    is_launched: bool,
}

/// A file as listed by its folder.
struct Listed {
    path: PathBuf,
    is_link: bool,
}

/// A unit of work.
enum Task {
    Folder(PathBuf),
    Batch(Batch),
}

/// Passes every file of a folder to the scan.
///
/// Links to files are followed, links to folders are not, which rules out cycles. Pipes, sockets
/// and devices are never opened.
///
/// Folders that are among `roots` are left to their own walks.
pub(super) fn folder(scan: &Scan<'_>, root: &Root, roots: &[Root]) {
    let walk = Walk {
        scan,
        root,
        roots,
        pseudo: Pseudo::here(),
        is_shown_as_walked: root.shown.as_os_str() == root.path.as_os_str(),
        work: Mutex::new(Work {
            folders: vec![root.path.clone()],
            ..Work::default()
        }),
        changed: Condvar::new(),
    };
    std::thread::scope(|scope| {
        for _ in 0..scan.threads {
            scope.spawn(|| walk.run());
        }
    });
}

impl Walk<'_> {
    fn run(&self) {
        while let Some(task) = self.next() {
            match task {
                Task::Folder(folder) => self.list(&folder),
                Task::Batch(batch) => self.read(&batch),
            }
            self.finished();
        }
    }

    /// Waits for a unit of work; `None` when all is done. Files come before folders, which bounds
    /// the memory for both.
    fn next(&self) -> Option<Task> {
        let mut work = self.lock();
        loop {
            let task = match work.batches.pop() {
                Some(batch) => Some(Task::Batch(batch)),
                None => work.folders.pop().map(Task::Folder),
            };
            if task.is_some() {
                work.busy += 1;
                return task;
            }
            if work.busy == 0 {
                return None;
            }
            work.waiting += 1;
            work = self
                .changed
                .wait(work)
                .unwrap_or_else(PoisonError::into_inner);
            work.waiting -= 1;
        }
    }

    /// Counts a unit of work as done. The threads that wait for more end with the last one.
    fn finished(&self) {
        let mut work = self.lock();
        work.busy -= 1;
        let is_last = work.busy == 0 && work.waiting > 0;
        drop(work);
        if is_last {
            self.changed.notify_all();
        }
    }

    /// Adds work, and wakes a thread that waits for it.
    fn add(&self, mut work: MutexGuard<'_, Work>, task: Task) {
        match task {
            Task::Folder(folder) => work.folders.push(folder),
            Task::Batch(batch) => work.batches.push(batch),
        }
        let is_awaited = work.waiting > 0;
        drop(work);
        if is_awaited {
            self.changed.notify_one();
        }
    }

    fn list(&self, folder: &Path) {
        if folder != self.root.path && self.roots.iter().any(|root| root.path == folder) {
            return;
        }
        if self.pseudo.is(folder) {
            let why = Unreadable::new(
                SkipKind::PseudoFilesystem,
                "a pseudo filesystem, not walked",
            );
            return self.failed(folder, why);
        }
        let entries = match folder.read_dir() {
            Ok(entries) => entries,
            Err(error) => return self.failed(folder, Unreadable::from(&error)),
        };
        let is_launched = self.root.launches(folder);
        let (mut files, mut of_layout) = (Vec::new(), Vec::new());
        for entry in entries {
            match entry.and_then(|entry| Ok((entry.file_type()?, entry.path()))) {
                Ok((kind, path)) if is_launched && is_special(kind) => {
                    self.scan.skip(self.place(&path), special());
                }
                Ok((kind, path)) if LAYOUT.iter().any(|name| is_named(&path, name)) => {
                    of_layout.push((kind, path));
                }
                Ok((kind, path)) => self.entry(kind, path, &mut files),
                Err(error) => self.failed(folder, Unreadable::from(&error)),
            }
            if files.len() >= BATCH_FILES {
                let files = std::mem::take(&mut files);
                self.hand_over(Batch { files, is_launched });
            }
        }
        self.layout(folder, of_layout, &mut files);
        self.hand_over(Batch { files, is_launched });
    }

    /// Handles the entries that make a folder an OCI layout. Then its blobs are read as part of its
    /// images.
    fn layout(&self, folder: &Path, entries: Vec<(FileType, PathBuf)>, files: &mut Vec<Listed>) {
        let is_layout = !entries.is_empty() && is_layout(folder);
        if is_layout {
            archive::read_layout(self.scan, folder, &self.place(folder));
        }
        for (kind, path) in entries {
            let is_read = kind.is_dir() && is_named(&path, BLOBS)
                || kind.is_file() && is_named(&path, OCI_LAYOUT);
            if !(is_layout && is_read) {
                self.entry(kind, path, files);
            }
        }
    }

    /// Handles an entry of a folder.
    fn entry(&self, kind: FileType, path: PathBuf, files: &mut Vec<Listed>) {
        if kind.is_dir() {
            self.add(self.lock(), Task::Folder(path));
        } else if kind.is_symlink() || kind.is_file() {
            files.push(Listed {
                path,
                is_link: kind.is_symlink(),
            });
        }
    }

    /// Passes files to other threads, or reads them if enough batches are waiting.
    fn hand_over(&self, batch: Batch) {
        if batch.files.is_empty() {
            return;
        }
        let work = self.lock();
        if work.batches.len() < BATCHES_PER_THREAD * self.scan.threads && self.scan.threads > 1 {
            self.add(work, Task::Batch(batch));
        } else {
            drop(work);
            self.read(&batch);
        }
    }

    fn read(&self, batch: &Batch) {
        for listed in &batch.files {
            self.file(listed, batch.is_launched);
        }
    }

    /// Handles a file. Broken links are common and not reported, except a link in a plugin folder
    /// that leads outside the machine.
    fn file(&self, listed: &Listed, is_launched: bool) {
        let demand = self.root.demand(&listed.path, is_launched);
        let place = self.place(&listed.path);
        let target = if listed.is_link {
            match self.target(&listed.path) {
                Ok(Some(target)) => Cow::Owned(target),
                Ok(None) if demand == Demand::Launched => return self.scan.skip(place, special()),
                Ok(None) => return,
                Err(why) if demand == Demand::Launched => {
                    let reason = format!("a link that cannot be followed: {why}");
                    return self
                        .scan
                        .count(unjudged::report(self.scan, &place, demand, &reason));
                }
                Err(_) => return,
            }
        } else {
            Cow::Borrowed(listed.path.as_path())
        };
        let visit = Visit {
            path: &target,
            place,
            is_link: listed.is_link,
            demand,
        };
        visit::file(self.scan, &visit);
    }

    /// Returns the target of a link, if it is a regular file.
    fn target(&self, link: &Path) -> Result<Option<PathBuf>, Unreadable> {
        if !self.root.machine.is_mounted() {
            return Ok(link.metadata()?.is_file().then(|| link.to_owned()));
        }
        let target = self.root.machine.resolve(link)?;
        Ok(target.metadata()?.is_file().then_some(target))
    }

    fn failed(&self, folder: &Path, why: Unreadable) {
        let place = self.place(folder);
        if folder == self.root.path && self.root.is_named {
            let outcome = unjudged::report(self.scan, &place, Demand::Named, &why.reason);
            return self.scan.count(outcome);
        }
        self.scan.skip(place, why);
    }

    /// Returns the place of a path, with the folder spelled as by the user.
    fn place(&self, path: &Path) -> Place {
        if self.is_shown_as_walked {
            return Place::of(path);
        }
        match path.strip_prefix(&self.root.path) {
            Ok(rest) if rest.as_os_str().is_empty() => Place::of(&self.root.shown),
            Ok(rest) => Place::of(&self.root.shown.join(rest)),
            Err(_) => Place::of(path),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reports whether the entry of a folder has this name. Faster than `Path::ends_with`, which parses
/// the path.
fn is_named(entry: &Path, name: &str) -> bool {
    let folder = entry
        .as_os_str()
        .as_encoded_bytes()
        .strip_suffix(name.as_bytes());
    folder.is_some_and(|folder| folder.ends_with(b"/"))
}

/// Reports whether a folder is an OCI layout.
fn is_layout(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).is_file();
    has(OCI_LAYOUT) && has("index.json")
}

/// Returns true for pipes, sockets and devices.
fn is_special(kind: FileType) -> bool {
    !(kind.is_file() || kind.is_dir() || kind.is_symlink())
}

/// Returns the reason for skipping what a runtime cannot start, although it is in its folder.
fn special() -> Unreadable {
    Unreadable::new(
        SkipKind::SpecialFile,
        "is no file, so that no runtime can start it",
    )
}
