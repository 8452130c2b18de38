//! `Cargo.lock`: crates for NRI that the packages of a workspace depend on.
//!
//! A crate does not show which events are handled: plugins built with `nri` carry a manifest that does.

use serde::Deserialize;

use super::{Reader, Unreadable, requirement, text};
use crate::check::content::File;
use crate::sighting::{FileKind, Sighting};
use crate::skipped::SkipKind;

/// The maximum size of the file in bytes; those of the largest projects have a few hundred kilobytes.
const MAX_FILE: u64 = 16 << 20;

/// Crates whose names have the word `nri`, but which are tools of this project and not used by plugins.
const TOOL_CRATES: [&str; 4] = ["nri-compat", "nri-codegen", "nri-conformance", "nri-protos"];

const NAME: &str = "cargo-lock";

/// The reader of `Cargo.lock`.
pub struct CargoLock;

#[derive(Deserialize)]
struct Lock {
    #[serde(default)]
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    /// Absent for packages of the workspace.
    source: Option<String>,
    /// The names, each with a version if there are several.
    #[serde(default)]
    dependencies: Vec<String>,
}

impl Reader for CargoLock {
    fn name(&self) -> &'static str {
        NAME
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        file.name == "Cargo.lock"
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let text = text::whole(file.content, MAX_FILE)?;
        let lock: Lock = toml::from_str(&text).map_err(|error| {
            Unreadable::new(SkipKind::Broken, format!("not valid: {}", error.message()))
        })?;
        let own = lock.package.iter().filter(|one| one.source.is_none());
        let mut names = own.flat_map(|one| &one.dependencies);
        let found = names.find(|name| is_for_nri(name.split(' ').next().unwrap_or(name)));
        let sighting = found.map(|name| {
            let detail = format!("a package of it depends on crate {name}");
            requirement::sighting(file, FileKind::CargoLock, NAME, detail)
        });
        Ok(sighting.into_iter().collect())
    }
}

/// Returns true if one of the words of a crate's name is `nri`.
pub(super) fn is_for_nri(name: &str) -> bool {
    !TOOL_CRATES.contains(&name) && name.split(['-', '_']).any(|word| word == "nri")
}
