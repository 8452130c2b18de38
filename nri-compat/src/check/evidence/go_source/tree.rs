//! The files around a Go file, in any storage.

use std::fs;
use std::io::Read as _;
use std::path::Path;

/// The maximum number of names in one folder.
const MAX_NAMES: usize = 20_000;

/// Folders and files that imports, module files and replacements lead to.
pub(in crate::check) trait Tree {
    /// Returns the names in a folder, sorted; `None` if it cannot be read or has too many.
    fn names(&self, folder: &Path) -> Option<Vec<String>>;
    /// Reads a regular file of at most `largest` bytes; `None` if it is not such a file, or cannot
    /// be read.
    fn read(&self, path: &Path, largest: u64) -> Option<Vec<u8>>;
    /// Returns true if the path is a regular file.
    fn is_file(&self, path: &Path) -> bool;
    /// Returns true if the path is a folder.
    fn is_folder(&self, path: &Path) -> bool;
    /// Returns true if the path is a symbolic link.
    fn is_link(&self, path: &Path) -> bool;
}

/// The file system. Links are followed, as the Go toolchain does.
pub(in crate::check) struct Disk;

impl Tree for Disk {
    fn names(&self, folder: &Path) -> Option<Vec<String>> {
        let entries = fs::read_dir(folder).ok()?;
        let mut names = Vec::new();
        for entry in entries {
            // The toolchain ignores names that are not UTF-8.
            names.extend(entry.ok()?.file_name().into_string().ok());
            if names.len() > MAX_NAMES {
                return None;
            }
        }
        names.sort();
        Some(names)
    }

    fn read(&self, path: &Path, largest: u64) -> Option<Vec<u8>> {
        // Never opens a FIFO or a device.
        if !self.is_file(path) {
            return None;
        }
        let mut bytes = Vec::new();
        let file = fs::File::open(path).ok()?;
        file.take(largest + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= largest).then_some(bytes)
    }

    fn is_file(&self, path: &Path) -> bool {
        path.metadata().is_ok_and(|metadata| metadata.is_file())
    }

    fn is_folder(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn is_link(&self, path: &Path) -> bool {
        path.is_symlink()
    }
}
