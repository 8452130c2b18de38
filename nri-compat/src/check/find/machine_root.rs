//! The root of a machine's file system, which may be mounted in a folder. Links are resolved as on
//! that machine.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::check::container::archive::names;

/// The maximum number of symbolic links that are followed for one path, as in Linux.
const MAX_LINKS_FOLLOWED: usize = 40;

/// The folder that contains a machine's file system.
#[derive(Clone, Debug, Default)]
pub(in crate::check) struct MachineRoot {
    folder: PathBuf,
}

impl MachineRoot {
    /// Returns the file system at this folder.
    pub(in crate::check) fn new(folder: &Path) -> Self {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        Self { folder }
    }

    /// Returns the folder.
    pub(in crate::check) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns true if paths and links have to be mapped below the folder.
    pub(in crate::check) fn is_mounted(&self) -> bool {
        self.folder != Path::new("/")
    }

    /// Maps a path of the machine below the folder, without resolving links: `..` does not lead
    /// above the root.
    pub(in crate::check) fn below(&self, path: impl AsRef<Path>) -> PathBuf {
        self.folder.join(names::clean(path.as_ref()))
    }

    /// Returns the path on the machine for a path below the folder; `None` for other paths.
    pub(in crate::check) fn inner(&self, path: &Path) -> Option<PathBuf> {
        let rest = path.strip_prefix(&self.folder).ok()?;
        Some(Path::new("/").join(rest))
    }

    /// Resolves all links of a path below the folder as on the machine itself: absolute links start
    /// at its root, and `..` does not lead above it. Other paths are resolved as usual.
    ///
    /// # Errors
    ///
    /// Returns an error if the path does not exist or its links are circular.
    pub(in crate::check) fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        match self.inner(path) {
            Some(inner) if self.is_mounted() => self.resolve_inner(&inner),
            Some(_) | None => path.canonicalize(),
        }
    }

    fn resolve_inner(&self, inner: &Path) -> io::Result<PathBuf> {
        let mut left = reversed_parts(inner);
        let mut resolved = PathBuf::from("/");
        let mut followed = 0;
        while let Some(part) = left.pop() {
            if part == ".." {
                resolved.pop();
                continue;
            }
            let next = resolved.join(&part);
            let real = self.below(&next);
            if !real.symlink_metadata()?.is_symlink() {
                resolved = next;
                continue;
            }
            followed += 1;
            if followed > MAX_LINKS_FOLLOWED {
                return Err(io::Error::from_raw_os_error(libc::ELOOP));
            }
            let target = real.read_link()?;
            if target.is_absolute() {
                resolved = PathBuf::from("/");
            }
            left.extend(reversed_parts(&target));
        }
        let real = self.below(&resolved);
        real.metadata()?;
        Ok(real)
    }
}

/// Returns the names in a path, the last one first.
fn reversed_parts(path: &Path) -> Vec<OsString> {
    let is_named =
        |part: &Component<'_>| matches!(part, Component::Normal(_) | Component::ParentDir);
    let parts = path.components().rev().filter(is_named);
    parts.map(|part| part.as_os_str().to_owned()).collect()
}
