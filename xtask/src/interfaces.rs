//! Lists the public interface of every published crate, for review: each item on a line, in
//! `snapshots/api`.
//!
//! rustdoc's JSON is not stable, so the version of `public-api` goes with that of Rust.

use std::path::{Path, PathBuf};

use public_api::Builder;

use crate::error::TaskError;
use crate::generate::Target;
use crate::metadata::published;
use crate::tool::Tool;

/// Documents the workspace at `root`, warnings denied, and returns the interface of every published
/// crate.
///
/// # Errors
///
/// Returns an error if the documentation of a crate has a warning, or its JSON cannot be read.
pub fn targets(root: &Path) -> Result<Vec<Target>, TaskError> {
    let folder =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    document(root)?;
    let targets = published(root)?.into_iter().map(|name| {
        let json = folder.join(format!("doc/{}.json", name.replace('-', "_")));
        let path = PathBuf::from(format!("snapshots/api/{name}.txt"));
        Ok((path, list(&json)?.into_bytes()))
    });
    targets.collect()
}

fn document(root: &Path) -> Result<(), TaskError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["doc", "--workspace", "--all-features", "--locked", "--no-deps"];
    // As docs.rs does it.
    let flags = "--cfg docsrs -D warnings -Zunstable-options --output-format json";
    let doc = Tool::new(cargo, "install Rust").with(|cargo| {
        cargo.args(arguments).current_dir(root);
        cargo.env("RUSTDOC", root.join("xtask/src/rustdoc-json.sh"));
        cargo.env("RUSTDOCFLAGS", flags);
    });
    doc.run()
}

fn list(json: &Path) -> Result<String, TaskError> {
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
