//! Files that declare a dependency on NRI but do not determine what is built: bills of materials
//! (CycloneDX and SPDX, as JSON) and a `Cargo.toml` without a lock file. They are listed as
//! skipped, so that they do not count as clean.

use std::path::Path;

use super::{Reader, Unreadable, cargo_lock, text};
use crate::check::content::File;
use crate::facts::MODULE;
use crate::sighting::Sighting;
use crate::skipped::SkipKind;

/// The maximum size of a file in bytes; bills of materials of large images have some ten megabytes.
const MAX_FILE: u64 = 64 << 20;

/// The number of folders above a `Cargo.toml` that are searched for the lock file of its workspace.
const MAX_ABOVE: usize = 8;

/// The reader of files that declare a dependency on NRI, which it lists as skipped.
pub struct Declared;

/// A format of such files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    CycloneDx,
    Spdx,
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
            Format::CycloneDx => listed(&text, "a CycloneDX"),
            Format::Spdx => listed(&text, "an SPDX"),
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
    let first = *file.head.trim_ascii_start().first()?;
    let may_be = first == b'{' || !first.is_ascii() || file.name == "Cargo.toml";
    if !may_be {
        return None;
    }
    let head = text::head(&file.head)?;
    if head.trim_start().starts_with('{') {
        return if head.contains("\"bomFormat\"") || head.contains("cyclonedx.org/schema") {
            Some(Format::CycloneDx)
        } else if head.contains("\"spdxVersion\"") || head.contains("spdx.org/rdf/") {
            Some(Format::Spdx)
        } else {
            None
        };
    }
    (file.name == "Cargo.toml").then_some(Format::CargoToml)
}

/// Describes what a bill of materials lists of NRI. `format` is its format, with an article.
fn listed(text: &str, format: &str) -> Option<String> {
    // JSON may escape slashes.
    let text = text.replace("\\/", "/");
    let after = text.split(MODULE).skip(1);
    let mut names = after.filter(|rest| rest.starts_with(['@', '"', '/', '?']));
    let first = names.next()?;
    let version = first
        .strip_prefix('@')
        .and_then(|rest| rest.split(['"', '?', '#', '&']).next());
    let version = version.map_or_else(String::new, |version| format!(" {version}"));
    Some(format!(
        "{format} bill of materials lists {MODULE}{version}, which does not show how it is \
             used: check the program that it describes"
    ))
}

/// Describes the crate for NRI that a `Cargo.toml` requires.
fn required(text: &str) -> Option<String> {
    let manifest: toml::Table = toml::from_str(text).ok()?;
    let mut tables = vec![&manifest];
    let nested = ["target", "workspace"]
        .iter()
        .filter_map(|key| manifest.get(*key)?.as_table());
    for table in nested {
        tables.push(table);
        tables.extend(table.values().filter_map(toml::Value::as_table));
    }
    let dependencies = tables
        .iter()
        .filter_map(|table| table.get("dependencies")?.as_table());
    let mut names = dependencies.flat_map(|table| table.iter());
    let (name, _) = names.find(|(name, value)| {
        let renamed = value.get("package").and_then(toml::Value::as_str);
        cargo_lock::is_for_nri(renamed.unwrap_or(name))
    })?;
    Some(format!(
        "requires crate {name}, without a Cargo.lock that selects a version: check the program"
    ))
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
    fn bills_of_materials_that_list_nri_are_named() {
        let purl = r#"{"bomFormat":"CycloneDX","components":[{"purl":"pkg:golang/github.com\/containerd\/nri@v0.11.0?type=module"}]}"#;
        assert!(listed(purl, "CycloneDX").unwrap().contains("nri v0.11.0,"));
        let spdx =
            r#"{"spdxVersion":"SPDX-2.3","packages":[{"name":"github.com/containerd/nri"}]}"#;
        assert!(listed(spdx, "SPDX").unwrap().contains("SPDX"));
        assert_eq!(
            listed(r#"{"name":"github.com/containerd/nri-other"}"#, "SPDX"),
            None
        );
    }

    #[test]
    fn manifests_that_require_a_crate_for_nri_are_named() {
        for text in [
            "[dependencies]\nnri = \"0.1\"",
            "[target.'cfg(unix)'.dependencies.my-nri-api]\npath = \"x\"",
            "[workspace.dependencies]\nx = { package = \"nri\", version = \"1\" }",
        ] {
            assert!(required(text).is_some(), "{text}");
        }
        assert_eq!(required("[dependencies]\nserde = \"1\""), None);
        assert_eq!(required("not toml ["), None);
    }
}
