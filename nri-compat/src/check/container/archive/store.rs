//! Storage of the parts of an image: a tar or a folder.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use tar::EntryType;

use super::entries::{self, TarEntry};
use super::manifest::{Image, Store};
use super::names;
use crate::check::content::disk::Disk;
use crate::check::content::{Content, Slice};
use crate::escape;
use crate::skipped::{SkipKind, Unreadable};
use crate::system;
use crate::unpack::Packing;

/// The maximum memory for the names in an archive in bytes; an image has few and short ones.
const MAX_NAMES: usize = 4 << 20;

/// The memory for a name in addition to its text, in bytes.
const NAME_OVERHEAD: usize = 64;

/// The maximum number of links that are followed from one part to another.
const MAX_LINKS_FOLLOWED: usize = 8;

/// An OCI layout on disk.
pub(super) struct LayoutFolder(pub(super) PathBuf);

impl Store for LayoutFolder {
    fn open(&self, path: &str) -> Result<Option<Box<dyn Content + '_>>, Unreadable> {
        match Disk::open(&self.0.join(path)) {
            Ok(Some(disk)) => Ok(Some(Box::new(disk))),
            Ok(None) => {
                let reason = format!("{path} is not a regular file");
                Err(Unreadable::new(SkipKind::SpecialFile, reason))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => {
                let why = Unreadable::from(error);
                Err(Unreadable::new(why.kind, format!("{path}: {why}")))
            }
        }
    }
}

/// An image in a tar that can be read at any offset.
pub(super) struct Packed<'c> {
    base: &'c dyn Content,
    parts: HashMap<PathBuf, TarPart>,
    /// The reason why the tar could not be read to its end.
    pub(super) broken: Option<Unreadable>,
}

enum TarPart {
    Bytes { start: u64, len: u64 },
    Link(PathBuf),
}

impl<'c> Packed<'c> {
    /// Reads all headers.
    pub(super) fn index(base: &'c dyn Content) -> Self {
        let (mut parts, mut names) = (HashMap::new(), 0);
        let read = entries::each(base, Packing::Not, |entry| {
            let path = names::clean(system::name(&entry.path));
            names += path.as_os_str().len() + NAME_OVERHEAD;
            if names > MAX_NAMES {
                let reason = format!("names of more than {} MiB", MAX_NAMES >> 20);
                return Err(Unreadable::new(SkipKind::Limit, reason));
            }
            let part = part(&entry, &path);
            parts.extend(part.map(|part| (path, part)));
            Ok(ControlFlow::Continue(()))
        });
        let broken = read.err();
        Self { base, parts, broken }
    }

    /// Returns the reason why files other than these images are not read, if there are any.
    pub(super) fn others(&self, images: &[Image]) -> Option<Unreadable> {
        let layers: BTreeSet<&Path> = images
            .iter()
            .flat_map(|image| &image.layers)
            .map(|blob| Path::new(&blob.path))
            .collect();
        let is_other = |path: &&PathBuf| !layers.contains(&***path) && !is_part_of_image(path);
        let first = escape::path(self.parts.keys().filter(is_other).min()?);
        let reason = format!("files next to those of the image, such as {first}, not read");
        Some(Unreadable::new(SkipKind::UnsupportedFormat, reason))
    }
}

/// Returns an entry as a part of an image; `None` for other kinds of entries.
fn part(entry: &TarEntry<'_, '_>, path: &Path) -> Option<TarPart> {
    let link = system::name(&entry.link);
    let target = match entry.kind {
        EntryType::Link => names::clean(link),
        EntryType::Symlink => names::link_target(path, &link),
        _ if entry.is_file() => {
            let (start, len) = (entry.start?, entry.size);
            return Some(TarPart::Bytes { start, len });
        }
        _ => return None,
    };
    Some(TarPart::Link(target))
}

impl Store for Packed<'_> {
    fn open(&self, path: &str) -> Result<Option<Box<dyn Content + '_>>, Unreadable> {
        let mut path = Path::new(path);
        for _ in 0..MAX_LINKS_FOLLOWED {
            match self.parts.get(path) {
                None => return Ok(None),
                Some(TarPart::Link(target)) => path = target,
                Some(TarPart::Bytes { start, len }) => {
                    return Ok(Some(Box::new(Slice::new(self.base, *start, *len))));
                }
            }
        }
        let reason = format!("{} is a circular link", escape::path(path));
        Err(Unreadable::new(SkipKind::Link, reason))
    }
}

/// Returns true for the paths that programs give to the parts of an image other than its layers.
fn is_part_of_image(path: &Path) -> bool {
    let names = ["json", "layer.tar", "oci-layout", "repositories", "VERSION"];
    path.starts_with("blobs")
        || path.extension() == Some(OsStr::new("json"))
        || path.file_name().is_some_and(|name| names.iter().any(|known| name == *known))
}
