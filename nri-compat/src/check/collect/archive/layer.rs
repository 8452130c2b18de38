//! One layer, or one plain archive, read once: its entries, with the findings of the readers.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::ops::ControlFlow;

use tar::EntryType;

use super::entries::{self, TarEntry};
use super::input::Input;
use super::limits::Limits;
use super::names::{self, Whiteout, shown_path};
use crate::check::collect::demand::Demand;
use crate::check::collect::file_outcome::FileOutcome;
use crate::check::collect::found::Found;
use crate::check::collect::scan::Scan;
use crate::check::collect::spool::to_disk;
use crate::check::collect::{charts, compressed, unjudged, unread_format};
use crate::check::content::{Content, File, Slice};
use crate::check::head::{HEAD, Head};
use crate::escape;
use crate::packing::Packing;
use crate::sighting::Sighting;
use crate::skipped::{SkipKind, Skipped, Unreadable};

/// The maximum size of an entry that is read, in bytes.
const MAX_ENTRY: u64 = 4 << 30;

/// The number of first bytes of a compressed file that are enough to decompress some, in any format.
const PACKED_START: usize = 1 << 20;

/// The entries of one layer.
#[derive(Default)]
pub(in crate::check::collect) struct Layer {
    /// The entries by path, in their order.
    pub(super) changes: Vec<(Box<[u8]>, Change)>,
    /// The charts by folder.
    pub(super) charts: BTreeMap<String, Sighting>,
    /// The reason why it could not be read to its end.
    pub(super) failed: Option<Unreadable>,
    /// True if reading stopped because the archive is an image.
    pub(super) is_image: bool,
}

/// What an entry does at its path.
pub(super) enum Change {
    /// It hides a part of lower layers.
    Whiteout(Whiteout),
    Folder,
    /// A file, or a device or the like, with the findings in it, if there are any.
    File(Option<Box<Found>>),
    /// A hard link to this path.
    Hard(Box<[u8]>),
    /// A symbolic link to this path, relative to the root.
    Symbolic(Box<[u8]>),
}

/// The kind of archive that a tar is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A plain archive.
    Plain,
    /// Perhaps an image: reading stops at the first entry that shows that.
    MaybeImage,
    /// The layer of an image, whose text files say nothing about what runs.
    Layer,
}

/// The scan, the bytes and the limits with which a tar is read.
#[derive(Clone, Copy)]
pub(super) struct Reading<'r> {
    pub(super) scan: &'r Scan<'r>,
    pub(super) content: &'r dyn Content,
    pub(super) packing: Packing,
    pub(super) limits: &'r Limits,
    pub(super) kind: Kind,
}

impl Layer {
    /// Reads a layer or a plain archive.
    pub(super) fn read(reading: Reading<'_>) -> Self {
        let mut layer = Self::default();
        layer.failed = layer.fill(reading).err();
        layer
    }

    /// Reads a blob that is a file with this name.
    pub(super) fn file(reading: Reading<'_>, head: Head, title: &str) -> Result<Self, Unreadable> {
        let path = names::clean(title.as_bytes());
        let file = file_at(&path, head, reading.content);
        let mut layer = Self::default();
        let found = answered(&file, false, layer.findings(reading, &file));
        let change = Change::File(counted(reading, found)?);
        layer.changes.push((path.into(), change));
        Ok(layer)
    }

    /// Returns true if there is an entry with this path.
    #[cfg(feature = "registry")]
    pub(super) fn has(&self, path: &[u8]) -> bool {
        self.changes.iter().any(|(known, _)| **known == *path)
    }

    /// Returns a layer that cannot be read.
    pub(super) fn failed(why: Unreadable) -> Self {
        Self {
            failed: Some(why),
            ..Self::default()
        }
    }

    fn fill(&mut self, reading: Reading<'_>) -> Result<(), Unreadable> {
        let input = Input::new(reading.content, reading.packing)?;
        entries::each(input, |entry| {
            reading
                .limits
                .add_entry(entry.path.len() + entry.link.len())?;
            let path = names::clean(&entry.path);
            if reading.kind == Kind::MaybeImage && indicates_image(&path) {
                self.is_image = true;
                return Ok(ControlFlow::Break(()));
            }
            let change = self.change(reading, entry, &path)?;
            self.changes.push((path.into(), change));
            Ok(ControlFlow::Continue(()))
        })
    }

    fn change(
        &mut self,
        reading: Reading<'_>,
        entry: TarEntry<'_, '_>,
        path: &[u8],
    ) -> Result<Change, Unreadable> {
        let is_layer = reading.kind == Kind::Layer;
        if let Some(whiteout) = names::whiteout(path).filter(|_| is_layer) {
            return Ok(Change::Whiteout(whiteout));
        }
        Ok(match entry.kind {
            _ if entry.is_folder() => Change::Folder,
            EntryType::Symlink => Change::Symbolic(names::link_target(path, &entry.link).into()),
            EntryType::Link => Change::Hard(names::clean(&entry.link).into()),
            _ if entry.is_file() => Change::File(self.entry(reading, entry, path)?),
            _ => Change::File(None),
        })
    }

