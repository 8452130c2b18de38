//! Files that name NRI as a dependency: `go.mod`, `vendor/modules.txt`, `Cargo.lock`, `Cargo.toml`
//! and bills of materials.
//!
//! A dependency does not show which events are handled, so such a file is never judged.

use std::path::Path;

use memchr::memmem;
use serde::Deserialize;
use toml::{Table, Value};

use super::go_module::GoMod;
use super::nri_module::{self, MODULE, Package};
use super::{Reader, Unreadable, sighting, text};
use crate::bounded_json;
use crate::check::content::File;
use crate::sighting::{Evidence, FileKind, Interface, Role, Sighting};
use crate::skipped::SkipKind;
use crate::unknown::UnknownSource;

/// The maximum size of a file in bytes; bills of materials of large images have some ten megabytes.
const MAX_FILE: u64 = 64 << 20;

/// The maximum size of a TOML file in bytes; lock files of large workspaces have half a megabyte. A
/// byte takes up to 400 bytes of memory.
const MAX_TOML: usize = 1 << 20;

/// The bytes of memory for each value of a bill: the largest part has two texts, and two values if
/// it is empty.
const BILL_VALUE: usize = 120;

/// The number of folders above a `Cargo.toml` that are searched for the lock file of its workspace.
const MAX_ABOVE: usize = 8;

/// Crates whose names have the word `nri`, but which are tools of this project and not used by
/// plugins.
const TOOL_CRATES: [&str; 4] = ["nri-compat", "nri-codegen", "nri-conformance", "nri-protos"];

/// The texts by which bills of materials are recognised. An SPDX document with sorted keys has its
/// version at its end.
const BILL_KEYS: [&[u8]; 3] = [b"\"bomFormat\"", b"\"spdxVersion\"", b"\"SPDXRef-DOCUMENT\""];

