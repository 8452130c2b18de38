//! Finds the plugin folders of the runtimes of a machine from their configuration.

mod command;
mod containerd;
mod crio;
mod document;
mod machine;
mod pattern;
mod processes;
mod rancher;
mod units;
mod words;

use std::path::{Path, PathBuf};

pub(super) use machine::machine;

use super::machine_root::MachineRoot;
use crate::escape;
use crate::place::Place;
use crate::skipped::{Skipped, Unreadable};
use document::Document;

/// The settings for NRI in the configuration of a runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Nri {
    /// The plugin folder, if set.
    pub(super) plugin_dir: Option<String>,
    /// The folder with the configuration of plugins, if set.
    pub(super) config_dir: Option<String>,
    /// True if NRI is on; `None` if the file does not say.
    pub(super) enabled: Option<bool>,
}

impl Nri {
    /// Applies the settings of a later file.
    fn overlay(&mut self, later: Self) {
        self.plugin_dir = later.plugin_dir.or(self.plugin_dir.take());
        self.config_dir = later.config_dir.or(self.config_dir.take());
        self.enabled = later.enabled.or(self.enabled);
    }
}

/// A configured runtime.
#[derive(Debug)]
pub(super) struct Configured {
    /// Its id in the tables: `containerd` or `cri-o`.
    pub(super) runtime: &'static str,
    /// The main configuration file.
    pub(super) file: PathBuf,
    /// The unit, process or file that names the file or overrides its settings.
    pub(super) named_by: Option<String>,
    /// The combined settings of all its files.
    pub(super) nri: Nri,
    /// The settings on the command line, which take precedence.
    pub(super) command_line: Nri,
    /// Files of the configuration that cannot be read.
    pub(super) skipped: Vec<Skipped>,
}

/// A folder or file that a runtime uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Folder {
    /// The path.
    pub(super) path: PathBuf,
    /// True if a runtime starts the executables in it.
    pub(super) has_plugins: bool,
    /// The file or command line that names it; `None` for a default.
    pub(super) configured_in: Option<String>,
}

/// Reads a file, shown as `file`, as the configuration of a runtime, with all files that belong to
/// it; `None` if it is not such a configuration. Paths in it are those of the machine.
pub(super) fn read(real: &Path, file: &Path, machine: &MachineRoot) -> Option<Configured> {
    let text = document::text(real).ok()?;
    let document = Document::parse(&text).ok()?;
    if crio::is(&document) {
        return Some(crio::read(file, &crio::folder(file), machine));
    }
    containerd::is(&document).then(|| containerd::read(file, machine))
}

impl Configured {
    fn new(runtime: &'static str, file: &Path) -> Self {
        Self {
            runtime,
            file: file.to_owned(),
            named_by: None,
            nri: Nri::default(),
            command_line: Nri::default(),
            skipped: Vec::new(),
        }
    }

    fn skip(&mut self, file: &Path, why: Unreadable) {
        self.skipped.push(Skipped::unreadable(Place::of(file), why));
    }

    /// Reports whether another configuration adds nothing to this one.
    fn says(&self, other: &Self) -> bool {
        self.file == other.file && self.settings() == other.settings()
    }

    /// Returns the settings of the files with those of the command line, which take precedence.
    fn settings(&self) -> Nri {
        let mut nri = self.nri.clone();
        nri.overlay(self.command_line.clone());
        nri
    }

    /// Returns the folders in which this runtime looks for plugins and their configuration, or the
    /// defaults.
    pub(super) fn folders(&self, machine: &MachineRoot) -> Vec<Folder> {
        let (plugins, configs) = defaults(self.runtime);
        let plugin_dir = |nri: &Nri| nri.plugin_dir.clone();
        let config_dir = |nri: &Nri| nri.config_dir.clone();
        let folders = [
            self.folder(plugin_dir, plugins, true, machine),
            self.folder(config_dir, configs, false, machine),
        ];
        folders.into_iter().flatten().collect()
    }

    fn folder(
        &self,
        set: impl Fn(&Nri) -> Option<String>,
        default: Option<String>,
        has_plugins: bool,
        machine: &MachineRoot,
    ) -> Option<Folder> {
        let file = || escape::path(&self.file);
        let by = || self.named_by.clone().unwrap_or_else(file);
        let (path, configured_in) = match (set(&self.command_line), set(&self.nri)) {
            (Some(path), _) => (path, Some(by())),
            (None, Some(path)) => (path, Some(file())),
            (None, None) => (default?, None),
        };
        Some(Folder {
            path: machine.below(path),
            has_plugins,
            configured_in,
        })
    }

    /// Returns a line for the report: `/etc/containerd/config.toml (containerd, NRI is off)`.
    pub(super) fn line(&self) -> String {
        let state = match self.settings().enabled {
            Some(true) => ", NRI is on",
            Some(false) => ", NRI is off",
            None => "",
        };
        let named_by = self.named_by.as_ref().map(|by| format!(", named by {by}"));
        format!(
            "{} ({}{state}{})",
            escape::path(&self.file),
            self.runtime,
            named_by.unwrap_or_default()
        )
    }
}

/// Returns the default folders of a runtime, from the table of runtimes.
fn defaults(runtime: &str) -> (Option<String>, Option<String>) {
    let history = crate::data::history();
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

/// Returns a line for the report about a missing place.
pub(super) fn absent(place: &Path) -> String {
    format!("{} (not there)", escape::path(place))
}
