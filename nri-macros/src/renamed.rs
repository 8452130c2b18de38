//! The name under which a plugin's crate knows the `nri` crate, from its `Cargo.toml`.
//!
//! Reads no more of TOML than the ways to write a dependency: a parser would be a dependency of every plugin. Whoever
//! writes it in another way says `#[nri(crate = …)]`.

use std::fs;
use std::path::Path;

use proc_macro2::{Ident, Span};
use syn::parse_quote;

const CRATE: &str = "nri";

/// Returns the path of the `nri` crate for the crate that is being compiled: `::nri` unless the dependency is renamed.
pub(crate) fn path() -> syn::Path {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR");
    let renamed = folder.and_then(|folder| find(Path::new(&folder)));
    let name = renamed.unwrap_or_else(|| CRATE.to_owned());
    let name = syn::parse_str(&name).unwrap_or_else(|_| Ident::new(CRATE, Span::call_site()));
    parse_quote!(::#name)
}

/// Returns the new name of the dependency of the package in this folder, which may inherit it from a workspace.
fn find(folder: &Path) -> Option<String> {
    let dependencies = |folder: &Path| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml"));
        manifest.map(|manifest| Dependencies::of(&manifest))
    };
    let own = dependencies(folder).ok()?;
    if own.has(CRATE) {
        return None;
    }
    let inherited = || {
        let workspaces = folder.ancestors().skip(1);
        let renamed = workspaces.filter_map(|folder| dependencies(folder).ok()?.renamed);
        renamed.into_iter().find(|name| own.has(name))
    };
    let renamed = own.renamed.clone().or_else(inherited)?;
    Some(renamed.replace('-', "_"))
}

/// The dependencies that a manifest declares.
#[derive(Debug, Default, PartialEq)]
struct Dependencies {
    names: Vec<String>,
    /// The name of the dependency whose package is `nri`.
    renamed: Option<String>,
}

impl Dependencies {
    fn of(manifest: &str) -> Self {
        let mut found = Dependencies::default();
        let mut table = ManifestTable::Other;
        for line in manifest.lines().map(str::trim) {
            if let Some(header) = line.strip_prefix('[') {
                table = ManifestTable::of(header);
                if let ManifestTable::Dependency(name) = &table {
                    found.names.push(name.clone());
                }
                continue;
            }
            let Some((key, value)) = line.split_once('=') else {
                continue;
            };
            match &table {
                ManifestTable::Dependencies => found.declare(key, value),
                ManifestTable::Dependency(name) if unquoted(key) == "package" => {
                    found.rename(name, value)
                }
                ManifestTable::Dependency(_) | ManifestTable::Other => {}
            }
        }
        found
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// Takes `name = "1"`, `name = { package = "nri", … }`, `name.package = "nri"`, or `name.workspace = true`.
    fn declare(&mut self, key: &str, value: &str) {
        let (name, part) = key.split_once('.').unwrap_or((key, ""));
        let name = unquoted(name);
        self.names.push(name.to_owned());
        let table = value.trim().trim_start_matches('{').split('}').next();
        let parts = table.unwrap_or_default().split(',');
        let package = parts
            .filter_map(|part| part.split_once('='))
            .find(|(key, _)| unquoted(key) == "package");
        if unquoted(part) == "package" {
            self.rename(name, value);
        } else if let Some((_, package)) = package {
            self.rename(name, package);
        }
    }

    fn rename(&mut self, name: &str, package: &str) {
        let package = package.split('#').next().unwrap_or_default();
        if unquoted(package) == CRATE && name != CRATE {
            self.renamed = Some(name.to_owned());
        }
    }
}

/// A table of a manifest.
enum ManifestTable {
    /// `[dependencies]`, or one for a target, for builds, for tests, or of a workspace.
    Dependencies,
    /// `[dependencies.name]`
    Dependency(String),
    Other,
}

impl ManifestTable {
    fn of(header: &str) -> Self {
        let header = header.split(']').next().unwrap_or_default().trim();
        if header.ends_with("dependencies") {
            return ManifestTable::Dependencies;
        }
        match header.rsplit_once('.') {
            Some((kind, name)) if kind.trim().ends_with("dependencies") => {
                ManifestTable::Dependency(unquoted(name).to_owned())
            }
            Some(_) | None => ManifestTable::Other,
        }
    }
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renamed_in_every_way_to_write_it() {
        for manifest in [
            "[dependencies]\nrenamed = { version = \"1\", package = \"nri\" }",
            "[dependencies]\nrenamed={package='nri',features=[\"serde\"]} # why",
            "[dependencies]\nrenamed.package = \"nri\"\nrenamed.version = \"1\"",
            "[dependencies.renamed]\nversion = \"1\"\npackage = \"nri\" # why",
            "[target.'cfg(target_os = \"linux\")'.dependencies]\nrenamed = { package = \"nri\" }",
            "[workspace.dependencies]\n\"renamed\" = { package = \"nri\" }",
            "[dev-dependencies]\nrenamed = { package = \"nri\" }",
        ] {
            let found = Dependencies::of(manifest);
            assert_eq!(found.renamed.as_deref(), Some("renamed"), "{manifest}");
        }
    }

    #[test]
    fn not_renamed() {
        for manifest in [
            "[dependencies]\nnri = \"1\"\nother = { package = \"nri-codegen\" }",
            "[dependencies.nri]\npackage = \"nri\"",
            "[package]\nrenamed = { package = \"nri\" }",
            "[dependencies]\n# renamed = 1\nother = { path = \"package = nri\" }",
            "",
        ] {
            assert_eq!(Dependencies::of(manifest).renamed, None, "{manifest}");
        }
    }

    #[test]
    fn inherited_from_the_workspace() {
        let root = tempfile::tempdir().expect("a folder");
        let member = root.path().join("plugins/member");
        fs::create_dir_all(&member).expect("a folder");
        let write = |folder: &Path, text: &str| {
            fs::write(folder.join("Cargo.toml"), text).expect("a manifest");
        };
        write(
            root.path(),
            "[workspace.dependencies]\nnode-resources = { package = \"nri\", version = \"1\" }",
        );
        write(&member, "[dependencies]\nnode-resources.workspace = true");
        assert_eq!(find(&member).as_deref(), Some("node_resources"));
        write(&member, "[dependencies]\nnri = \"1\"");
        assert_eq!(find(&member), None);
        write(&member, "[dependencies]\nother = \"1\"");
        assert_eq!(find(&member), None);
    }
}
