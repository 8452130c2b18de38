//! The programs of published plugins, built from the modules that the Go proxy serves.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::{fs, process};

use xtask::zoo::{ZooPlugin, ZooRelease};

use crate::peers::{self, run, sources};

/// Builds a release of a plugin unless that is done already, and returns its program.
///
/// # Panics
///
/// Panics if it cannot be built.
#[must_use]
pub fn program(plugin: &ZooPlugin, release: &ZooRelease) -> PathBuf {
    // One at a time, because Go uses all processors.
    static BUILDING: Mutex<()> = Mutex::new(());
    let _building = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    let module = format!("{}@{}", plugin.module.replace('/', "_"), release.version);
    let folder = peers::folder("published").join(module);
    fs::create_dir_all(&folder).expect("target folder is writable");
    let program = folder.canonicalize().expect("it exists").join(plugin.name());
    if !program.is_file() {
        let fresh = program.with_extension(process::id().to_string());
        build(plugin, &sources(&plugin.module, &release.version), &fresh);
        fs::rename(&fresh, &program).expect("target folder is writable");
    }
    program
}

fn build(plugin: &ZooPlugin, sources: &Path, output: &Path) {
    let mut go = Command::new("go");
    go.current_dir(sources)
        .args(["build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w"])
        .arg("-o")
        .arg(output)
        .arg(format!("./{}", plugin.package))
        .env("CGO_ENABLED", if plugin.cgo { "1" } else { "0" });
    run(&mut go);
}
