//! Files that declare a dependency on NRI but do not determine what is built: bills of materials
//! and a `Cargo.toml` without a lock file. They are listed as skipped, so that they do not count as
//! clean.

use std::path::Path;

use super::{Reader, Unreadable, bill_of_materials, cargo_lock, text};
use crate::check::content::File;
use crate::check::head::Word;
use crate::sighting::Sighting;
use crate::skipped::SkipKind;

/// The maximum size of a file in bytes; bills of materials of large images have some ten megabytes.
const MAX_FILE: u64 = 64 << 20;

/// The number of folders above a `Cargo.toml` that are searched for the lock file of its workspace.
const MAX_ABOVE: usize = 8;

/// The reader of files that declare a dependency on NRI, which it lists as skipped.
pub struct Declared;

/// The character that some editors write at the beginning of a file.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The words in the names of tables whose keys are crates.
const TABLES: [&str; 6] = [
    "dependencies",
    "dev-dependencies",
    "dev_dependencies",
    "build-dependencies",
    "build_dependencies",
    "replace",
];

/// A format of such files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// A bill of materials, with the name of its format.
    BillOfMaterials(&'static str),
    CargoToml,
}

impl Reader for Declared {
    fn name(&self) -> &'static str {
        "declared"
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        format(file).is_some()
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let Some(format) = format(file) else {
            return Ok(Vec::new());
        };
        let text = text::whole(file.content, MAX_FILE)?;
        let why = match format {
            Format::BillOfMaterials(format) => bill_of_materials::listed(&text, format),
            Format::CargoToml if is_locked(file.disk.as_deref()) => None,
            Format::CargoToml => required(&text),
        };
        match why {
            Some(why) => Err(Unreadable::new(SkipKind::UnsupportedFormat, why)),
            None => Ok(Vec::new()),
        }
    }
}

fn format(file: &File<'_>) -> Option<Format> {
    if file.name == "Cargo.toml" {
        return Some(Format::CargoToml);
    }
    // Most files end here, before their bytes are searched.
    if !bill_of_materials::may_begin(&file.head, &file.name) || !file.head.mentions(Word::Materials)
    {
        return None;
    }
    bill_of_materials::format(text::head(&file.head)?).map(Format::BillOfMaterials)
}

/// Describes the crate for NRI that a `Cargo.toml` requires.
fn required(text: &str) -> Option<String> {
    let manifest: toml::Table = match toml::from_str(text.trim_start_matches(BYTE_ORDER_MARK)) {
        Ok(manifest) => manifest,
        Err(error) => return unparsed(text, &error),
    };
    let crates = tables(&manifest).into_iter().flatten();
    let mut names = crates.filter(|(name, value)| is_for_nri(name, value));
    let (name, _) = names.next()?;
    Some(format!(
        "requires crate {name}, without a Cargo.lock that selects a version: check the program"
    ))
}

/// Returns the tables whose keys are crates: of the package, its targets and its workspace, and the
/// patches of each registry.
fn tables(manifest: &toml::Table) -> Vec<&toml::Table> {
    let nested = |key: &str| {
        let tables = manifest.get(key).and_then(toml::Value::as_table);
        tables
            .into_iter()
            .flat_map(toml::Table::values)
            .filter_map(toml::Value::as_table)
    };
    let workspace = manifest.get("workspace").and_then(toml::Value::as_table);
    let owners = [manifest]
        .into_iter()
        .chain(workspace)
        .chain(nested("target"));
    let of_owners =
        owners.flat_map(|owner| TABLES.iter().filter_map(|key| owner.get(*key)?.as_table()));
    of_owners.chain(nested("patch")).collect()
}

/// Returns true if a crate is for NRI by its name, by the name that was changed, or by its
/// repository.
fn is_for_nri(name: &str, value: &toml::Value) -> bool {
    let of = |key| value.get(key).and_then(toml::Value::as_str);
    let name = of("package").unwrap_or(name);
    let repository = of("git").and_then(|git| git.trim_end_matches(".git").rsplit('/').next());
    // A key of `replace` has a version, too.
    let name = name.split(':').next().unwrap_or(name);
    cargo_lock::is_for_nri(name) || repository.is_some_and(cargo_lock::is_for_nri)
}

/// Describes a `Cargo.toml` that is not valid, if it may require a crate for NRI.
fn unparsed(text: &str, error: &toml::de::Error) -> Option<String> {
    let mut words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.any(|word| word == "nri").then(|| {
        let error = error.message();
        format!("cannot be parsed, and may require a crate for NRI: {error}")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_that_require_a_crate_for_nri_are_named() {
        for text in [
            "[dependencies]\nnri = \"0.1\"",
            "[target.'cfg(unix)'.dependencies.my-nri-api]\npath = \"x\"",
            "[workspace.dependencies]\nx = { package = \"nri\", version = \"1\" }",
            "[build-dependencies]\nnri = \"0.1\"",
            "[target.'cfg(unix)'.dev-dependencies]\nnri = \"0.1\"",
            "[patch.crates-io]\nnri = { path = \"x\" }",
            "[replace]\n\"nri:0.1.0\" = { path = \"x\" }",
            "[dependencies]\nstub = { git = \"https://example.com/team/nri-rs.git\" }",
            "\u{feff}[dependencies]\nnri = \"0.1\"",
            "[dependencies\nnri = \"0.1\"",
        ] {
            assert!(required(text).is_some(), "{text}");
        }
        assert_eq!(required("[dependencies]\nserde = \"1\""), None);
        assert_eq!(required("not toml ["), None);
    }
}
