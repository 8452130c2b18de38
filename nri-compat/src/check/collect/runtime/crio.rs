//! CRI-O's `crio.conf` and the drop-in files of `crio.conf.d`.
//!
//! [crio.conf(5)](https://github.com/cri-o/cri-o/blob/main/docs/crio.conf.5.md): drop-in files are
//! read in the order of their names, after the file itself, and later values override earlier ones.

use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Table;
use walkdir::WalkDir;

use super::{Configured, Nri, document};
use crate::check::collect::machine_root::MachineRoot;
use crate::skipped::Unreadable;

/// The maximum number of drop-in files.
const MAX_DROP_INS: usize = 1000;

/// The settings that matter.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Settings {
    crio: Crio,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Crio {
    nri: Nri,
}

/// Reports whether a document is such a file.
pub(super) fn is(document: &Table) -> bool {
    document.contains_key("crio")
}

/// Reads the file, if it exists, and its drop-in files.
pub(super) fn read(file: &Path, machine: &MachineRoot) -> Configured {
    let mut all = Configured::new("cri-o", file);
    let main = machine.resolve(file).is_ok().then(|| file.to_owned());
    let drop_ins = drop_ins(&folder(file), machine, &mut all);
    for file in main.into_iter().chain(drop_ins) {
        match read_file(&file, machine) {
            Ok(nri) => all.nri.overlay(nri),
            Err(why) => all.skip(&file, why),
        }
    }
    all
}

/// Returns the drop-in files by name, those in subfolders too. A broken link counts as a file that
/// cannot be read; links to folders are not followed.
fn drop_ins(folder: &Path, machine: &MachineRoot, all: &mut Configured) -> Vec<PathBuf> {
    let listed = |real: PathBuf| real.read_dir().map(|_| real);
    let real = match machine.resolve(folder).and_then(listed) {
        Ok(real) => real,
        Err(error) => {
            if error.kind() != io::ErrorKind::NotFound {
                all.skip(folder, Unreadable::from(&error));
            }
            return Vec::new();
        }
    };
    let entries = WalkDir::new(&real)
        .sort_by_file_name()
        .into_iter()
        .flatten();
    let entries = entries.filter(|entry| !entry.file_type().is_dir());
    let inner = entries.filter_map(|entry| Some(entry.path().strip_prefix(&real).ok()?.to_owned()));
    let paths = inner.take(MAX_DROP_INS).map(|inner| folder.join(inner));
    let is_file = |path: &PathBuf| machine.resolve(path).map_or(true, |real| real.is_file());
    paths.filter(is_file).collect()
}

/// Returns the folder next to a file in which its drop-in files are by default: `crio.conf.d` for
/// `crio.conf`.
pub(super) fn folder(file: &Path) -> PathBuf {
    let mut folder = file.as_os_str().to_owned();
    folder.push(".d");
    folder.into()
}

fn read_file(file: &Path, machine: &MachineRoot) -> Result<Nri, Unreadable> {
    let text = document::text(&machine.resolve(file)?)?;
    let settings: Settings = document::settings(&text)?;
    Ok(settings.crio.nri)
}
