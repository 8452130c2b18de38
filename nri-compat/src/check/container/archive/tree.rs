//! The files that a container sees when the layers of an image are applied one after another.
//!
//! Only files with findings and symbolic links are kept. An entry is written where extraction
//! writes it: below the targets of the links among its folders.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use super::layer::{Layer, LayerChange};
use super::names::{self, Whiteout, shown_path};
use crate::check::observations::{Demand, Observations};
use crate::check::unjudged;
use crate::place::Place;
use crate::unknown::UnknownFile;

/// The maximum number of symbolic links that are followed for one path.
const MAX_LINKS_FOLLOWED: usize = 8;

/// The maximum length of a path in bytes, as in Linux. No file can be extracted to a longer one.
const MAX_PATH: usize = 4096;

/// The files and links of an image or an archive, by path.
#[derive(Default)]
pub(super) struct Tree<'l> {
    nodes: BTreeMap<PathBuf, TreeNode<'l>>,
}

/// A file or a link, and the number of the layer that has it.
#[derive(Clone, Copy)]
struct TreeNode<'l> {
    layer: usize,
    content: NodeContent<'l>,
}

#[derive(Clone, Copy)]
enum NodeContent<'l> {
    File(&'l Observations),
    /// A link to this path, relative to the root.
    Link(&'l Path),
}

impl<'l> Tree<'l> {
    /// Applies layers, the lowest first.
    pub(super) fn new(layers: &[&'l Layer]) -> Self {
        let mut tree = Self::default();
        for (number, layer) in layers.iter().enumerate() {
            for (path, change) in &layer.changes {
                tree.apply(number, path, change);
            }
        }
        tree
    }

    fn apply(&mut self, layer: usize, path: &Path, change: &'l LayerChange) {
        match change {
            LayerChange::Whiteout(Whiteout::Gone(hidden)) => {
                let hidden = self.resolved_folder(hidden);
                self.remove(layer, &hidden);
            }
            LayerChange::Whiteout(Whiteout::Opaque(folder)) => {
                let folder = self.resolved(folder);
                self.remove_below(layer, &folder);
            }
            LayerChange::Folder => {
                // It replaces a file or a link, and is merged with a folder.
                self.nodes.remove(&self.resolved_folder(path));
            }
            LayerChange::File(observed) => {
                self.put(layer, path, observed.as_deref().map(NodeContent::File))
            }
            LayerChange::Symbolic(target) => self.put(layer, path, Some(NodeContent::Link(target))),
            LayerChange::Hard(target) => {
                let content = self.linked(path, target);
                self.put(layer, path, content);
            }
        }
    }

    /// Returns what a hard link is. In a folder whose executables a runtime starts, it counts even
    /// if its target has no findings.
    fn linked(&self, path: &Path, target: &'l Path) -> Option<NodeContent<'l>> {
        let node = self.nodes.get(&self.resolved_folder(target));
        let unknown = || names::is_launched(path).then_some(NodeContent::Link(target));
        node.map(|node| node.content).or_else(unknown)
    }

    /// Replaces what lower layers have at a path.
    fn put(&mut self, layer: usize, path: &Path, content: Option<NodeContent<'l>>) {
        let path = self.resolved_folder(path);
        if !path.as_os_str().is_empty() {
            self.remove_below(layer, &path);
        }
        match content {
            Some(content) => self.nodes.insert(path, TreeNode { layer, content }),
            None => self.nodes.remove(&path),
        };
    }

    /// Removes what lower layers have at a path and below it.
    fn remove(&mut self, layer: usize, path: &Path) {
        if self.nodes.get(path).is_some_and(|node| node.layer < layer) {
            self.nodes.remove(path);
        }
        self.remove_below(layer, path);
    }

    /// Removes what lower layers have below a path.
    fn remove_below(&mut self, layer: usize, path: &Path) {
        let after = (Bound::Excluded(path), Bound::Unbounded);
        let all = self.nodes.range::<Path, _>(after);
        let below = all.take_while(|(name, _)| name.starts_with(path));
        let lower = below.filter(|(_, node)| node.layer < layer);
        let hidden: Vec<PathBuf> = lower.map(|(name, _)| name.clone()).collect();
        for name in hidden {
            self.nodes.remove(&name);
        }
    }

    /// Returns a path with the links among its folders followed, but not itself.
    fn resolved_folder(&self, path: &Path) -> PathBuf {
        let mut resolved = self.resolved(names::folder(path));
        resolved.extend(path.file_name());
        resolved
    }

    /// Returns a path with all links followed; as far as it gets in a circle of links. A path that
    /// is too long stays as it is.
    fn resolved(&self, path: &Path) -> PathBuf {
        if path.as_os_str().len() > MAX_PATH {
            return path.to_owned();
        }
        let mut done = PathBuf::new();
        let mut left: Vec<&OsStr> = path.iter().rev().collect();
        let mut followed = 0;
        while let Some(name) = left.pop() {
            done.push(name);
            if let Some(NodeContent::Link(target)) = self.nodes.get(&done).map(|node| node.content)
                && followed < MAX_LINKS_FOLLOWED
                && target.as_os_str().len() <= MAX_PATH
            {
                followed += 1;
                left.extend(target.iter().rev());
                done.clear();
            }
        }
        done
    }

    /// Returns the findings, each under the best of its names within `place`, and one for each link
    /// that a runtime follows and that leads to no known file.
    pub(super) fn findings(&self, place: &Place) -> Vec<Observations> {
        let mut files: HashMap<*const Observations, (&Observations, Vec<&Path>)> = HashMap::new();
        let mut findings = Vec::new();
        for (path, node) in &self.nodes {
            let is_plugin = || names::is_launched(path) || names::has_plugin_name(path);
            let observed = match node.content {
                NodeContent::File(observed) => Some(observed),
                NodeContent::Link(_) if is_plugin() => self.target(path),
                NodeContent::Link(_) => None,
            };
            match (observed, node.content) {
                (Some(observed), _) => {
                    files.entry(observed).or_insert((observed, vec![])).1.push(path)
                }
                (None, NodeContent::Link(target)) => {
                    findings.extend(unknown_link(place, path, target))
                }
                (None, NodeContent::File(_)) => {}
            }
        }
        findings.extend(files.into_values().filter_map(|(observed, names)| {
            Some(observed.clone().moved(place, &shown_path(best(names)?)))
        }));
        findings
    }

    /// Returns the findings in the file that a path leads to.
    pub(super) fn target(&self, path: &Path) -> Option<&'l Observations> {
        match self.nodes.get(&self.resolved(path))?.content {
            NodeContent::File(observed) => Some(observed),
            NodeContent::Link(_) => None,
        }
    }
}

/// Returns a finding about a link that runtimes follow, but that leads to nothing known.
fn unknown_link(place: &Place, path: &Path, target: &Path) -> Option<Observations> {
    let shown = shown_path(target);
    let why = if names::moves_plugin_folder(path, target) {
        UnknownFile::LinkedFolder(shown)
    } else if names::is_launched(path) {
        UnknownFile::LinkToUnknown(shown)
    } else {
        return None;
    };
    let unknown = unjudged::sighting(&place.entry(shown_path(path)), Demand::Launched, why);
    Some(Observations::sighting(unknown))
}

/// Returns the name to report: the name that a runtime starts, or else the first name.
fn best(names: Vec<&Path>) -> Option<&Path> {
    let rank = |path: &&Path| (!names::is_launched(path), !names::has_plugin_name(path));
    names.into_iter().min_by_key(rank)
}
