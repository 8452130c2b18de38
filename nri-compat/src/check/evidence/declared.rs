//! A `Cargo.toml` without a lock file, which requires a crate for NRI.

use std::path::Path;

use super::{Reader, Unreadable, cargo_lock, requirement, text};
use crate::check::content::File;
use crate::sighting::{FileKind, Sighting};
use crate::skipped::SkipKind;

/// The maximum size of a file in bytes.
const MAX_FILE: u64 = 4 << 20;

/// The number of folders above a `Cargo.toml` that are searched for the lock file of its workspace.
const MAX_ABOVE: usize = 8;

const NAME: &str = "cargo-toml";

/// The reader of `Cargo.toml`.
pub struct Declared;

impl Reader for Declared {
    fn name(&self) -> &'static str {
        NAME
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        file.name == "Cargo.toml"
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        if is_locked(file.disk.as_deref()) {
            return Ok(Vec::new());
        }
        let text = text::whole(file.content, MAX_FILE)?;
        let manifest: toml::Table = toml::from_str(&text).map_err(|error| {
            Unreadable::new(SkipKind::Broken, format!("not valid: {}", error.message()))
        })?;
        let sighting = required(&manifest).map(|name| {
            let detail = format!("requires crate {name}");
            requirement::sighting(file, FileKind::Other, NAME, detail)
        });
        Ok(sighting.into_iter().collect())
    }
}

/// Returns the crate for NRI that a manifest requires, for the package or for its workspace.
fn required(manifest: &toml::Table) -> Option<&str> {
    let workspace = manifest.get("workspace").and_then(toml::Value::as_table);
    let owners = [Some(manifest), workspace].into_iter().flatten();
    let mut crates = owners
        .filter_map(|owner| owner.get("dependencies")?.as_table())
        .flatten();
    crates.find_map(|(key, value)| {
        let renamed = value.get("package").and_then(toml::Value::as_str);
        Some(renamed.unwrap_or(key)).filter(|name| cargo_lock::is_for_nri(name))
    })
}

/// Returns true if a lock file next to or above a `Cargo.toml` is read instead.
fn is_locked(manifest: Option<&Path>) -> bool {
    let folders = manifest
        .into_iter()
        .flat_map(|path| path.ancestors().skip(1));
    folders
        .take(MAX_ABOVE)
        .any(|folder| folder.join("Cargo.lock").is_file())
}
