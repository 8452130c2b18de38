//! The links of a layer, as far as they give names to files that matter.

use std::collections::{BTreeMap, HashMap};

use super::names;
use crate::check::evidence;
use crate::escape;

/// The maximum number of links that are kept for one layer.
const MAX_LINKS: usize = 100_000;

/// The links of a layer.
#[derive(Default)]
pub(super) struct Links {
    /// Names of hard links to files that may be in lower layers, by target.
    pub(super) hard: HashMap<Vec<u8>, Vec<Vec<u8>>>,
    /// Symbolic links with plugin names, by target.
    pub(super) symbolic: HashMap<Vec<u8>, Vec<Vec<u8>>>,
    /// Targets of the links in a folder whose executables a runtime starts, by name.
    pub(super) launched: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Targets of the links that stand in for a folder whose executables a runtime starts, by name.
    pub(super) folders: BTreeMap<Vec<u8>, Vec<u8>>,
    count: usize,
    dropped: u64,
    /// Targets of hard links, by name.
    targets: HashMap<Vec<u8>, Vec<u8>>,
}

impl Links {
    /// Counts a link. Returns false if there are too many to keep it.
    pub(super) fn may_keep(&mut self) -> bool {
        self.count += 1;
        let fits = self.count <= MAX_LINKS;
        self.dropped += u64::from(!fits);
        fits
    }

    /// Adds a hard link to a file that is not known to matter.
    pub(super) fn add_hard(&mut self, path: Vec<u8>, target: Vec<u8>) {
        self.add_launched(&path, &target);
        self.targets.insert(path, target);
    }

    /// Adds a symbolic link if a runtime might start a plugin through it.
    pub(super) fn add_symbolic(&mut self, path: Vec<u8>, target: &[u8]) {
        let (folder, name) = names::split(&path);
        let is_plugin_name = evidence::identity(&escape::bytes(name)).0.is_some();
        let target = if target.starts_with(b"/") {
            names::clean(target)
        } else {
            names::clean(&[folder, target].join(&b'/'))
        };
        let moves = names::moves_plugin_folder(&path, &target);
        if !(is_plugin_name || is_launched(&path) || moves) || !self.may_keep() {
            return;
        }
        if moves {
            self.folders.insert(path, target);
            return;
        }
        self.add_launched(&path, &target);
        self.symbolic.entry(target).or_default().push(path);
    }

    fn add_launched(&mut self, path: &[u8], target: &[u8]) {
        if is_launched(path) {
            self.launched.insert(path.to_vec(), target.to_vec());
        }
    }

    /// Drops the links with this path, which a later entry replaces.
    pub(super) fn forget(&mut self, path: &[u8]) {
        self.targets.remove(path);
        self.launched.remove(path);
        self.folders.remove(path);
    }

    /// Sorts hard links by target. Must be called once, after all links are added.
    pub(super) fn finish(&mut self) {
        for (name, target) in std::mem::take(&mut self.targets) {
            self.hard.entry(target).or_default().push(name);
        }
    }

    /// Returns the reason why some of them were not kept.
    pub(super) fn limit(&self) -> Option<String> {
        (self.dropped > 0).then(|| {
            format!(
                "{} hard links beyond {MAX_LINKS} were not followed",
                self.dropped
            )
        })
    }
}

fn is_launched(path: &[u8]) -> bool {
    names::is_plugin_folder(names::split(path).0)
}
