//! One layer, or one plain archive, read once: the findings of the readers, and the paths that it
//! hides.

use std::collections::HashMap;
use std::ops::ControlFlow;

use tar::EntryType;

use super::covers::Covers;
use super::entries::{self, TarEntry};
use super::input::Input;
use super::kind;
use super::limits::EntryCount;
use super::links::Links;
use super::names;
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
use crate::skipped::{SkipKind, Skipped, Unreadable};

/// The maximum number of files with findings in one layer.
const MAX_HITS: usize = 20_000;

/// The point at which to stop reading.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The end of the archive.
    Never,
    /// The first entry that shows that the archive is an image.
    AtImage,
}

/// The findings in one layer, and the paths that it hides.
#[derive(Default)]
pub(in crate::check::collect) struct Layer {
    pub(super) hits: Vec<Hit>,
    pub(super) links: Links,
    pub(super) covers: Covers,
    /// The reason why it could not be read to its end.
    pub(super) failed: Option<Unreadable>,
    /// True if reading stopped because the archive is an image.
    pub(super) is_image: bool,
    /// The first nested archive, and the number of nested archives.
    archives: (Option<String>, u64),
    /// The index of the hit for each path.
    by_path: HashMap<Vec<u8>, usize>,
}

/// A file with findings.
pub(super) struct Hit {
    /// The names of the file.
    pub(super) paths: Vec<Vec<u8>>,
    pub(super) found: Found,
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
    layer.finish();
    layer
}

/// Returns the findings in the file of a layer with this path.
#[cfg(feature = "registry")]
pub(in crate::check::collect) fn file_at<'l>(layer: &'l Layer, path: &[u8]) -> Option<&'l Found> {
    let has_path = |hit: &&Hit| hit.paths.iter().any(|known| known == path);
    layer.hits.iter().find(has_path).map(|hit| &hit.found)
}

/// Returns true if a runtime may start the file with this path.
fn is_launched(entry: &TarEntry<'_, '_>, path: &[u8]) -> bool {
    names::is_plugin_folder(names::split(path).0) && entry.is_executable
}

