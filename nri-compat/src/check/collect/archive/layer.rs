//! One layer, or one plain archive, read once: its entries, with the findings of the readers.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use tar::EntryType;

use super::entries::{self, TarEntry};
use super::input::Input;
use super::kind;
use super::limits::EntryCount;
use super::names::{self, Whiteout};
use super::stored::{shown_path, stored, with_head};
use crate::check::collect::demand::Demand;
use crate::check::collect::file_outcome::FileOutcome;
use crate::check::collect::found::Found;
use crate::check::collect::scan::Scan;
use crate::check::collect::{charts, compressed, unjudged, unread_format};
use crate::check::content::{Content, File};
use crate::check::head::HEAD;
use crate::packing::Packing;
use crate::place::Place;
use crate::sighting::Sighting;
use crate::skipped::{SkipKind, Skipped, Unreadable};

/// The maximum number of files with findings in one layer.
const MAX_FINDINGS: usize = 20_000;

/// The point at which to stop reading.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The end of the archive.
    Never,
    /// The first entry that shows that the archive is an image.
    AtImage,
}

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
    /// The first nested archive, and the number of nested archives.
    archives: (Option<String>, u64),
    /// The number of files with findings.
    findings: usize,
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

/// The scan, the bytes and the count of entries with which an archive is read.
#[derive(Clone, Copy)]
pub(in crate::check::collect) struct Reading<'r> {
    pub(in crate::check::collect) scan: &'r Scan<'r>,
    pub(in crate::check::collect) content: &'r dyn Content,
    pub(in crate::check::collect) entries: &'r EntryCount,
    /// True for the layer of an image, whose text files say nothing about what runs.
    pub(in crate::check::collect) is_layer: bool,
}

/// Reads a layer or a plain archive.
pub(super) fn read(reading: Reading<'_>, packing: Packing, stop: Stop) -> Layer {
    let mut layer = Layer::default();
    if let Err(why) = layer.fill(reading, packing, stop) {
        layer.failed = Some(why);
    }
    layer
}

impl Layer {
    /// Returns the findings in the file with this path.
    #[cfg(feature = "registry")]
    pub(in crate::check::collect) fn file_at(&self, path: &[u8]) -> Option<&Found> {
        let mut changes = self.changes.iter().rev();
        match changes.find(|(known, _)| **known == *path)? {
            (_, Change::File(found)) => found.as_deref(),
            _ => None,
        }
    }

    /// Returns true if lower layers do not matter for the file with this path, or if the layer could not be
    /// read to its end.
    #[cfg(feature = "registry")]
    pub(in crate::check::collect) fn hides(&self, path: &[u8]) -> bool {
        let is_below = |above: &[u8]| names::is_within(path, above);
        let hides = |(known, change): &(Box<[u8]>, Change)| match change {
            Change::Whiteout(Whiteout::Gone(hidden) | Whiteout::Opaque(hidden)) => is_below(hidden),
            Change::Folder => **known == *path,
            Change::File(_) | Change::Hard(_) | Change::Symbolic(_) => is_below(known),
        };
        self.failed.is_some() || self.changes.iter().any(hides)
    }

    /// Returns a layer that cannot be read.
    pub(in crate::check::collect) fn failed(why: Unreadable) -> Self {
        Self {
            failed: Some(why),
            ..Self::default()
        }
    }

    fn fill(
        &mut self,
        reading: Reading<'_>,
        packing: Packing,
        stop: Stop,
    ) -> Result<(), Unreadable> {
        entries::each(Input::new(reading.content, packing)?, |entry| {
            reading.entries.add(entry.path.len() + entry.link.len())?;
            let path = names::clean(&entry.path);
            if stop == Stop::AtImage && indicates_image(&path) {
                self.is_image = true;
                return Ok(ControlFlow::Break(()));
            }
            self.entry(reading, entry, path)?;
            Ok(ControlFlow::Continue(()))
        })
    }

    fn entry(
        &mut self,
        reading: Reading<'_>,
        entry: TarEntry<'_, '_>,
        path: Vec<u8>,
    ) -> Result<(), Unreadable> {
        let whiteout = names::whiteout(&path).filter(|_| reading.is_layer);
        let change = if let Some(whiteout) = whiteout {
            Change::Whiteout(whiteout)
        } else if entry.is_folder() {
            Change::Folder
        } else if entry.kind == EntryType::Symlink {
            Change::Symbolic(names::link_target(&path, &entry.link).into())
        } else if entry.kind == EntryType::Link {
            Change::Hard(names::clean(&entry.link).into())
        } else if entry.is_file() {
            Change::File(self.file(reading, entry, &path)?)
        } else {
            Change::File(None)
        };
        self.changes.push((path.into(), change));
        Ok(())
    }

