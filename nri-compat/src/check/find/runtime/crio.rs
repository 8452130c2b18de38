//! CRI-O's `crio.conf` and the drop-in files of `crio.conf.d`.
//!
//! [crio.conf(5)](https://github.com/cri-o/cri-o/blob/main/docs/crio.conf.5.md): drop-in files are
//! read in the order of their names, after the file itself, and later values override earlier ones.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Table;

use super::{Configured, Nri, document};
use crate::check::find::machine_root::MachineRoot;
use crate::skipped::Unreadable;

/// The settings that matter.
#[derive(Default, Deserialize)]
#[serde(default)]
struct CrioSettings {
    crio: Crio,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Crio {
    nri: Nri,
}

/// Returns true if a document is such a file.
pub(super) fn is(document: &Table) -> bool {
    document.contains_key("crio")
}

/// Reads the file, if it exists, and its drop-in files.
pub(super) fn read(file: &Path, machine: &MachineRoot) -> Configured {
    let mut all = Configured::new("cri-o", file);
    let main = machine.resolve(file).is_ok().then(|| file.to_owned());
    let drop_ins = document::expand(&folder(file).join("*"), machine).unwrap_or_else(|why| {
        all.skip(&folder(file), why);
        Vec::new()
    });
    for source in main.into_iter().chain(drop_ins) {
        match read_file(&source, machine) {
            Ok((nri, text)) => all.add(&source, nri, &text),
            Err(why) => all.skip(&source, why),
        }
    }
    all
}

/// Returns the folder next to a file in which its drop-in files are by default: `crio.conf.d` for
/// `crio.conf`.
pub(super) fn folder(file: &Path) -> PathBuf {
    let mut folder = file.as_os_str().to_owned();
    folder.push(".d");
    folder.into()
}

fn read_file(file: &Path, machine: &MachineRoot) -> Result<(Nri, String), Unreadable> {
    let text = document::text(&machine.resolve(file)?)?;
    let settings: CrioSettings = document::settings(&text)?;
    Ok((settings.crio.nri, text))
}
