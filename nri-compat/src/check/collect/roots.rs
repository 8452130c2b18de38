//! The paths that the user named: followed if they are links, told apart, and freed of those that others contain.

use std::path::{Path, PathBuf};

use super::scan::Scan;
use super::{disk, shown};

/// A path to start from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Root {
    /// Without links.
    pub(super) path: PathBuf,
    /// As the user spelled it.
    pub(super) shown: PathBuf,
}

/// Where to start.
#[derive(Debug, Default)]
pub(super) struct Roots {
    /// Single files, in the order of naming.
    pub(super) files: Vec<Root>,
    /// Folders, none within another.
    pub(super) folders: Vec<Root>,
    /// All of them as the report shows them.
    pub(super) looked_at: Vec<String>,
}

/// Resolves the paths; what does not exist is listed as skipped and missing.
pub(super) fn resolve(scan: &Scan<'_>, paths: &[PathBuf]) -> Roots {
    let mut roots = Roots::default();
    for path in paths {
        roots.looked_at.push(shown::path(path));
        match path.canonicalize() {
            Ok(real) => roots.add(real, path),
            Err(error) => {
                scan.skip(path, disk::reason(&error));
                scan.missing(path);
            }
        }
    }
    roots.outermost();
    roots
}

impl Roots {
    fn add(&mut self, path: PathBuf, shown: &Path) {
        let to = if path.is_dir() {
            &mut self.folders
        } else {
            &mut self.files
        };
        if !to.iter().any(|root| root.path == path) {
            let shown = shown.to_owned();
            to.push(Root { path, shown });
        }
    }

    fn outermost(&mut self) {
        let all = self.folders.clone();
        self.folders.retain(|inner| {
            let contains =
                |outer: &Root| outer.path != inner.path && inner.path.starts_with(&outer.path);
            !all.iter().any(contains)
        });
    }
}
