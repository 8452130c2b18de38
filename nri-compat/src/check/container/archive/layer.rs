//! One layer, or one plain archive, read once: its entries, with the findings of the readers.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use tar::EntryType;

use super::entries::{self, TarEntry};
use super::names::{self, Whiteout, shown_path};
use crate::check::content::disk;
use crate::check::content::{Content, File, HEAD, Head, Slice};
use crate::check::kubernetes::charts;
use crate::check::observations::{Demand, FileOutcome, Observations};
use crate::check::recognise::{self, SingleFile, unread};
use crate::check::scan::Scan;
use crate::check::{read, unjudged};
use crate::escape;
use crate::sighting::Sighting;
use crate::skipped::{SkipKind, Unreadable};
use crate::system;
use crate::unpack::Packing;

/// The maximum size of an entry that is read, in bytes.
const MAX_ENTRY: u64 = 4 << 30;

/// The number of first bytes of a compressed file that are enough to decompress some, in any
/// format.
const PACKED_START: usize = 1 << 20;

/// The maximum memory for the entries and findings of one archive in bytes. Images of whole
/// distributions have 300,000 entries.
const MAX_MEMORY: u64 = 384 << 20;

/// The memory for an entry in addition to its names, in bytes.
const ENTRY_MEMORY: usize = 128;

/// The memory for the findings in one file, in bytes.
pub(super) const FINDINGS_MEMORY: usize = 4 << 10;

/// The entries of one layer.
#[derive(Default)]
pub(crate) struct Layer {
    /// The entries by path, in their order.
    pub(super) changes: Vec<(Box<Path>, LayerChange)>,
    /// The charts by folder.
    pub(super) charts: BTreeMap<String, Sighting>,
    /// The reason why it could not be read to its end.
    pub(super) failed: Option<Unreadable>,
    /// True if reading stopped because the archive is an image.
    pub(super) is_image: bool,
}

/// The effect of an entry at its path.
pub(super) enum LayerChange {
    /// It hides a part of lower layers.
    Whiteout(Whiteout),
    Folder,
    /// A file, a device or a similar entry, with the findings in it, if there are any.
    File(Option<Box<Observations>>),
    /// A hard link to this path.
    Hard(Box<Path>),
    /// A symbolic link to this path, relative to the root.
    Symbolic(Box<Path>),
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

/// The memory that archives use, over all their layers, so that a hostile one ends with a reason.
pub(super) struct Memory {
    used: AtomicU64,
    most: u64,
}

impl Memory {
    /// Returns the memory that this number of archives may use.
    pub(super) fn new(archives: usize) -> Self {
        Self { used: AtomicU64::new(0), most: MAX_MEMORY.saturating_mul(archives as u64) }
    }

    /// Counts memory that is used from now on.
    pub(super) fn add(&self, bytes: usize) -> Result<(), Unreadable> {
        let bytes = bytes as u64;
        if self.used.fetch_add(bytes, Ordering::Relaxed) + bytes <= self.most {
            return Ok(());
        }
        let most = self.most >> 20;
        let reason = format!("its entries and findings need more than {most} MiB");
        Err(Unreadable::new(SkipKind::Limit, reason))
    }
}

/// The scan, the bytes and the memory with which a layer or a plain archive is read.
#[derive(Clone, Copy)]
pub(super) struct LayerReading<'r> {
    pub(super) scan: &'r Scan<'r>,
    pub(super) content: &'r dyn Content,
    pub(super) packing: Packing,
    pub(super) memory: &'r Memory,
    pub(super) kind: Kind,
}

impl Layer {
    /// Reads a layer or a plain archive.
    pub(super) fn read(reading: LayerReading<'_>) -> Self {
        let mut layer = Self::default();
        let add = |entry: TarEntry<'_, '_>| layer.add(reading, entry);
        layer.failed = entries::each(reading.content, reading.packing, add).err();
        layer
    }

    /// Returns true if there is an entry with this path.
    #[cfg(feature = "registry")]
    pub(super) fn has(&self, path: &Path) -> bool {
        self.changes.iter().any(|(known, _)| **known == *path)
    }

    fn add(
        &mut self,
        reading: LayerReading<'_>,
        entry: TarEntry<'_, '_>,
    ) -> Result<ControlFlow<()>, Unreadable> {
        let names = entry.path.len() + entry.link.len();
        reading.memory.add(names + ENTRY_MEMORY)?;
        let path = names::clean(system::name(&entry.path));
        if reading.kind == Kind::MaybeImage && indicates_image(&path) {
            self.is_image = true;
            return Ok(ControlFlow::Break(()));
        }
        let whiteout = names::whiteout(&path).filter(|_| reading.kind == Kind::Layer);
        let target = system::name(&entry.link);
        let change = if let Some(whiteout) = whiteout {
            LayerChange::Whiteout(whiteout)
        } else if entry.is_folder() {
            LayerChange::Folder
        } else if entry.kind == EntryType::Symlink {
            LayerChange::Symbolic(names::link_target(&path, &target).into())
        } else if entry.kind == EntryType::Link {
            LayerChange::Hard(names::clean(target).into())
        } else if entry.is_file() {
            self.entry(reading, entry, &path)?
        } else {
            LayerChange::File(None)
        };
        self.changes.push((path.into(), change));
        Ok(ControlFlow::Continue(()))
    }

