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
use crate::check::collect::scan::Scan;
use crate::check::collect::seen::Seen;
use crate::check::collect::shown;
use crate::check::content::{Content, File, HEAD};
use crate::check::packing::{Packing, Stream};
use crate::report::check::Skipped;

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
    pub(super) failed: Option<String>,
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
    /// The name under which it was read.
    pub(super) shown: String,
    pub(super) seen: Seen,
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
    pub(super) fn failed(reason: String) -> Self {
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
    ) -> Result<(), String> {
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
    ) -> Result<(), String> {
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
    ) -> Result<(), String> {
        scan.count(0);
        if entry.size == 0 {
            return Ok(());
        }
        let head = entries.head(HEAD)?;
        let file = file(&path, head);
        if kind::of(&file).is_some() {
            self.archives.1 += 1;
            self.archives.0.get_or_insert(file.shown);
        } else if scan.recognised(&file) {
            let seen = see(scan, content, entries, entry, &file);
            self.hit(path, file.shown, seen)?;
        }
        Ok(())
    }

    fn hit(&mut self, path: Vec<u8>, shown: String, seen: Seen) -> Result<(), String> {
        if seen.is_empty() {
            return Ok(());
        }
        if self.hits.len() >= HITS {
            return Err(format!("more than {HITS} files with evidence in them"));
        }
        self.by_path.insert(path.clone(), self.hits.len());
        self.hits.push(Hit {
            paths: vec![path],
            shown,
            seen,
        });
        Ok(())
    }

    /// Hands over all that was seen in a plain archive.
    pub(super) fn report(self, scan: &Scan<'_>, archive: &str) {
        self.report_limits(scan, archive);
        for mut hit in self.hits {
            hit.paths.sort();
            if let Some(path) = hit.paths.first() {
                let path = shown_path(path);
                scan.store(hit.seen.moved(&hit.shown, &format!("{archive}: {path}")));
            }
        }
    }

    /// Says what could not be looked at.
    pub(super) fn report_limits(&self, scan: &Scan<'_>, place: &str) {
        if let Some(reason) = &self.failed {
            scan.skip_shown(place.to_owned(), reason.clone());
        }
        if let (Some(first), count) = &self.archives {
            let reason = match count {
                1 => "an archive within an archive, not opened".to_owned(),
                more => format!(
                    "an archive within an archive, not opened, like {} others",
                    more - 1
                ),
            };
            scan.skip_shown(format!("{place}: {first}"), reason);
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
) -> Seen {
    match contents(content, entries, entry, file) {
        Ok(content) => scan.seen(&File {
            shown: file.shown.clone(),
            name: file.name.clone(),
            head: file.head.clone(),
            content: &*content,
        }),
        Err(reason) => Seen::skipped(Skipped {
            path: file.shown.clone(),
            reason,
        }),
    }
}

fn contents<'c>(
    content: &'c dyn Content,
    entries: &mut Entries<'_>,
    entry: &Entry,
    file: &File<'_>,
) -> Result<Box<dyn Content + 'c>, String> {
    if !entry.whole {
        return Err("stored as a sparse file, which is not read".to_owned());
    }
    if entry.size > ENTRY {
        return Err(format!("larger than {} GiB", ENTRY >> 30));
    }
    Ok(match entry.start {
        Some(start) if start.saturating_add(entry.size) > content.len() => {
            return Err("cut short".to_owned());
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
        shown: shown_path(path),
        name: shown::bytes(names::split(path).1),
        head,
        content: &Nothing,
    }
}

/// A path within an archive, from its root.
pub(super) fn shown_path(path: &[u8]) -> String {
    format!("/{}", shown::bytes(path))
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
