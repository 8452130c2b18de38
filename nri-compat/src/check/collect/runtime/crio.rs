//! CRI-O's `crio.conf` and the drop-in files of `crio.conf.d`.
//!
//! [crio.conf(5)](https://github.com/cri-o/cri-o/blob/main/docs/crio.conf.5.md): drop-in files are read in the order
//! of their names, after the file itself, and what comes later counts.

use std::path::{Path, PathBuf};

use super::document::{self, Document};
use super::{Configured, Nri};
use crate::check::skipped::Unreadable;

/// The most drop-in files read.
const MOST: usize = 1000;

/// Whether a document is such a file.
pub(super) fn is(document: &Document<'_>) -> bool {
    document.has(&["crio"])
}

/// Reads the file, if there is one, and the drop-in files beside it, in `crio.conf.d` for `crio.conf`.
pub(super) fn read(file: &Path) -> Configured {
    let mut all = Configured {
        runtime: "cri-o",
        file: file.to_owned(),
        nri: Nri::default(),
        skipped: Vec::new(),
    };
    let main = file.exists().then(|| file.to_owned());
    for file in main.into_iter().chain(drop_ins(file)) {
        match one(&file) {
            Ok(nri) => all.nri.overlay(nri),
            Err(reason) => all.skip(&file, reason),
        }
    }
    all
}

fn drop_ins(file: &Path) -> Vec<PathBuf> {
    let folder = folder(file);
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .take(MOST)
        .collect();
    files.sort();
    files
}

/// Where the drop-in files of a file are.
pub(super) fn folder(file: &Path) -> PathBuf {
    let mut folder = file.as_os_str().to_owned();
    folder.push(".d");
    folder.into()
}

fn one(file: &Path) -> Result<Nri, Unreadable> {
    let text = document::text(file)?;
    let document = Document::parse(&text)?;
    let key = |key| ["crio", "nri", key];
    Ok(Nri {
        plugin_dir: document.string(&key("nri_plugin_dir")),
        config_dir: document.string(&key("nri_plugin_config_dir")),
        enabled: document.flag(&key("enable_nri")),
    })
}
