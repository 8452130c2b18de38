//! containerd's `config.toml`, versions 1 to 3, and its imports.
//!
//! [containerd-config.toml(5)](https://github.com/containerd/containerd/blob/main/docs/man/containerd-config.toml.5.md):
//! imports are read recursively after the file that names them, and later values override earlier
//! ones.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::{Table, Value};

use super::{Configured, Nri, document};
use crate::check::container::archive::names;
use crate::check::find::machine_root::MachineRoot;
use crate::check::settings::template::{self, PLUGIN};
use crate::skipped::Unreadable;

/// The name of the NRI plugin in version 1, which a file without a version has.
const PLUGIN_V1: &str = "nri";

/// The keys that only containerd has.
const SECTIONS: [&str; 6] =
    ["plugins", "imports", "grpc", "ttrpc", "proxy_plugins", "disabled_plugins"];

/// The maximum number of files for one configuration.
const MAX_FILES: usize = 1000;

/// The settings that matter.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Settings {
    version: Option<i64>,
    imports: Vec<String>,
    plugins: Plugins,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Plugins {
    /// The name in versions 2 and 3.
    #[serde(rename = "io.containerd.nri.v1.nri")]
    nri: Option<Nri>,
    /// The name in version 1.
    #[serde(rename = "nri")]
    nri_v1: Option<Nri>,
}

/// Returns true if a document is such a file: it has a version, and keys that only containerd has.
pub(super) fn is(document: &Table) -> bool {
    let nri = |plugin: &str| document.get("plugins")?.get(plugin);
    let version = document.get("version").and_then(Value::as_integer);
    let is_version_1 = version.is_none_or(|version| version < 2);
    nri(PLUGIN).is_some()
        || is_version_1 && nri(PLUGIN_V1).is_some_and(|nri| nri.get("plugin_path").is_some())
        || version.is_some() && SECTIONS.iter().any(|section| document.contains_key(*section))
}

/// Reads these files and all their imports, each once, which ends cycles. The report shows `file`.
pub(super) fn read(file: &Path, sources: Vec<PathBuf>, machine: &MachineRoot) -> Configured {
    let mut all = Configured::new("containerd", file);
    let (mut seen, mut pending) = (HashSet::new(), VecDeque::from(sources));
    while let Some(source) = pending.pop_front() {
        if seen.len() < MAX_FILES && seen.insert(source.clone()) {
            match read_file(&source, machine) {
                Ok((nri, imports, text)) => {
                    all.add(&source, nri, &text);
                    pending.extend(imports.into_iter().take(MAX_FILES));
                }
                Err(why) => all.skip(&source, why),
            }
        }
    }
    all
}

/// Returns the settings of a file that matter, its imports, and its text.
fn read_file(
    file: &Path,
    machine: &MachineRoot,
) -> Result<(Nri, Vec<PathBuf>, String), Unreadable> {
    let mut text = document::text(&machine.resolve(file)?)?;
    if template::is(file) {
        text = template::plain_settings(&text)?;
    }
    let settings: Settings = document::settings(&text)?;
    let imports = imports(&settings.imports, file, machine)?;
    Ok((settings.nri(), imports, text))
}

impl Settings {
    /// Returns the settings for NRI. A file that has no version, but the name of a later version,
    /// has only lost its version.
    fn nri(self) -> Nri {
        let is_version_1 =
            self.version.is_none_or(|version| version < 2) && self.plugins.nri.is_none();
        let table = if is_version_1 { self.plugins.nri_v1 } else { self.plugins.nri };
        table.unwrap_or_default()
    }
}

/// Returns the files that a file imports. Relative paths are relative to its folder.
pub(super) fn imports<S: AsRef<str>>(
    imports: &[S],
    file: &Path,
    machine: &MachineRoot,
) -> Result<Vec<PathBuf>, Unreadable> {
    let mut files = Vec::new();
    for import in imports.iter().map(AsRef::as_ref) {
        let path = if Path::new(import).is_absolute() {
            machine.below(import)
        } else {
            file.parent().unwrap_or(machine.folder()).join(import)
        };
        if import.contains('*') {
            files.extend(document::expand(&path, machine)?);
        } else {
            let start = if path.is_absolute() { "/" } else { "" };
            files.push(Path::new(start).join(names::clean(path)));
        }
    }
    Ok(files)
}
