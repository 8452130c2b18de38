//! containerd's `config.toml`, versions 2 and 3, and what it imports.
//!
//! [containerd-config.toml(5)](https://github.com/containerd/containerd/blob/main/docs/man/containerd-config.toml.5.md):
//! imports are read after the file that names them, in turn, and what comes later counts.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

use super::document::{self, Document};
use super::{Configured, Nri, below, clean};
use crate::check::escape;
use crate::check::place::Place;
use crate::check::skipped::{SkipKind, Skipped, Unreadable};

/// Name of the NRI plugin of containerd in versions 2 and 3 of the file.
const PLUGIN: &str = "io.containerd.nri.v1.nri";

/// The most files read for one configuration.
const MOST: usize = 1000;

/// Whether a document is such a file: a version, and something that only containerd has.
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
        || document.is_integer(&["version"])
            && sections.iter().any(|section| document.has(&[section]))
}

/// Reads the file and all that it imports; a file is read once, which ends every cycle.
pub(super) fn read(file: &Path, root: &Path) -> Configured {
    let mut all = Configured {
        runtime: "containerd",
        file: file.to_owned(),
        nri: Nri::default(),
        skipped: Vec::new(),
    };
    let (mut seen, mut pending) = (HashSet::new(), VecDeque::from([file.to_owned()]));
    while let Some(file) = pending.pop_front() {
        if seen.len() < MOST && seen.insert(file.clone()) {
            match one(&file, root) {
                Ok((nri, imports)) => {
                    all.nri.overlay(nri);
                    pending.extend(imports.into_iter().take(MOST));
                }
                Err(reason) => all.skip(&file, reason),
            }
        }
    }
    all
}

impl Configured {
    pub(super) fn skip(&mut self, file: &Path, why: Unreadable) {
        self.skipped.push(Skipped::unreadable(Place::of(file), why));
    }
}

fn one(file: &Path, root: &Path) -> Result<(Nri, Vec<PathBuf>), Unreadable> {
    let text = document::text(file)?;
    let document = Document::parse(&text)?;
    Ok((nri(&document), imports(&document, file, root)?))
}

fn nri(document: &Document<'_>) -> Nri {
    let key = |key| ["plugins", PLUGIN, key];
    let disabled = document.strings(&["disabled_plugins"]);
    let off = disabled.iter().any(|name| name == PLUGIN);
    Nri {
        plugin_dir: document.string(&key("plugin_path")),
        config_dir: document.string(&key("plugin_config_path")),
        enabled: match off {
            true => Some(false),
            false => document.flag(&key("disable")).map(|disabled| !disabled),
        },
    }
}

/// The files that a file imports, relative paths being relative to its folder.
fn imports(document: &Document<'_>, file: &Path, root: &Path) -> Result<Vec<PathBuf>, Unreadable> {
    let mut files = Vec::new();
    for import in document.strings(&["imports"]) {
        let path = match Path::new(&import).is_absolute() {
            true => below(root, &import),
            false => file.parent().unwrap_or(root).join(&import),
        };
        match path.to_str() {
            Some(pattern) if import.contains('*') => files.extend(matches(pattern)?),
            _ => files.push(clean(&path)),
        }
    }
    Ok(files)
}

/// The files that a pattern matches, by name. `**` is the same as `*` there: it must not descend.
fn matches(pattern: &str) -> Result<Vec<PathBuf>, Unreadable> {
    let mut pattern = pattern.to_owned();
    while pattern.contains("**") {
        pattern = pattern.replace("**", "*");
    }
    let paths = glob::glob(&pattern).map_err(|error| {
        let pattern = escape::bytes(pattern.as_bytes());
        Unreadable::new(
            SkipKind::Broken,
            format!("import `{pattern}`: {}", error.msg),
        )
    })?;
    let mut found = Vec::new();
    for path in paths.take(MOST) {
        found.push(path.map_err(|error| Unreadable::from(error.error()))?);
    }
    Ok(found)
}
