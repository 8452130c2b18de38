//! Programs of other crates of this workspace, built by cargo: the example plugins of `nri`, and
//! `nri-compat`.

use std::path::PathBuf;
use std::process::Command;

use crate::peers::{run, target_folder};

/// Returns the executable of an example, built unless it is up to date. The variable
/// `NRI_TESTS_FEATURES` replaces the options of cargo that select the package and its features.
///
/// # Panics
///
/// Panics if it cannot be built.
#[must_use]
pub fn example(name: &str) -> PathBuf {
    // All examples are built with the same features, so that the crate is built only once.
    let features = std::env::var("NRI_TESTS_FEATURES").unwrap_or_else(|_| {
        "--locked -p nri -p nri-adaptation --features nri/cli,nri/http,nri/serde,nri-adaptation/oci".to_owned()
    });
    let options: Vec<&str> = features.split_whitespace().collect();
    build(&[&options[..], &["--example", name]].concat());
    built("debug/examples").join(name)
}

/// Returns the executable of the command `nri-compat` with all its features, which cargo builds
/// with the tests of this crate.
///
/// # Panics
///
/// Panics if it does not exist.
#[must_use]
pub fn nri_compat() -> PathBuf {
    built("debug").join("nri-compat-all").canonicalize().expect("cargo made it")
}

fn build(arguments: &[&str]) {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet"]).args(arguments);
    // Cargo sets these for tests, and build scripts of dependencies run again if they change.
    let is_own = |name: &str| name.starts_with("CARGO_MANIFEST_") || name.starts_with("CARGO_PKG_");
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(is_own) {
            cargo.env_remove(&name);
        }
    }
    run(cargo.current_dir(env!("CARGO_MANIFEST_DIR")));
}

fn built(folder: &str) -> PathBuf {
    let folder = target_folder().join(folder);
    folder.canonicalize().expect("cargo made it")
}
