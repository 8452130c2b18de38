//! Reads `Cargo.lock`, for the crates for NRI that a Rust program uses.
//!
//! The file is read line by line: Cargo writes one key per line, always in the same form.

use super::{Reader, Unreadable, text};
use crate::check::content::File;
use crate::check::head::Word;
use crate::sighting::{Built, Evidence, FileKind, Interface, Role, Sighting};

/// The maximum size of the file; those of the largest projects have half a megabyte.
const MAX_FILE: u64 = 32 << 20;

/// The maximum number of crates.
const MAX_CRATES: usize = 100;

const NAME: &str = "cargo-lock";

/// The crate that plugins use, and a crate that only it depends on.
const PLUGIN_CRATES: (&str, &str) = ("nri", "nri-macros");

/// Related crates that plugins do not use directly.
const RELATED_CRATES: [&str; 4] = ["nri-codegen", "nri-compat", "nri-macros", "nri-protos"];

/// The reader of `Cargo.lock`.
pub struct CargoLock;

impl Reader for CargoLock {
    fn name(&self) -> &'static str {
        NAME
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        let is_list = |head: &[u8]| memchr::memmem::find(head, b"[[package]]").is_some();
        if !file.head.mentions(Word::Package) || !is_list(&file.head) {
            return false;
        }
        text::head(&file.head).is_some_and(|head| {
            let head = head.replace('\r', "");
            head.contains("[[package]]\nname = \"") && head.contains("\nversion = ")
        })
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let mut lock = Lock::default();
        text::lines(file.content, MAX_FILE, |_, line| lock.line(line.trim()))?;
        lock.end();
        let found = lock.found.iter();
        Ok(found
            .map(|package| sighting(file, package, lock.ttrpc))
            .collect())
    }
}

/// A `[[package]]`.
#[derive(Default)]
struct Package {
    name: String,
    version: String,
    registry: bool,
    ours: bool,
}

#[derive(Default)]
struct Lock {
    current: Option<Package>,
    found: Vec<Package>,
    ttrpc: bool,
}

impl Lock {
    fn line(&mut self, line: &str) {
        if line.starts_with('[') && line.ends_with(']') {
            self.end();
            self.current = (line == "[[package]]").then(Package::default);
        }
        let Some(package) = &mut self.current else {
            return;
        };
        if let Some(name) = value(line, "name") {
            name.clone_into(&mut package.name);
        } else if let Some(version) = value(line, "version") {
            version.clone_into(&mut package.version);
        } else if let Some(source) = value(line, "source") {
            package.registry = source.starts_with("registry+") || source.starts_with("sparse+");
        } else {
            let mut dependency = line.trim_matches(['"', ',']).split(' ');
            package.ours |= dependency.next() == Some(PLUGIN_CRATES.1);
        }
    }

    fn end(&mut self) {
        let Some(package) = self.current.take() else {
            return;
        };
        self.ttrpc |= package.name == "ttrpc";
        if is_for_nri(&package.name) && self.found.len() < MAX_CRATES {
            self.found.push(package);
        }
    }
}

/// Returns the value of `key = "value"`.
fn value<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    let value = line.strip_prefix(key)?.trim_start().strip_prefix('=')?;
    value.trim_start().strip_prefix('"')?.strip_suffix('"')
}

/// Returns true if one of the words of a crate's name is `nri`.
pub(super) fn is_for_nri(name: &str) -> bool {
    !RELATED_CRATES.contains(&name) && name.split(['-', '_']).any(|word| word == "nri")
}

fn sighting(file: &File<'_>, package: &Package, ttrpc: bool) -> Sighting {
    let Package { name, version, .. } = package;
    let ours = name == PLUGIN_CRATES.0 && package.ours;
    let origin = if package.registry {
        ""
    } else {
        ", not from a registry"
    };
    let mut evidence = vec![format!("locks crate {name} {version}{origin}")];
    evidence.extend((ttrpc && !ours).then(|| "locks crate ttrpc".to_owned()));
    let reason = if ours {
        "a dependency does not say which traits are implemented: check the binary"
    } else {
        "cannot determine from its name what this crate does with events: check the binary"
    };
    Sighting {
        place: file.place.clone(),
        kind: FileKind::CargoLock,
        role: Role::Library,
        name: Some(name.clone()),
        // The version of a crate is not an NRI version.
        nri: Built::default(),
        interface: Interface::unknown(reason.to_owned()),
        evidence: evidence
            .into_iter()
            .map(|detail| Evidence {
                reader: NAME,
                detail,
            })
            .collect(),
        ..Sighting::default()
    }
}
