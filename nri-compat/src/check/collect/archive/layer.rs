//! One layer, or one plain archive, read through once: what readers saw in it, and what it hides.

use std::collections::HashMap;

use tar::EntryType;

use super::covers::Covers;
use super::entries::{Entries, Entry, Source};
use super::kind;
use super::limits::{ENTRY, Limits};
use super::names;
use super::spool;
use super::unpack::Unpacked;
use super::window::Window;
use crate::check::collect::found::Found;
use crate::check::collect::scan::Scan;
use crate::check::content::{Content, File, HEAD};
use crate::check::escape;
use crate::check::packing::{Packing, Stream};
use crate::check::place::Place;
use crate::check::skipped::{SkipKind, Skipped, Unreadable};

/// The most files of one layer in which something is seen.
const HITS: usize = 20_000;

/// The most hard links kept that lead to nothing seen in the same layer.
const LINKS: usize = 10_000;

/// The most names kept of one file.
const NAMES: usize = 100;

/// When to stop reading.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    Never,
    /// As soon as an entry shows that the archive is an image.
    AtImage,
}

/// What one layer has.
#[derive(Default)]
pub(super) struct Layer {
    pub(super) hits: Vec<Hit>,
    /// Hard links to files that may be in lower layers, by their targets.
    pub(super) links: HashMap<Vec<u8>, Vec<Vec<u8>>>,
    link_count: usize,
    pub(super) covers: Covers,
    /// Why it could not be read to its end.
    pub(super) failed: Option<Unreadable>,
    /// Whether reading stopped since the archive is an image.
    pub(super) is_image: bool,
    /// Archives in it: the first one, and how many there are.
    archives: (Option<String>, u64),
    /// Which hit a path belongs to.
    by_path: HashMap<Vec<u8>, usize>,
}

/// One file in which readers saw something.
pub(super) struct Hit {
    /// Its names.
    pub(super) paths: Vec<Vec<u8>>,
    pub(super) found: Found,
}

/// Reads a layer.
pub(super) fn read(
    scan: &Scan<'_>,
    content: &dyn Content,
    kind: Packing,
    limits: &Limits,
    stop: Stop,
) -> Layer {
    let mut layer = Layer::default();
    if let Err(reason) = layer.fill(scan, content, kind, limits, stop) {
        layer.failed = Some(reason);
    }
    layer.covers.finish();
    layer.by_path = HashMap::new();
    layer
}

impl Layer {
    /// A layer that cannot be read at all.
    pub(super) fn failed(reason: Unreadable) -> Self {
        Self {
            failed: Some(reason),
            ..Self::default()
        }
    }