    /// Reads a file, and counts it.
    fn entry(
        &mut self,
        reading: LayerReading<'_>,
        mut entry: TarEntry<'_, '_>,
        path: &Path,
    ) -> Result<LayerChange, Unreadable> {
        if entry.size == 0 {
            reading.scan.count(FileOutcome::Empty);
            return Ok(LayerChange::File(None));
        }
        let (head, start) = start(&mut entry)?;
        let mut file = File {
            place: shown_path(path).into(),
            name: escape::bytes(names::file_name(path)),
            head,
            content: &start,
            disk: None,
        };
        let demand = if names::is_launched(path) && entry.is_executable {
            Demand::Launched
        } else {
            Demand::Walked
        };
        let readers = reading.scan.readers;
        let recognised = recognise::in_archive(readers, &file).ok_or_else(nested);
        let known = recognised.and_then(|kind| {
            let content = content(reading, &mut entry, &file, &start, &kind)?;
            Ok((kind, content))
        });
        let observed = match &known {
            Ok((kind, content)) => {
                file.content = &**content;
                self.charts(reading, &file);
                read::file(readers, &file, kind, demand)
            }
            Err(why) => Some(unjudged::unread(&file, demand, why.clone())),
        };
        let outcome = observed.as_ref().map_or(FileOutcome::OtherFile, Observations::outcome);
        reading.scan.count(outcome);
        let kept = observed.filter(|observed| !observed.is_empty());
        if kept.is_some() {
            reading.memory.add(FINDINGS_MEMORY)?;
        }
        Ok(LayerChange::File(kept.map(Box::new)))
    }

    /// Remembers the chart that a file of an archive belongs to, if the file has to do with NRI.
    fn charts(&mut self, reading: LayerReading<'_>, file: &File<'_>) {
        if reading.kind != Kind::Layer
            && let Some((folder, sighting)) = charts::in_archive(file)
        {
            self.charts.entry(folder).or_insert(sighting);
        }
    }
}

/// Returns the head of an entry, and as many of its first bytes as are enough to recognise every
/// format.
fn start(entry: &mut TarEntry<'_, '_>) -> Result<(Head, Vec<u8>), Unreadable> {
    let mut start = entry.head(HEAD)?;
    let head = Head::from(start.clone());
    let most = if head.packing() == Packing::Not { unread::ENOUGH } else { PACKED_START };
    start.extend(entry.head(most - HEAD)?);
    Ok((head, start))
}

/// Returns the reason for not reading an archive within an archive.
fn nested() -> Unreadable {
    Unreadable::new(SkipKind::NestedArchive, "an archive within an archive, not opened")
}

/// Returns the bytes of a file that starts with these, as far as they may be needed. Those of a
/// stream are copied to a temporary file.
fn content<'c>(
    reading: LayerReading<'c>,
    entry: &mut TarEntry<'_, '_>,
    file: &File<'_>,
    start: &'c [u8],
    kind: &SingleFile<'_>,
) -> Result<Box<dyn Content + 'c>, Unreadable> {
    let size = entry.size;
    if start.len() as u64 == size || !is_read_whole(reading, file, size, kind) {
        return Ok(Box::new(start));
    }
    if size > MAX_ENTRY {
        let reason = format!("larger than {} GiB", MAX_ENTRY >> 30);
        return Err(Unreadable::new(SkipKind::TooLarge, reason));
    }
    let whole: Box<dyn Content + 'c> = if let Some(offset) = entry.start {
        Box::new(Slice::new(reading.content, offset, size))
    } else {
        Box::new(disk::spooled(&mut start.chain(&mut entry.data))?)
    };
    if whole.len() < size {
        return Err(Unreadable::new(SkipKind::Truncated, "cut short"));
    }
    Ok(whole)
}

/// Returns true if more than the first bytes of a file may be needed: that of a kind that readers
/// know, or of a compressed program, or of a part of a chart.
fn is_read_whole(
    reading: LayerReading<'_>,
    file: &File<'_>,
    size: u64,
    kind: &SingleFile<'_>,
) -> bool {
    matches!(kind, SingleFile::Evidence(_) | SingleFile::PackedProgram)
        || reading.kind != Kind::Layer && charts::is_part(&file.place.file, size)
}

/// Returns true if a path within an archive indicates an image.
fn indicates_image(path: &Path) -> bool {
    ["oci-layout", "index.json", "manifest.json"].map(Path::new).contains(&path)
}
