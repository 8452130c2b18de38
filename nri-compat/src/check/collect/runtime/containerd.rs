//! containerd's `config.toml`, versions 1 to 3, and its imports.
//!
//! [containerd-config.toml(5)](https://github.com/containerd/containerd/blob/main/docs/man/containerd-config.toml.5.md):
//! imports are read recursively after the file that names them, and later values override earlier
//! ones.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

use super::document::{self, Document};
use super::template::PLUGIN;
use super::{Configured, Nri, pattern, template};
use crate::check::collect::machine_root::MachineRoot;
use crate::check::lexical_path::cleaned;
use crate::skipped::Unreadable;

/// The name of the NRI plugin in version 1, which a file without a version has.
const PLUGIN_V1: &str = "nri";

/// The maximum number of files for one configuration.
const MAX_FILES: usize = 1000;

/// Reports whether a document is such a file: it has a version, and keys that only containerd has.
pub(super) fn is(document: &Document<'_>) -> bool {
    let sections = [
        "plugins",
        "imports",
        "grpc",
        "ttrpc",
        "proxy_plugins",
        "disabled_plugins",
    ];
    document.has(&["plugins", PLUGIN])
        || is_version_1(document) && document.has(&["plugins", PLUGIN_V1, "plugin_path"])
        || document.is_integer(&["version"])
            && sections.iter().any(|section| document.has(&[section]))
}

/// Reads these files and all their imports, each once, which ends cycles. The report shows `file`.
pub(super) fn read(file: &Path, sources: Vec<PathBuf>, machine: &MachineRoot) -> Configured {
    let mut all = Configured::new("containerd", file);
    let (mut seen, mut pending) = (HashSet::new(), VecDeque::from(sources));
    while let Some(file) = pending.pop_front() {
        if seen.len() < MAX_FILES && seen.insert(file.clone()) {
            match read_file(&file, machine) {
                Ok((nri, imports)) => {
                    all.nri.overlay(nri);
                    pending.extend(imports.into_iter().take(MAX_FILES));
                }
                Err(why) => all.skip(&file, why),
            }
        }
    }
    all
}

fn read_file(file: &Path, machine: &MachineRoot) -> Result<(Nri, Vec<PathBuf>), Unreadable> {
    let mut text = document::text(&machine.resolve(file)?)?;
    if template::is(file) {
        text = template::plain_settings(&text)?;
    }
    let document = Document::parse(&text)?;
    Ok((nri(&document)?, imports(&document, file, machine)?))
}

fn nri(document: &Document<'_>) -> Result<Nri, Unreadable> {
    let plugin = if is_version_1(document) {
        PLUGIN_V1
    } else {
        PLUGIN
    };
    let key = |key| ["plugins", plugin, key];
    let disabled = document.strings(&["disabled_plugins"])?;
    let is_disabled = disabled.iter().any(|name| name == plugin);
    let flag = document.flag(&key("disable"))?;
    Ok(Nri {
        plugin_dir: document.string(&key("plugin_path"))?,
        config_dir: document.string(&key("plugin_config_path"))?,
        socket: document.string(&key("socket_path"))?,
        enabled: if is_disabled {
            Some(false)
        } else {
            flag.map(|disabled| !disabled)
        },
    })
}

/// Returns true if a file has version 1, or no version; one that uses the name of a later version
/// has only lost its version.
fn is_version_1(document: &Document<'_>) -> bool {
    document
        .integer(&["version"])
        .is_none_or(|version| version < 2)
        && !document.has(&["plugins", PLUGIN])
}

/// Returns the files that a file imports. Relative paths are relative to its folder.
fn imports(
    document: &Document<'_>,
    file: &Path,
    machine: &MachineRoot,
) -> Result<Vec<PathBuf>, Unreadable> {
    let mut files = Vec::new();
    for import in document.strings(&["imports"])? {
        let path = if Path::new(&import).is_absolute() {
            machine.below(&import)
        } else {
            file.parent().unwrap_or(machine.folder()).join(&import)
        };
        if import.contains('*') {
            files.extend(pattern::expand(&path, machine)?);
        } else {
            files.push(cleaned(&path));
        }
    }
    Ok(files)
}
