//! Storage of the parts of an image: a tar or a folder.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use tar::EntryType;

use super::blob::Blob;
use super::entries::{self, TarEntry};
use super::input::Input;
use super::limits::EntryCount;
use super::names;
use super::window::Window;

use crate::check::collect::disk::Disk;
use crate::check::content::Content;
use crate::check::evidence::text;
use crate::packing::Packing;
use crate::skipped::{SkipKind, Unreadable};

/// The maximum size of a manifest in bytes.
const MAX_MANIFEST: u64 = 1 << 20;

/// The maximum memory for the names in an archive in bytes; an image has few and short ones.
const MAX_NAMES: usize = 4 << 20;

/// The maximum number of links that are followed from one part to another.
const MAX_LINKS_FOLLOWED: usize = 8;

/// The parts of images by path: a tar, a folder, or a repository in a registry.
pub(in crate::check::collect) trait Store: Sync {
    /// Opens a part; `None` if it does not exist.
    fn open(&self, path: &str) -> Result<Option<Box<dyn Content + '_>>, Unreadable>;

    /// Returns the number of entries that were read of all layers.
    fn entries(&self) -> &EntryCount;

    /// Opens a layer, after its size and its digest were verified if it comes from a registry.
    fn layer(&self, blob: &Blob) -> Result<Box<dyn Content + '_>, Unreadable> {
        let missing = || Unreadable::new(SkipKind::NotFound, "it is not there");
        self.open(&blob.path)?.ok_or_else(missing)
    }

    /// Returns the reason why files besides the image are not read, if there are any. `layers` are the
    /// paths of its layers.
    fn others(&self, _layers: &BTreeSet<&str>) -> Option<Unreadable> {
        None
    }

    /// Reads a small part into memory.
    fn small(&self, path: &str) -> Result<Option<Vec<u8>>, Unreadable> {
        let Some(part) = self.open(path)? else {
            return Ok(None);
        };
        let named = |why: Unreadable| Unreadable::new(why.kind, format!("{path}: {why}"));
        text::bytes(&*part, MAX_MANIFEST).map(Some).map_err(named)
    }
}

/// An OCI layout on disk.
pub(super) struct Folder {
    path: PathBuf,
    entries: EntryCount,
}

impl Folder {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            entries: EntryCount::default(),
        }
    }
}

impl Store for Folder {
    fn open(&self, path: &str) -> Result<Option<Box<dyn Content + '_>>, Unreadable> {
        match Disk::open(&self.path.join(path)) {
            Ok(Some(disk)) => Ok(Some(Box::new(disk))),
            Ok(None) => Err(Unreadable::new(
                SkipKind::SpecialFile,
                format!("{path} is not a regular file"),
            )),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => {
                let why = Unreadable::from(&error);
                Err(Unreadable::new(why.kind, format!("{path}: {why}")))
            }
        }
    }

    fn entries(&self) -> &EntryCount {
        &self.entries
    }
}

/// An image in a tar that can be read at any offset.
pub(super) struct Packed<'c> {
    base: &'c dyn Content,
    parts: HashMap<String, Part>,
    entries: EntryCount,
    /// The reason why the tar could not be read to its end.
    pub(super) broken: Option<Unreadable>,
}

enum Part {
    Bytes { start: u64, len: u64 },
    Link(String),
}

impl<'c> Packed<'c> {
    /// Reads all headers.
    pub(super) fn index(base: &'c dyn Content) -> Self {
        let mut packed = Self {
            base,
            parts: HashMap::new(),
            entries: EntryCount::default(),
            broken: None,
        };
        if let Err(reason) = packed.fill() {
            packed.broken = Some(reason);
        }
        packed
    }

    fn fill(&mut self) -> Result<(), Unreadable> {
        let count = EntryCount::default();
        let mut names = 0_usize;
        entries::each(Input::new(self.base, Packing::Not)?, |entry| {
            count.add(entry.path.len())?;
            if let Ok(path) = String::from_utf8(names::clean(&entry.path)) {
                // The overhead of the map counts too.
                names += path.len() + 64;
                if names < MAX_NAMES {
                    self.parts
                        .extend(part(&entry, &path).map(|part| (path, part)));
                }
            }
            Ok(ControlFlow::Continue(()))
        })
    }
}

/// Returns an entry as a part of an image; `None` for other kinds of entries.
fn part(entry: &TarEntry<'_, '_>, path: &str) -> Option<Part> {
    match entry.kind {
        EntryType::Link => link(b"", &entry.link),
        EntryType::Symlink => link(names::split(path.as_bytes()).0, &entry.link),
        EntryType::Regular | EntryType::Continuous if !entry.is_sparse => {
            let (start, len) = (entry.start?, entry.size);
            Some(Part::Bytes { start, len })
        }
        _ => None,
    }
}

/// Returns the target of a link in `folder`.
fn link(folder: &[u8], target: &[u8]) -> Option<Part> {
    let path = names::clean(&[folder, target].join(&b'/'));
    Some(Part::Link(String::from_utf8(path).ok()?))
}

impl Store for Packed<'_> {
    fn open(&self, path: &str) -> Result<Option<Box<dyn Content + '_>>, Unreadable> {
        let mut path = path;
        for _ in 0..MAX_LINKS_FOLLOWED {
            match self.parts.get(path) {
                None => return Ok(None),
                Some(Part::Link(target)) => path = target,
                Some(Part::Bytes { start, len }) => {
                    return Ok(Some(Box::new(Window {
                        base: self.base,
                        start: *start,
                        len: *len,
                    })));
                }
            }
        }
        Err(Unreadable::new(
            SkipKind::Link,
            format!("{path} is a circular link"),
        ))
    }

    fn entries(&self) -> &EntryCount {
        &self.entries
    }

    fn others(&self, layers: &BTreeSet<&str>) -> Option<Unreadable> {
        let paths = self.parts.keys().map(String::as_str);
        let others = paths.filter(|path| !layers.contains(path) && !is_part_of_image(path));
        let mut others: Vec<&str> = others.collect();
        others.sort_unstable();
        let first = crate::escape::bytes(others.first()?.as_bytes());
        let reason = match others.len() {
            1 => format!("besides the image, {first}, which was not read"),
            more => format!(
                "besides the image, {first} and {} more, which were not read",
                more - 1
            ),
        };
        Some(Unreadable::new(SkipKind::UnsupportedFormat, reason))
    }
}

/// Returns true for the paths that programs give to the parts of an image, besides its layers.
fn is_part_of_image(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.starts_with("blobs/")
        || name.ends_with(".json")
        || ["json", "layer.tar", "oci-layout", "repositories", "VERSION"].contains(&name)
}
