//! The example plugins of the `nri` crate, built by cargo.

use std::path::PathBuf;
use std::process::Command;

use crate::peers::{run, target_folder};

/// Returns the executable of an example, built unless it is up to date.
///
/// # Panics
///
/// Panics if it cannot be built.
#[must_use]
pub fn example(name: &str) -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "-p", "nri", "--example", name]);
    // The same features for all, so that the crate is built once.
    cargo.args(["--features", "adaptation,http,serde"]);
    run(cargo.current_dir(env!("CARGO_MANIFEST_DIR")));
    let folder = target_folder().join("debug/examples");
    let folder = folder.canonicalize().expect("cargo made it");
    folder.join(name)
}
