//! Go files of plugins: those that import NRI's stub.
//!
//! A file only shows what it declares. The files of a folder are combined later, with the `go.mod` above them.

mod declarations;

use std::path::Path;

use memchr::memmem;

use super::nri_module::{self, MODULE, Package};
use super::{Reader, Unreadable, text};
use crate::check::content::File;
use crate::place::Place;
use crate::sighting::{Evidence, FileKind, GoPackage, Interface, Role, Sighting};
use declarations::Declarations;

/// The maximum size of a file in bytes.
const MAX_FILE: u64 = 8 << 20;

const NAME: &str = "go-source";

/// The reader of Go files.
pub(super) struct GoSource;

impl Reader for GoSource {
    fn name(&self) -> &'static str {
        NAME
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        // Tests are not part of a plugin, and their mocks look like one. Go ignores the others.
        file.name.ends_with(".go")
            && !file.name.ends_with("_test.go")
            && !file.name.starts_with(['_', '.'])
            && !is_in_nri(file.place.path())
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let text = text::whole(file.content, MAX_FILE)?;
        if memmem::find(text.as_bytes(), b"nri/").is_none() {
            return Ok(Vec::new());
        }
        let found = declarations::read(&file.name, &text);
        let found = found.filter(|found| imported(found).next().is_some());
        Ok(found
            .map(|found| sighting(file, found))
            .into_iter()
            .collect())
    }
}

/// Returns true if the file is in NRI's own module, vendored or in a module cache. Its packages have handlers that
/// belong to no plugin.
fn is_in_nri(path: &str) -> bool {
    let mut rest = path.split(MODULE).skip(1);
    rest.any(|rest| rest.starts_with(['/', '@']))
}

/// Returns the facts in a file. Files that do not make their package a plugin count only together with one that does.
fn sighting(file: &File<'_>, found: Declarations) -> Sighting {
    let packages: Vec<Package> = imported(&found).collect();
    let has = |package| packages.contains(&package);
    let registers = found.registers.as_ref().filter(|_| has(Package::Api));
    let is_plugin = has(Package::Stub) || has(Package::Skel) || registers.is_some();
    let stub = format!("{MODULE}/pkg/stub");
    let mut details: Vec<String> = found
        .imports
        .iter()
        .filter(|path| nri_module::package(path).is_some())
        .map(|path| format!("imports {path}"))
        .collect();
    details.extend(registers.map(|name| format!("calls {name} without the stub")));
    details.extend(
        found
            .handlers
            .iter()
            .map(|handler| format!("declares the handler {}", handler.event)),
    );
    let handlers = if found.is_conditional {
        Vec::new()
    } else {
        found.handlers
    };
    let folder = file.disk.as_deref().and_then(Path::parent);
    Sighting {
        place: Place {
            line: found.line,
            ..file.place.clone()
        },
        kind: FileKind::GoSource,
        role: if is_plugin { Role::Plugin } else { Role::None },
        interface: if has(Package::Skel) && !has(Package::Stub) {
            Interface::OneShot
        } else {
            Interface::None
        },
        evidence: details
            .into_iter()
            .map(|detail| Evidence::new(NAME, detail))
            .collect(),
        source: Some(Box::new(GoPackage {
            folder: folder.map(Path::to_owned),
            name: found.package,
            imports_stub: found.imports.contains(&stub),
            handlers,
            ..GoPackage::default()
        })),
        ..Sighting::default()
    }
}

/// Returns the packages of NRI that a file imports.
fn imported(found: &Declarations) -> impl Iterator<Item = Package> + '_ {
    found
        .imports
        .iter()
        .filter_map(|path| nri_module::package(path))
}
