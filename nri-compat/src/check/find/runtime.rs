//! Finds the plugin folders and sockets of the runtimes of a machine from their configuration.

mod containerd;
mod crio;
mod document;
mod kubelet;
mod machine;
mod program;

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Table;

pub(in crate::check) use machine::machine;
pub(in crate::check) use program::find as programs;

use super::machine_root::MachineRoot;
use crate::check::settings::{SettingsFile, template};
use crate::escape;
use crate::place::Place;
use crate::skipped::{Skipped, Unreadable};

/// The settings for NRI in the configuration of a runtime, with the keys of containerd and CRI-O.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(in crate::check) struct Nri {
    /// The plugin folder, if set.
    #[serde(rename = "plugin_path", alias = "nri_plugin_dir")]
    pub(in crate::check) plugin_dir: Option<String>,
    /// The folder with the configuration of plugins, if set.
    #[serde(rename = "plugin_config_path", alias = "nri_plugin_config_dir")]
    pub(in crate::check) config_dir: Option<String>,
    /// The socket to which plugins connect, if set.
    #[serde(rename = "socket_path", alias = "nri_listen")]
    pub(in crate::check) socket: Option<String>,
}

impl Nri {
    /// Applies the settings of a later file.
    fn overlay(&mut self, later: Self) {
        self.plugin_dir = later.plugin_dir.or(self.plugin_dir.take());
        self.config_dir = later.config_dir.or(self.config_dir.take());
        self.socket = later.socket.or(self.socket.take());
    }
}

/// A configured runtime.
#[derive(Debug)]
pub(in crate::check) struct Configured {
    /// Its id in the tables: `containerd` or `cri-o`.
    pub(in crate::check) runtime: &'static str,
    /// The main configuration file.
    pub(in crate::check) file: PathBuf,
    /// The combined settings of all its files.
    pub(in crate::check) nri: Nri,
    /// The settings of each file, in the order in which they are applied.
    pub(in crate::check) settings: Vec<SettingsFile>,
    /// Files of the configuration that cannot be read.
    pub(in crate::check) skipped: Vec<Skipped>,
}

/// A folder or file that a runtime uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::check) struct Folder {
    /// The path.
    pub(in crate::check) path: PathBuf,
    /// True if a runtime starts the executables in it.
    pub(in crate::check) has_plugins: bool,
    /// The file that names it; `None` for a default.
    pub(in crate::check) configured_in: Option<String>,
}

/// Reads a file, shown as `file`, as the configuration of a runtime, with all files that belong to
/// it; `None` if it is not such a configuration. Paths in it are those of the machine.
pub(in crate::check) fn read(
    real: &Path,
    file: &Path,
    machine: &MachineRoot,
) -> Option<Configured> {
    if template::is(file) {
        return Some(containerd::read(file, vec![file.to_owned()], machine));
    }
    let text = document::text(real).ok()?;
    let document: Table = document::settings(&text).ok()?;
    if crio::is(&document) {
        return Some(crio::read(file, machine));
    }
    containerd::is(&document).then(|| containerd::read(file, vec![file.to_owned()], machine))
}

impl Configured {
    fn new(runtime: &'static str, file: &Path) -> Self {
        Self {
            runtime,
            file: file.to_owned(),
            nri: Nri::default(),
            settings: Vec::new(),
            skipped: Vec::new(),
        }
    }

    /// Adds the settings of a file, whose text may be that of a template without its actions.
    fn add(&mut self, file: &Path, nri: Nri, text: &str) {
        self.nri.overlay(nri);
        let place = Place::from_path(file);
        self.settings.extend(SettingsFile::parse(&place, text, !template::is(file)));
    }

    fn skip(&mut self, file: &Path, why: Unreadable) {
        self.skipped.push(Skipped::unreadable(Place::from_path(file), why));
    }

    /// Returns the folders in which this runtime looks for plugins and their configuration, or the
    /// defaults of the table of runtimes.
    pub(in crate::check) fn folders(&self, machine: &MachineRoot) -> Vec<Folder> {
        let history = crate::data::history().into_iter();
        let mut runtimes = history.flat_map(|history| history.runtimes());
        let known = runtimes.find(|known| known.id == self.runtime);
        let folder = |set: &Option<String>, default: Option<&String>, has_plugins| {
            let path = set.as_ref().or(default)?;
            // A default that a file repeats is as optional as one that it does not name.
            let is_other = default != Some(path);
            let configured_in = is_other.then(|| escape::path(&self.file));
            Some(Folder { path: machine.below(path), has_plugins, configured_in })
        };
        let plugins = folder(&self.nri.plugin_dir, known.map(|known| &known.plugin_dir), true);
        let configs = folder(&self.nri.config_dir, known.map(|known| &known.config_dir), false);
        plugins.into_iter().chain(configs).collect()
    }

    /// Returns a line for the report: `/etc/containerd/config.toml (containerd, NRI is off)`.
    pub(in crate::check) fn line(&self, state: Option<&str>) -> String {
        let state = state.map_or(String::new(), |state| format!(", {state}"));
        format!("{} ({}{state})", escape::path(&self.file), self.runtime)
    }
}