    /// Reads a file, and counts it. Returns the findings in it.
    fn file(
        &mut self,
        reading: Reading<'_>,
        mut entry: TarEntry<'_, '_>,
        path: &[u8],
    ) -> Result<Option<Box<Found>>, Unreadable> {
        if entry.is_sparse {
            let reason = "a sparse file: extract the archive and check the folder";
            let why = Unreadable::new(SkipKind::UnsupportedFormat, reason);
            let place = shown_path(path);
            let found = Found::skipped(Skipped::unreadable(place, why));
            return self.keep(reading, Some(found));
        }
        if entry.size == 0 {
            reading.scan.count(FileOutcome::Empty);
            return Ok(None);
        }
        let is_launched = names::is_launched(path) && entry.is_executable;
        let file = with_head(path, entry.head(HEAD as u64)?);
        if self.is_nested(reading, &file) {
            return Ok(None);
        }
        let content = if is_read_whole(reading, &file, entry.size) {
            stored(reading.content, &mut entry, &file.head)
        } else {
            start(&mut entry, &file.head)
        };
        match content {
            Ok(content) => {
                let content = &*content;
                self.content(reading, &File { content, ..file }, is_launched)
            }
            Err(why) => self.keep(reading, answered(&file, is_launched, Err(why))),
        }
    }

    /// Reads the content of a file.
    fn content(
        &mut self,
        reading: Reading<'_>,
        file: &File<'_>,
        is_launched: bool,
    ) -> Result<Option<Box<Found>>, Unreadable> {
        // More than the first bytes may be necessary to recognise an archive.
        if self.is_nested(reading, file) {
            return Ok(None);
        }
        if !reading.is_layer
            && let Some((folder, sighting)) = charts::in_archive(file)
        {
            self.charts.entry(folder).or_insert(sighting);
        }
        self.keep(
            reading,
            answered(file, is_launched, reading.scan.findings(file)),
        )
    }

    /// Counts a file with these findings, if there are any.
    pub(super) fn keep(
        &mut self,
        reading: Reading<'_>,
        found: Option<Found>,
    ) -> Result<Option<Box<Found>>, Unreadable> {
        let Some(found) = found else {
            reading.scan.count(FileOutcome::OtherFile);
            return Ok(None);
        };
        reading.scan.count(found.outcome());
        if found.is_empty() {
            return Ok(None);
        }
        self.findings += 1;
        if self.findings > MAX_FINDINGS {
            let reason = format!("more than {MAX_FINDINGS} files with evidence in them");
            return Err(Unreadable::new(SkipKind::Limit, reason));
        }
        Ok(Some(Box::new(found)))
    }

    /// Counts an archive within the archive, which is not opened. Returns whether the file is one.
    fn is_nested(&mut self, reading: Reading<'_>, file: &File<'_>) -> bool {
        if kind::archive_packing(file).is_none() {
            return false;
        }
        reading.scan.count(FileOutcome::Unreadable);
        self.archives.1 += 1;
        self.archives
            .0
            .get_or_insert_with(|| file.place.file.clone());
        true
    }

    /// Reports what could not be checked.
    pub(in crate::check::collect) fn report_limits(&self, scan: &Scan<'_>, place: &Place) {
        if let Some(why) = &self.failed {
            scan.skip(place.clone(), why.clone());
        }
        if let (Some(first), count) = &self.archives {
            let reason = match count {
                1 => "an archive within an archive, not opened".to_owned(),
                more => format!(
                    "an archive within an archive, not opened, like {} others",
                    more - 1
                ),
            };
            scan.skip(
                place.entry(first),
                Unreadable::new(SkipKind::NestedArchive, reason),
            );
        }
    }
}

/// Returns true if more than the first bytes of a file may be needed: that of a kind that readers know, or
/// of a compressed program, or of a part of a chart.
fn is_read_whole(reading: Reading<'_>, file: &File<'_>, size: u64) -> bool {
    reading.scan.recognised(file)
        || compressed::may_hold_program(&file.head)
        || !reading.is_layer && charts::is_part(&file.place.file, size)
}

/// Returns the first bytes of an entry, enough to recognise every format if it is not a text.
fn start<'c>(
    entry: &mut TarEntry<'_, '_>,
    head: &[u8],
) -> Result<Box<dyn Content + 'c>, Unreadable> {
    let mut start = head.to_vec();
    if start.contains(&0) {
        start.extend(entry.head((unread_format::ENOUGH - HEAD) as u64)?);
    }
    Ok(Box::new(start))
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