impl Layer {
    /// Returns true if the layer has this path or removes it, so that lower layers do not matter, or
    /// could not be read to its end.
    #[cfg(feature = "registry")]
    pub(in crate::check::collect) fn hides(&self, path: &[u8]) -> bool {
        self.failed.is_some() || self.covers.hide(path, &[])
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
            reading.entries.add()?;
            let path = names::clean(&entry.path);
            if stop == Stop::AtImage && indicates_image(&path) {
                self.is_image = true;
                return Ok(ControlFlow::Break(()));
            }
            self.entry(reading, entry, path)?;
            Ok(ControlFlow::Continue(()))
        })
    }

    fn finish(&mut self) {
        self.covers.finish();
        self.by_path = HashMap::new();
        self.links.finish();
    }

    fn entry(
        &mut self,
        reading: Reading<'_>,
        entry: TarEntry<'_, '_>,
        path: Vec<u8>,
    ) -> Result<(), Unreadable> {
        self.covers.add(&path, entry.is_folder());
        self.forget(&path);
        match entry.kind {
            EntryType::Link => self.link(path, &entry.link),
            EntryType::Symlink => {
                self.covers.add_link(&path);
                self.links.add_symbolic(path, &entry.link);
            }
            _ if entry.is_file() => self.file(reading, entry, path)?,
            _ => {}
        }
        Ok(())
    }

    /// Drops the findings of an earlier entry with this path, which the later one replaces.
    fn forget(&mut self, path: &[u8]) {
        self.links.forget(path);
        if let Some(place) = self.by_path.remove(path)
            && let Some(hit) = self.hits.get_mut(place)
        {
            hit.paths.retain(|known| known != path);
        }
    }

    fn link(&mut self, path: Vec<u8>, target: &[u8]) {
        let target = names::clean(target);
        if target == path || !self.links.may_keep() {
            return;
        }
        if let Some(place) = self.by_path.get(&target).copied()
            && let Some(hit) = self.hits.get_mut(place)
        {
            hit.paths.push(path.clone());
            self.by_path.insert(path, place);
        } else {
            self.links.add_hard(path, target);
        }
    }

    fn file(
        &mut self,
        reading: Reading<'_>,
        mut entry: TarEntry<'_, '_>,
        path: Vec<u8>,
    ) -> Result<(), Unreadable> {
        if entry.size == 0 {
            reading.scan.count(FileOutcome::Empty);
            return Ok(());
        }
        if entry.is_sparse {
            let reason = "a sparse file: extract the archive and check the folder";
            let why = Unreadable::new(SkipKind::UnsupportedFormat, reason);
            return self.unreadable(reading, path, why);
        }
        let file = with_head(&path, entry.head(HEAD as u64)?);
        if self.is_nested(reading, &file) {
            return Ok(());
        }
        if reading.scan.recognised(&file) {
            let found = match stored(reading.content, &mut entry, &file.head) {
                Ok(content) => reading.scan.look(&File {
                    content: &*content,
                    ..file
                }),
                Err(why) => Found::skipped(Skipped::unreadable(file.place, why)),
            };
            return self.recognised(reading, &entry, path, found);
        }
        let text = String::from_utf8_lossy(&path);
        let is_chart = !reading.is_layer && charts::is_part(&text, entry.size);
        let has_whole = is_chart || compressed::may_hold_program(&file.head);
        if has_whole && let Ok(content) = stored(reading.content, &mut entry, &file.head) {
            let content = &*content;
            return self.whole(reading, &entry, path, &File { content, ..file });
        }
        let mut start = file.head.to_vec();
        if start.contains(&0) {
            start.extend(entry.head((unread_format::ENOUGH - HEAD) as u64)?);
        }
        let content = &start;
        self.unrecognised(reading, &entry, path, &File { content, ..file })
    }

    /// Reads all of a part of a chart, or of a compressed file that may hold programs.
    fn whole(
        &mut self,
        reading: Reading<'_>,
        entry: &TarEntry<'_, '_>,
        path: Vec<u8>,
        file: &File<'_>,
    ) -> Result<(), Unreadable> {
        // More than the first bytes may be necessary to recognise it.
        if self.is_nested(reading, file) {
            return Ok(());
        }
        match compressed::program(file) {
            Some(Ok(program)) => {
                let inner = program.file(&file.place).map_err(Unreadable::from)?;
                let found = reading.scan.look(&inner);
                return self.recognised(reading, entry, path, found);
            }
            Some(Err(why)) => return self.unreadable(reading, path, why),
            None => {}
        }
        let chart = charts::in_archive(file).filter(|_| !reading.is_layer);
        if let Some((folder, sighting)) = chart
            && !self.by_path.contains_key(folder.as_bytes())
        {
            self.hit(folder.into_bytes(), Found::sighting(sighting))?;
        }
        self.unrecognised(reading, entry, path, file)
    }

    /// Records the findings in a file. A program that a runtime starts has some in any case.
    fn recognised(
        &mut self,
        reading: Reading<'_>,
        entry: &TarEntry<'_, '_>,
        path: Vec<u8>,
        found: Found,
    ) -> Result<(), Unreadable> {
        let found = if is_launched(entry, &path) {
            unjudged::with_answer(found, &with_head(&path, Vec::new()), Demand::Launched)
        } else {
            found
        };
        reading.scan.count(found.outcome());
        self.hit(path, found)
    }

    /// Records an archive within the archive, which is not opened. Returns whether the file is one.
    fn is_nested(&mut self, reading: Reading<'_>, file: &File<'_>) -> bool {
        if kind::of(file).is_none() {
            return false;
        }
        reading.scan.count(FileOutcome::Unreadable);
        self.archives.1 += 1;
        self.archives
            .0
            .get_or_insert_with(|| file.place.file.clone());
        true
    }

    /// Records a file that no reader recognises. A runtime may start it.
    fn unrecognised(
        &mut self,
        reading: Reading<'_>,
        entry: &TarEntry<'_, '_>,
        path: Vec<u8>,
        file: &File<'_>,
    ) -> Result<(), Unreadable> {
        if !is_launched(entry, &path) {
            if let Some(why) = unread_format::reason(&file.head, file.content) {
                return self.unreadable(reading, path, why);
            }
            reading.scan.count(FileOutcome::OtherFile);
            return Ok(());
        }
        reading.scan.count(FileOutcome::Evidence);
        self.hit(path, unjudged::launched(file))
    }

    /// Records a file that cannot be read.
    fn unreadable(
        &mut self,
        reading: Reading<'_>,
        path: Vec<u8>,
        why: Unreadable,
    ) -> Result<(), Unreadable> {
        reading.scan.count(FileOutcome::Unreadable);
        let place = Place::from(shown_path(&path));
        self.hit(path, Found::skipped(Skipped::unreadable(place, why)))
    }

    /// Records the findings in a file.
    pub(super) fn hit(&mut self, path: Vec<u8>, found: Found) -> Result<(), Unreadable> {
        if found.is_empty() {
            return Ok(());
        }
        if self.hits.len() >= MAX_HITS {
            let reason = format!("more than {MAX_HITS} files with evidence in them");
            return Err(Unreadable::new(SkipKind::Limit, reason));
        }
        self.by_path.insert(path.clone(), self.hits.len());
        self.hits.push(Hit {
            paths: vec![path],
            found,
        });
        Ok(())
    }

    /// Reports what could not be checked.
    pub(in crate::check::collect) fn report_limits(&self, scan: &Scan<'_>, place: &Place) {
        if let Some(why) = &self.failed {
            scan.skip(place.clone(), why.clone());
        }
        if let Some(reason) = self.links.limit() {
            scan.skip(place.clone(), Unreadable::new(SkipKind::Limit, reason));
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

/// Returns true if a path within an archive indicates an image.
fn indicates_image(path: &[u8]) -> bool {
    matches!(path, b"oci-layout" | b"index.json" | b"manifest.json")
}
