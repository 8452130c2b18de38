//! The paths that the user named: followed if they are links, told apart, and freed of those that others contain.

use std::path::{Path, PathBuf};

use super::Request;
use super::runtime::{self, Configured};
use super::scan::Scan;
use crate::check::escape;
use crate::check::place::Place;
use crate::check::skipped::Unreadable;

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

/// Resolves what was asked for; what does not exist is listed as skipped and missing.
pub(super) fn resolve(scan: &Scan<'_>, request: &Request<'_>, root: &Path) -> Roots {
    let mut roots = Roots::default();
    for path in &request.paths {
        match runtime::read(path, root) {
            Some(configured) => roots.configured(scan, &configured, root),
            None => roots.named(scan, path),
        }
    }
    if request.processes {
        let proc = root.join("proc");
        roots
            .looked_at
            .push(format!("{} (processes)", escape::path(&proc)));
    } else if request.paths.is_empty() {
        roots.machine(scan, root);
    }
    roots.outermost();
    roots
}

impl Roots {
    fn named(&mut self, scan: &Scan<'_>, path: &Path) {
        self.looked_at.push(escape::path(path));
        match path.canonicalize() {
            Ok(real) => self.add(real, path),
            Err(error) => {
                scan.skip(Place::of(path), Unreadable::from(&error));
                scan.missing(path);
            }
        }
    }

    fn configured(&mut self, scan: &Scan<'_>, configured: &Configured, root: &Path) {
        self.looked_at.push(configured.line());
        scan.skip_all(&configured.skipped);
        for folder in configured.folders(root) {
            match folder.exists() {
                true => self.named(scan, &folder),
                false => self.looked_at.push(runtime::absent(&folder)),
            }
        }
    }

    fn machine(&mut self, scan: &Scan<'_>, root: &Path) {
        let machine = runtime::machine(root);
        scan.skip_all(&machine.skipped);
        for path in &machine.paths {
            self.named(scan, path);
        }
        self.looked_at = machine.looked_at;
    }

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
