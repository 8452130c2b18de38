//! Adds the newest releases of container runtimes to `protos/runtimes.toml`.
//!
//! `nri-compat update-data` does the work, as a separate program, because the generated files that
//! it is built from come from here.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use nri_schema::{Error, History};

use crate::generate;

/// The workspace that this program was built in.
const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");

/// The reason why the tables were not refreshed.
#[derive(Debug)]
pub enum RefreshError {
    /// Cargo could not be started.
    Cargo(io::Error),
    /// `nri-compat update-data` failed and has reported why.
    Update(ExitStatus),
    /// The files that depend on the tables could not be generated.
    Generate(Error),
}

/// Extends the tables of the repository at `root`, regenerates what depends on them, and returns
/// the generated files that changed. The program that fetches the data prints which releases it
/// adds and skips.
///
/// # Errors
///
/// Returns an error if the releases cannot be fetched, or a file cannot be written.
pub fn refresh(root: &Path) -> Result<Vec<PathBuf>, RefreshError> {
    let protos = root.join("protos");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--quiet", "--manifest-path", WORKSPACE])
        .args(["--package", "nri-compat", "--", "update-data"])
        .arg(&protos)
        .arg("--data")
        .arg(&protos)
        .stdin(Stdio::null())
        .status()
        .map_err(RefreshError::Cargo)?;
    if !status.success() {
        return Err(RefreshError::Update(status));
    }
    let generated = || generate::run(root, &History::read(&protos)?);
    generated().map_err(RefreshError::Generate)
}
