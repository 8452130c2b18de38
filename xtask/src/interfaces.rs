//! Lists the public interface of every published crate, for review: each item on a line, in `snapshots/api`.
//!
//! rustdoc's JSON is not stable, so the version of `public-api` goes with that of Rust.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use public_api::Builder;

use crate::generate::Target;

/// The published crates.
const CRATES: [&str; 9] = [
    "nri-protos",
    "nri-schema",
    "nri-codegen",
    "nri-macros",
    "nri",
    "nri-adaptation",
    "nri-testing",
    "nri-conformance",
    "nri-compat",
];

/// The reason why the interfaces cannot be listed.
#[derive(Debug)]
pub enum InterfaceError {
    /// Cargo could not be started.
    Cargo(io::Error),
    /// The documentation has errors or warnings, which were printed.
    Docs(ExitStatus),
    /// The JSON of a crate cannot be read: the message says why.
    Json(PathBuf, String),
}

impl fmt::Display for InterfaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InterfaceError::Cargo(error) => write!(f, "cannot start cargo: {error}"),
            InterfaceError::Docs(status) => write!(f, "cargo doc failed: {status}"),
            InterfaceError::Json(path, why) => write!(
                f,
                "cannot read {}: {why}\n  help: xtask/Cargo.toml needs the version of public-api for this version of Rust",
                path.display()
            ),
        }
    }
}

impl std::error::Error for InterfaceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            InterfaceError::Cargo(error) => Some(error),
            InterfaceError::Docs(_) | InterfaceError::Json(..) => None,
        }
    }
}

/// Documents the workspace at `root`, warnings denied, and returns the interface of every published crate.
///
/// # Errors
///
/// Returns an error if the documentation of a crate has a warning, or its JSON cannot be read.
pub fn targets(root: &Path) -> Result<Vec<Target>, InterfaceError> {
    let folder =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    document(root)?;
    let targets = CRATES.iter().map(|name| {
        let json = folder.join(format!("doc/{}.json", name.replace('-', "_")));
        let path = PathBuf::from(format!("snapshots/api/{name}.txt"));
        Ok((path, list(&json)?.into_bytes()))
    });
    targets.collect()
}

fn document(root: &Path) -> Result<(), InterfaceError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args([
            "doc",
            "--workspace",
            "--all-features",
            "--locked",
            "--no-deps",
        ])
        .current_dir(root)
        .env("RUSTDOC", root.join("xtask/src/rustdoc-json.sh"))
        .env(
            "RUSTDOCFLAGS",
            "-D warnings -Zunstable-options --output-format json",
        )
        .stdin(Stdio::null())
        .status()
        .map_err(InterfaceError::Cargo)?;
    if status.success() {
        Ok(())
    } else {
        Err(InterfaceError::Docs(status))
    }
}

fn list(json: &Path) -> Result<String, InterfaceError> {
    let listed = Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build();
    match listed {
        Ok(api) => Ok(format!("{api}")),
        Err(error) => Err(InterfaceError::Json(json.to_path_buf(), error.to_string())),
    }
}
