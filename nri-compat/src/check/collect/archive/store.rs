//! Storage of the parts of an image: a tar or a folder.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use tar::EntryType;

use super::entries::{Entries, Source};
use super::limits::Limits;
use super::names;
use super::window::Window;

use crate::check::collect::disk::Disk;
use crate::check::content::{Content, Stream};
use crate::skipped::{SkipKind, Unreadable};

/// The maximum size of a manifest in bytes.
const MAX_MANIFEST: u64 = 1 << 20;

/// The maximum memory for the names in an archive in bytes; an image has few and short ones.
const MAX_NAMES: usize = 4 << 20;

/// The maximum number of links that are followed from one part to another.
const MAX_LINKS_FOLLOWED: usize = 8;

/// Storage of parts by path.
pub(in crate::check::collect) trait Store: Sync {
    /// Opens a part; `None` if it does not exist.
    fn open(&self, path: &str) -> Result<Option<Box<dyn Content + '_>>, Unreadable>;

    /// Returns the total size of all parts in bytes, if known.
    fn size(&self) -> Option<u64>;

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
        if part.len() > MAX_MANIFEST {
            return Err(Unreadable::new(
                SkipKind::TooLarge,
                format!("{path} is larger than {} MiB", MAX_MANIFEST >> 20),
            ));
        }
        let mut bytes = vec![0; usize::try_from(part.len()).unwrap_or(0)];
        let read = part
            .read_at(0, &mut bytes)
            .map_err(|error| Unreadable::from(&error))?;
        bytes.truncate(read);
        Ok(Some(bytes))
    }
}

/// An OCI layout on disk.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }
}

impl Store for Folder {
    fn open(&self, path: &str) -> Result<Option<Box<dyn Content + '_>>, Unreadable> {
        match Disk::open(&self.0.join(path)) {
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

    fn size(&self) -> Option<u64> {
        None
    }
}

/// An image in a tar that can be read at any offset.
pub(super) struct Packed<'c> {
    base: &'c dyn Content,
    parts: HashMap<String, Part>,
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
            broken: None,
        };
        if let Err(reason) = packed.fill() {
            packed.broken = Some(reason);
        }
        packed
    }

    fn fill(&mut self) -> Result<(), Unreadable> {
        let limits = Limits::of(self.base.len());
        let stream = Stream::new(self.base);
        let mut entries = Entries::new(Source::Anywhere(stream));
        let mut names = 0_usize;
        while let Some(entry) = entries.next()? {
            limits.entry()?;
            let Ok(path) = String::from_utf8(names::clean(&entry.path)) else {
                continue;
            };
            let part = match entry.kind {
                EntryType::Link => link(b"", &entry.link),
                EntryType::Symlink => link(names::split(path.as_bytes()).0, &entry.link),
                EntryType::Regular | EntryType::Continuous if entry.sparse.is_none() => {
                    entry.start.map(|start| Part::Bytes {
                        start,
                        len: entry.size,
                    })
                }
                _ => None,
            };
            // The overhead of the map counts too.
            names += path.len() + 64;
            if names < MAX_NAMES {
                self.parts.extend(part.map(|part| (path, part)));
            }
        }
        Ok(())
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

    fn size(&self) -> Option<u64> {
        Some(self.base.len())
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
