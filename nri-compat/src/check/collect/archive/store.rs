//! Storage of the parts of an image: a tar or a folder.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use tar::EntryType;

use super::entries::{self, TarEntry};
use super::names;
use super::parts::{Blob, Image};
use crate::check::collect::disk::Disk;
use crate::check::content::{Content, Slice};
use crate::check::evidence::text;
use crate::escape;
use crate::packing::Packing;
use crate::skipped::{SkipKind, Unreadable};

/// The maximum size of a manifest in bytes.
const MAX_MANIFEST: u64 = 4 << 20;

/// The maximum memory for the names in an archive in bytes; an image has few and short ones.
const MAX_NAMES: usize = 4 << 20;

/// The memory for a name in addition to its text, in bytes.
const NAME_OVERHEAD: usize = 64;

/// The maximum number of links that are followed from one part to another.
const MAX_LINKS_FOLLOWED: usize = 8;

/// The parts of images by path: a tar, a folder, or a repository in a registry.
pub(in crate::check::collect) trait Store: Sync {
    /// Opens a part; `None` if it does not exist.
    fn open(&self, path: &str) -> Result<Option<Box<dyn Content + '_>>, Unreadable>;

    /// Opens a layer, after its size and its digest were verified if it comes from a registry.
    fn layer(&self, blob: &Blob) -> Result<Box<dyn Content + '_>, Unreadable> {
        let missing = || Unreadable::new(SkipKind::NotFound, "it is not there");
        self.open(&blob.path)?.ok_or_else(missing)
    }
}

/// Reads a small part into memory; `None` if it does not exist.
pub(super) fn small(store: &dyn Store, path: &str) -> Result<Option<Vec<u8>>, Unreadable> {
    let part = store.open(path)?;
    let bytes = part.map(|part| text::bytes(&*part, MAX_MANIFEST));
    bytes.transpose().map_err(|why| of_part(path, why))
}

/// Returns the reason why this part cannot be read.
fn of_part(path: &str, why: Unreadable) -> Unreadable {
    Unreadable::new(why.kind, format!("{path}: {why}"))
}

/// An OCI layout on disk.
pub(super) struct Folder(pub(super) PathBuf);

impl Store for Folder {
    fn open(&self, path: &str) -> Result<Option<Box<dyn Content + '_>>, Unreadable> {
        match Disk::open(&self.0.join(path)) {
            Ok(Some(disk)) => Ok(Some(Box::new(disk))),
            Ok(None) => {
                let reason = format!("{path} is not a regular file");
                Err(Unreadable::new(SkipKind::SpecialFile, reason))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(of_part(path, Unreadable::from(error))),
        }
    }
}

/// An image in a tar that can be read at any offset.
pub(super) struct Packed<'c> {
    base: &'c dyn Content,
    parts: HashMap<PathBuf, Part>,
    /// The reason why the tar could not be read to its end.
    pub(super) broken: Option<Unreadable>,
}

enum Part {
    Bytes { start: u64, len: u64 },
    Link(PathBuf),
}

impl<'c> Packed<'c> {
    /// Reads all headers.
    pub(super) fn index(base: &'c dyn Content) -> Self {
        let mut packed = Self {
            base,
            parts: HashMap::new(),
            broken: None,
        };
        packed.broken = packed.fill().err();
        packed
    }

    fn fill(&mut self) -> Result<(), Unreadable> {
        let mut names = 0;
        entries::each(self.base, Packing::Not, |entry| {
            let path = names::clean(OsStr::from_bytes(&entry.path));
            names += path.as_os_str().len() + NAME_OVERHEAD;
            if names > MAX_NAMES {
                let reason = format!("names of more than {} MiB", MAX_NAMES >> 20);
                return Err(Unreadable::new(SkipKind::Limit, reason));
            }
            let part = part(&entry, &path);
            self.parts.extend(part.map(|part| (path, part)));
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Returns the reason why files besides these images are not read, if there are any.
    pub(super) fn others(&self, images: &[Image]) -> Option<Unreadable> {
        let layers = images.iter().flat_map(|image| &image.layers);
        let layers: BTreeSet<&Path> = layers.map(|blob| Path::new(&blob.path)).collect();
        let paths = self.parts.keys().map(PathBuf::as_path);
        let others = paths.filter(|path| !layers.contains(path) && !is_part_of_image(path));
        let others: BTreeSet<&Path> = others.collect();
        let first = escape::path(others.first()?);
        let more = match others.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let reason = format!("besides the image, {first}{more}, not read");
        Some(Unreadable::new(SkipKind::UnsupportedFormat, reason))
    }
}

/// Returns an entry as a part of an image; `None` for other kinds of entries.
fn part(entry: &TarEntry<'_, '_>, path: &Path) -> Option<Part> {
    let target = OsStr::from_bytes(&entry.link);
    let target = match entry.kind {
        EntryType::Link => names::clean(target),
        EntryType::Symlink => names::link_target(path, target),
        _ if entry.is_file() && !entry.is_partial => {
            let (start, len) = (entry.start?, entry.size);
            return Some(Part::Bytes { start, len });
        }
        _ => return None,
    };
    Some(Part::Link(target))
}

impl Store for Packed<'_> {
    fn open(&self, path: &str) -> Result<Option<Box<dyn Content + '_>>, Unreadable> {
        let mut path = Path::new(path);
        for _ in 0..MAX_LINKS_FOLLOWED {
            match self.parts.get(path) {
                None => return Ok(None),
                Some(Part::Link(target)) => path = target,
                Some(Part::Bytes { start, len }) => {
                    return Ok(Some(Box::new(Slice::new(self.base, *start, *len))));
                }
            }
        }
        let reason = format!("{} is a circular link", escape::path(path));
        Err(Unreadable::new(SkipKind::Link, reason))
    }
}

/// Returns true for the paths that programs give to the parts of an image, besides its layers.
fn is_part_of_image(path: &Path) -> bool {
    let names = ["json", "layer.tar", "oci-layout", "repositories", "VERSION"];
    path.starts_with("blobs")
        || path.extension() == Some(OsStr::new("json"))
        || path
            .file_name()
            .is_some_and(|name| names.iter().any(|known| name == *known))
}
