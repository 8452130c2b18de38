//! Lists the public interface of every published crate, for review: each item on a line, in
//! `snapshots/api`.
//!
//! rustdoc's JSON is not stable, so the version of `public-api` goes with that of Rust.

mod hidden;
mod numbers;

use std::path::{Path, PathBuf};

use public_api::Builder;

use crate::error::TaskError;
use crate::generate::Target;
use crate::metadata::published;
use crate::tool::Tool;

/// Documents the workspace at `root`, warnings denied, and returns the interface of every published
/// crate, and a page with the number of their items. Cargo also reads the file `config`.
///
/// # Errors
///
/// Returns an error if the documentation of a crate has a warning, its JSON cannot be read, or a
/// public signature names a type that the documentation hides.
pub fn targets(root: &Path, config: Option<&Path>) -> Result<Vec<Target>, TaskError> {
    let folder =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    document(root, config)?;
    let listed = published(root)?.into_iter().map(|name| {
        let json = folder.join(format!("doc/{}.json", name.replace('-', "_")));
        let interface = list(&json)?;
        Ok((name, interface))
    });
    let interfaces: Vec<(String, String)> = listed.collect::<Result<_, TaskError>>()?;
    for (name, interface) in &interfaces {
        if let Some(line) = hidden::first(name, interface) {
            return Err(TaskError::Hidden { name: name.clone(), line: line.to_owned() });
        }
    }
    let numbers = (path("README.md"), numbers::page(&interfaces).into_bytes());
    let files = interfaces
        .into_iter()
        .map(|(name, text)| (path(&format!("{name}.txt")), text.into_bytes()));
    Ok(files.chain([numbers]).collect())
}

fn path(file: &str) -> PathBuf {
    Path::new("snapshots/api").join(file)
}

fn document(root: &Path, config: Option<&Path>) -> Result<(), TaskError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["doc", "--workspace", "--all-features", "--locked", "--no-deps"];
    // As docs.rs does it.
    let flags = "--cfg docsrs -D warnings -Zunstable-options --output-format json";
    let doc = Tool::new(cargo, "install Rust").with(|cargo| {
        cargo.args(arguments).current_dir(root);
        if let Some(config) = config {
            cargo.arg("--config").arg(config);
        }
        cargo.env("RUSTDOC", root.join("xtask/src/rustdoc-json.sh"));
        cargo.env("RUSTDOCFLAGS", flags);
    });
    doc.run()
}

/// Returns the interface of the crate that rustdoc described in this file, one item on a line.
///
/// # Errors
///
/// Returns an error if the file cannot be read.
pub fn list(json: &Path) -> Result<String, TaskError> {
    let listed = Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build();
    match listed {
        Ok(api) => Ok(format!("{api}")),
        Err(error) => {
            Err(TaskError::Interface { path: json.to_path_buf(), reason: error.to_string() })
        }
    }
}