/// A format of files that list dependencies.
pub(super) struct DependencyFormat {
    name: &'static str,
    kind: FileKind,
    recognises: fn(&File<'_>) -> bool,
    /// Returns how the text of a file names NRI; `None` if the text does not. The error says what
    /// is broken.
    mention: fn(&File<'_>, &str) -> Result<Option<String>, String>,
}

pub(super) const GO_MOD: DependencyFormat = DependencyFormat {
    name: "go-mod",
    kind: FileKind::GoMod,
    recognises: |file| file.name == "go.mod",
    mention: |_, text| {
        let module = GoMod::parse(text);
        let version = module.direct_requirement();
        Ok(version.map(|version| format!("requires {MODULE} {version}")))
    },
};

pub(super) const GO_VENDOR: DependencyFormat = DependencyFormat {
    name: "go-vendor",
    kind: FileKind::GoVendor,
    recognises: |file| file.name == "modules.txt" && file.head.starts_with(b"# "),
    mention: |_, text| {
        let is_plugin = vendors(text, &[Package::Stub, Package::Skel]);
        // Runtimes test themselves with plugins.
        let is_runtime = vendors(text, &[Package::Adaptation]);
        Ok((is_plugin && !is_runtime).then(|| "vendors a package of NRI for plugins".to_owned()))
    },
};

pub(super) const CARGO_LOCK: DependencyFormat = DependencyFormat {
    name: "cargo-lock",
    kind: FileKind::CargoLock,
    recognises: |file| file.name == "Cargo.lock",
    mention: |_, text| {
        let lock = table(text)?;
        let found = locked_crate(&lock);
        Ok(found.map(|name| format!("a package of it depends on crate {name}")))
    },
};

pub(super) const CARGO_TOML: DependencyFormat = DependencyFormat {
    name: "cargo-toml",
    kind: FileKind::Other,
    recognises: |file| file.name == "Cargo.toml",
    mention: |file, text| {
        if is_locked(file.disk.as_deref()) {
            return Ok(None);
        }
        let manifest = table(text)?;
        let found = required_crate(&manifest);
        Ok(found.map(|name| format!("requires crate {name}")))
    },
};

pub(super) const BILL_OF_MATERIALS: DependencyFormat = DependencyFormat {
    name: "bill-of-materials",
    kind: FileKind::Other,
    recognises: |file| {
        file.head.trim_ascii_start().starts_with(b"{")
            && BILL_KEYS.iter().any(|key| memmem::find(&file.head, key).is_some())
    },
    mention: |_, text| {
        let bill: Bill =
            bounded_json::read(text.as_bytes(), BILL_VALUE).map_err(|error| error.to_string())?;
        Ok(bill.lists_nri().then(|| format!("lists {MODULE}")))
    },
};

impl Reader for DependencyFormat {
    fn name(&self) -> &'static str {
        self.name
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        (self.recognises)(file)
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let text = text::whole(file.content, MAX_FILE)?;
        let mention = (self.mention)(file, &text)
            .map_err(|error| Unreadable::new(SkipKind::Broken, format!("not valid: {error}")))?;
        let sighting = mention.map(|detail| Sighting {
            interface: Interface::unknown(UnknownSource::Dependency),
            ..sighting(file, self.kind, Role::Library, Evidence::new(self.name, detail))
        });
        Ok(sighting.into_iter().collect())
    }
}

/// Returns true if a `modules.txt` lists one of these packages of NRI.
fn vendors(text: &str, packages: &[Package]) -> bool {
    text.lines()
        .filter_map(|line| nri_module::package(line.trim()))
        .any(|package| packages.contains(&package))
}

fn table(text: &str) -> Result<Table, String> {
    if text.len() > MAX_TOML {
        return Err(format!("longer than {MAX_TOML} bytes"));
    }
    toml::from_str(text).map_err(|error| error.message().to_owned())
}

/// Returns the crate for NRI that a package of the workspace depends on; such packages have no
/// source.
fn locked_crate(lock: &Table) -> Option<&str> {
    let packages = lock.get("package").and_then(Value::as_array);
    let own = packages
        .into_iter()
        .flatten()
        .filter_map(Value::as_table)
        .filter(|package| !package.contains_key("source"));
    let lists = own.filter_map(|package| package.get("dependencies")?.as_array());
    let mut names = lists.flatten().filter_map(Value::as_str);
    // A version follows the name if there are several.
    names.find(|name| is_for_nri(name.split(' ').next().unwrap_or(name)))
}

/// Returns the crate for NRI that a manifest requires, for the package or for its workspace.
fn required_crate(manifest: &Table) -> Option<&str> {
    let workspace = manifest.get("workspace").and_then(Value::as_table);
    let owners = [Some(manifest), workspace].into_iter().flatten();
    let mut crates = owners.filter_map(|owner| owner.get("dependencies")?.as_table()).flatten();
    crates.find_map(|(key, value)| {
        let renamed = value.get("package").and_then(Value::as_str);
        Some(renamed.unwrap_or(key)).filter(|name| is_for_nri(name))
    })
}

/// Returns true if one of the words of a crate's name is `nri`.
fn is_for_nri(name: &str) -> bool {
    !TOOL_CRATES.contains(&name) && name.split(['-', '_']).any(|word| word == "nri")
}

/// Returns true if a lock file next to or above a `Cargo.toml` is read instead.
fn is_locked(manifest: Option<&Path>) -> bool {
    let mut folders = manifest.into_iter().flat_map(Path::ancestors).skip(1).take(MAX_ABOVE);
    folders.any(|folder| folder.join("Cargo.lock").is_file())
}

/// A bill of materials in CycloneDX or SPDX.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Bill {
    /// The parts in CycloneDX.
    components: Vec<SbomComponent>,
    /// The dependencies between parts in CycloneDX.
    dependencies: Vec<Dependencies>,
    /// The thing that CycloneDX describes.
    metadata: SbomMetadata,
    /// The parts in SPDX.
    packages: Vec<SbomComponent>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SbomMetadata {
    component: SbomComponent,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SbomComponent {
    name: String,
    #[serde(rename = "bom-ref")]
    reference: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Dependencies {
    #[serde(rename = "ref")]
    reference: String,
    depends_on: Vec<String>,
}

impl Bill {
    /// Returns true if NRI is listed. If the bill says what its subject depends on, NRI must be
    /// among that: others only depend on it through something else.
    fn lists_nri(&self) -> bool {
        let mut parts = self.components.iter().chain(&self.packages);
        let Some(nri) = parts.find(|part| part.name == MODULE) else {
            return false;
        };
        let subject = &self.metadata.component.reference;
        let direct =
            self.dependencies.iter().find(|one| !subject.is_empty() && one.reference == *subject);
        direct.is_none_or(|direct| direct.depends_on.contains(&nri.reference))
    }
}