    /// Reads a file, and counts it. Returns the findings in it, if there are any.
    fn entry(
        &mut self,
        reading: Reading<'_>,
        mut entry: TarEntry<'_, '_>,
        path: &[u8],
    ) -> Result<Option<Box<Found>>, Unreadable> {
        if entry.size == 0 && !entry.is_partial {
            reading.scan.count(FileOutcome::Empty);
            return Ok(None);
        }
        let start = start(&mut entry)?;
        let head = start.get(..HEAD).unwrap_or(&start).to_vec();
        let file = file_at(path, head.into(), &start);
        let is_launched = names::is_launched(path) && entry.is_executable;
        let found = match content(reading, &mut entry, &file, &start) {
            Ok(content) => {
                let content = &*content;
                let file = File { content, ..file };
                answered(&file, is_launched, self.findings(reading, &file))
            }
            Err(why) => answered(&file, is_launched, Err(why)),
        };
        counted(reading, found)
    }

    /// Returns the findings in a file.
    fn findings(
        &mut self,
        reading: Reading<'_>,
        file: &File<'_>,
    ) -> Result<Option<Found>, Unreadable> {
        if reading.kind != Kind::Layer
            && let Some((folder, sighting)) = charts::in_archive(file)
        {
            self.charts.entry(folder).or_insert(sighting);
        }
        reading.scan.findings(file)
    }
}

/// Returns content as the file with this path in an archive.
fn file_at<'c>(path: &[u8], head: Head, content: &'c dyn Content) -> File<'c> {
    File {
        place: shown_path(path).into(),
        name: escape::bytes(names::split(path).1),
        head,
        content,
        disk: None,
    }
}

/// Counts a file, and its findings if there are any.
fn counted(reading: Reading<'_>, found: Option<Found>) -> Result<Option<Box<Found>>, Unreadable> {
    let outcome = found.as_ref().map(Found::outcome);
    reading
        .scan
        .count(outcome.unwrap_or(FileOutcome::OtherFile));
    let found = found.filter(|found| !found.is_empty());
    reading.limits.add_findings(usize::from(found.is_some()))?;
    Ok(found.map(Box::new))
}

/// Returns the first bytes of an entry, enough to recognise every format.
fn start(entry: &mut TarEntry<'_, '_>) -> Result<Vec<u8>, Unreadable> {
    let mut start = entry.head(HEAD)?;
    let most = if Packing::detect(&start) == Packing::Not {
        unread_format::ENOUGH
    } else {
        PACKED_START
    };
    start.extend(entry.head(most - HEAD)?);
    Ok(start)
}

/// Returns the bytes of a file that starts with these, as far as they may be needed. Those of a stream are copied to a
/// temporary file.
fn content<'c>(
    reading: Reading<'c>,
    entry: &mut TarEntry<'_, '_>,
    file: &File<'_>,
    start: &'c [u8],
) -> Result<Box<dyn Content + 'c>, Unreadable> {
    let unread = |kind, reason: &str| Err(Unreadable::new(kind, reason));
    let size = entry.size;
    if entry.is_partial {
        let reason = "a sparse file, or a part of a file: extract the archive and check the folder";
        return unread(SkipKind::UnsupportedFormat, reason);
    }
    if compressed::archive_packing(&file.head, &start).is_some() {
        let reason = "an archive within an archive, not opened";
        return unread(SkipKind::NestedArchive, reason);
    }
    if start.len() as u64 == size || !is_read_whole(reading, file, size) {
        return Ok(Box::new(start));
    }
    if size > MAX_ENTRY {
        let reason = format!("larger than {} GiB", MAX_ENTRY >> 30);
        return unread(SkipKind::TooLarge, &reason);
    }
    let whole: Box<dyn Content + 'c> = if let Some(offset) = entry.start {
        Box::new(Slice::new(reading.content, offset, size))
    } else {
        Box::new(to_disk(&mut start.chain(&mut entry.data))?)
    };
    if whole.len() < size {
        return unread(SkipKind::Truncated, "cut short");
    }
    Ok(whole)
}

/// Returns true if more than the first bytes of a file may be needed: that of a kind that readers know, or
/// of a compressed program, or of a part of a chart.
fn is_read_whole(reading: Reading<'_>, file: &File<'_>, size: u64) -> bool {
    reading.scan.recognised(file)
        || compressed::holds_program(file)
        || reading.kind != Kind::Layer && charts::is_part(&file.place.file, size)
}

/// Returns the findings in a file. One that a runtime starts has some in any case.
fn answered(
    file: &File<'_>,
    is_launched: bool,
    found: Result<Option<Found>, Unreadable>,
) -> Option<Found> {
    let skipped = |why| Found::skipped(Skipped::unreadable(file.place.clone(), why));
    let found = found.unwrap_or_else(|why| Some(skipped(why)));
    if !is_launched {
        return found;
    }
    Some(match found {
        Some(found) => unjudged::with_answer(found, file, Demand::Launched),
        None => unjudged::launched(file),
    })
}

/// Returns true if a path within an archive indicates an image.
fn indicates_image(path: &[u8]) -> bool {
    matches!(path, b"oci-layout" | b"index.json" | b"manifest.json")
}
