//! Where the runtimes of a machine find their plugins, by their configuration.

mod containerd;
mod crio;
mod document;
mod machine;

use std::path::{Component, Path, PathBuf};

use nri_codegen::history::History;

pub(super) use machine::machine;

use crate::check::escape;
use crate::check::skipped::Skipped;
use document::Document;

/// What a runtime's configuration says of NRI.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Nri {
    /// Where it finds plugins, if that is said.
    pub(super) plugin_dir: Option<String>,
    /// Where it finds their configuration, if that is said.
    pub(super) config_dir: Option<String>,
    /// Whether NRI is on, if that is said.
    pub(super) enabled: Option<bool>,
}

impl Nri {
    /// Takes over what a later file says.
    fn overlay(&mut self, later: Self) {
        self.plugin_dir = later.plugin_dir.or(self.plugin_dir.take());
        self.config_dir = later.config_dir.or(self.config_dir.take());
        self.enabled = later.enabled.or(self.enabled);
    }
}

/// A runtime as it is configured.
#[derive(Debug)]
pub(super) struct Configured {
    /// Id in the tables: `containerd` or `cri-o`.
    pub(super) runtime: &'static str,
    /// The file it starts from.
    pub(super) file: PathBuf,
    /// What all its files say together.
    pub(super) nri: Nri,
    /// Files that belong to it and cannot be read.
    pub(super) skipped: Vec<Skipped>,
}

/// Reads a file as a runtime's configuration, with all files that belong to it; `None` if it is none.
///
/// Paths in it are taken to be below `root`, the folder where the machine's file system is.
pub(super) fn read(file: &Path, root: &Path) -> Option<Configured> {
    let text = document::text(file).ok()?;
    let document = Document::parse(&text).ok()?;
    if crio::is(&document) {
        return Some(crio::read(file));
    }
    containerd::is(&document).then(|| containerd::read(file, root))
}

impl Configured {
    /// Where this runtime looks: plugins, then their configuration; the defaults where its files say nothing.
    pub(super) fn folders(&self, root: &Path) -> Vec<PathBuf> {
        let (plugins, configs) = defaults(self.runtime);
        let chosen = [
            self.nri.plugin_dir.clone().or(plugins),
            self.nri.config_dir.clone().or(configs),
        ];
        let placed = chosen.iter().flatten().map(|path| below(root, path));
        placed.collect()
    }

    /// A line for the report: `/etc/containerd/config.toml (containerd, NRI is off)`.
    pub(super) fn line(&self) -> String {
        let state = match self.nri.enabled {
            Some(true) => ", NRI is on",
            Some(false) => ", NRI is off",
            None => "",
        };
        format!("{} ({}{state})", escape::path(&self.file), self.runtime)
    }
}

/// The default folders of a runtime, from the table of runtimes.
fn defaults(runtime: &str) -> (Option<String>, Option<String>) {
    let history = History::embedded();
    let runtimes = history
        .as_ref()
        .ok()
        .and_then(|history| history.runtimes().ok());
    let found = runtimes
        .into_iter()
        .flatten()
        .find(|known| known.id == runtime);
    found.map_or((None, None), |known| {
        (
            Some(known.plugin_dir.clone()),
            Some(known.config_dir.clone()),
        )
    })
}

/// An absolute path of the machine whose file system is at `root`, and never outside of it.
fn below(root: &Path, path: &str) -> PathBuf {
    let path = clean(&Path::new("/").join(path));
    root.join(path.strip_prefix("/").unwrap_or(&path))
}

/// Without `.` and `..`, by names alone, as containerd compares paths to find cycles.
fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            other => clean.push(other),
        }
    }
    clean
}

/// A line for the report about a place that does not exist.
pub(super) fn absent(place: &Path) -> String {
    format!("{} (not there)", escape::path(place))
}
