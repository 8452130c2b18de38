//! Paths as text, without a look at the file system.

use std::path::{Component, Path, PathBuf};

/// Removes `.` and `..` from a path without resolving links, as Go's `filepath.Clean` does.
pub(super) fn cleaned(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                clean.push(component);
            }
        }
    }
    clean
}