    fn fill(
        &mut self,
        scan: &Scan<'_>,
        content: &dyn Content,
        kind: Packing,
        limits: &Limits,
        stop: Stop,
    ) -> Result<(), Unreadable> {
        let mut entries = Entries::new(match kind {
            Packing::Not => Source::Anywhere(Stream::new(content)),
            packed => Source::Through(Unpacked::new(scan, content, packed, limits)?),
        });
        while let Some(entry) = entries.next()? {
            limits.entry()?;
            // What leads out of the archive is nowhere in it.
            let Some(path) = names::clean(&entry.path) else {
                continue;
            };
            if stop == Stop::AtImage && super::manifest::is_sign(&path) {
                self.is_image = true;
                return Ok(());
            }
            self.entry(scan, content, &mut entries, &entry, path)?;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        scan: &Scan<'_>,
        content: &dyn Content,
        entries: &mut Entries<'_>,
        entry: &Entry,
        path: Vec<u8>,
    ) -> Result<(), Unreadable> {
        self.covers.add(&path, entry.kind == EntryType::Directory);
        self.forget(&path);
        match entry.kind {
            EntryType::Link => self.link(path, &entry.link),
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
                self.file(scan, content, entries, entry, path)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// A later entry of the same path replaces the earlier one.
    fn forget(&mut self, path: &[u8]) {
        if let Some(place) = self.by_path.remove(path)
            && let Some(hit) = self.hits.get_mut(place)
        {
            hit.paths.retain(|known| known != path);
        }
    }

    fn link(&mut self, path: Vec<u8>, target: &[u8]) {
        let Some(target) = names::clean(target) else {
            return;
        };
        if let Some(place) = self.by_path.get(&target).copied() {
            if let Some(hit) = self.hits.get_mut(place)
                && hit.paths.len() < NAMES
            {
                hit.paths.push(path.clone());
                self.by_path.insert(path, place);
            }
        } else if self.link_count < LINKS {
            self.link_count += 1;
            self.links.entry(target).or_default().push(path);
        }
    }

    fn file(
        &mut self,
        scan: &Scan<'_>,
        content: &dyn Content,
        entries: &mut Entries<'_>,
        entry: &Entry,
        path: Vec<u8>,
    ) -> Result<(), Unreadable> {
        scan.count(0);
        if entry.size == 0 {
            return Ok(());
        }
        let head = entries.head(HEAD)?;
        let file = file(&path, head);
        if kind::of(&file).is_some() {
            self.archives.1 += 1;
            self.archives.0.get_or_insert(file.place.file);
        } else if scan.recognised(&file) {
            let found = see(scan, content, entries, entry, &file);
            self.hit(path, found)?;
        }
        Ok(())
    }

    fn hit(&mut self, path: Vec<u8>, found: Found) -> Result<(), Unreadable> {
        if found.is_empty() {
            return Ok(());
        }
        if self.hits.len() >= HITS {
            return Err(Unreadable::new(
                SkipKind::Limit,
                format!("more than {HITS} files with evidence in them"),
            ));
        }
        self.by_path.insert(path.clone(), self.hits.len());
        self.hits.push(Hit {
            paths: vec![path],
            found,
        });
        Ok(())
    }

    /// Hands over all that was seen in a plain archive.
    pub(super) fn report(self, scan: &Scan<'_>, archive: &Place) {
        self.report_limits(scan, archive);
        for mut hit in self.hits {
            hit.paths.sort();
            if let Some(path) = hit.paths.first() {
                scan.store(hit.found.moved(archive, &shown_path(path)));
            }
        }
    }

    /// Says what could not be looked at.
    pub(super) fn report_limits(&self, scan: &Scan<'_>, place: &Place) {
        if let Some(reason) = &self.failed {
            scan.skip(place.clone(), reason.clone());
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

/// Lets the readers see an entry.
fn see(
    scan: &Scan<'_>,
    content: &dyn Content,
    entries: &mut Entries<'_>,
    entry: &Entry,
    file: &File<'_>,
) -> Found {
    match contents(content, entries, entry, file) {
        Ok(content) => scan.look(&File {
            place: file.place.clone(),
            name: file.name.clone(),
            head: file.head.clone(),
            content: &*content,
            disk: None,
        }),
        Err(why) => Found::skipped(Skipped::unreadable(file.place.clone(), why)),
    }
}

fn contents<'c>(
    content: &'c dyn Content,
    entries: &mut Entries<'_>,
    entry: &Entry,
    file: &File<'_>,
) -> Result<Box<dyn Content + 'c>, Unreadable> {
    if !entry.whole {
        return Err(Unreadable::new(
            SkipKind::UnsupportedFormat,
            "stored as a sparse file, which is not read",
        ));
    }
    if entry.size > ENTRY {
        return Err(Unreadable::new(
            SkipKind::TooLarge,
            format!("larger than {} GiB", ENTRY >> 30),
        ));
    }
    Ok(match entry.start {
        Some(start) if start.saturating_add(entry.size) > content.len() => {
            return Err(super::unpack::cut_short());
        }
        Some(start) => Box::new(Window {
            base: content,
            start,
            len: entry.size,
        }),
        None => Box::new(spool::entry(&file.head, entries, entry.size)?),
    })
}

/// An entry with its first bytes only.
fn file(path: &[u8], head: Vec<u8>) -> File<'static> {
    File {
        place: shown_path(path).into(),
        name: escape::bytes(names::split(path).1),
        head,
        content: &Nothing,
        disk: None,
    }
}

/// A path within an archive, from its root.
pub(super) fn shown_path(path: &[u8]) -> String {
    format!("/{}", escape::bytes(path))
}

/// Stands for bytes that nobody reads: a file is recognised by its head.
struct Nothing;

impl Content for Nothing {
    fn len(&self) -> u64 {
        0
    }

    fn read_at(&self, _: u64, _: &mut [u8]) -> std::io::Result<usize> {
        Ok(0)
    }
}
