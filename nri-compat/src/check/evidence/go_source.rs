//! Go files that import a package of NRI.
//!
//! The reader only reads the imports of a file. The handlers of a plugin are resolved later, once
//! per package, over all packages that it is built from (`resolve_package`), because they are
//! rarely all in the file that calls the stub. A file that is not on disk has no packages around
//! it, so nothing is resolved.

mod bindings;
mod build;
mod constraint;
mod header;
mod lexer;
mod nri;
mod parse;
mod resolution;
mod resolve;
mod shape;
mod syntax;
mod toolchain;
mod tree;
mod world;

use super::nri_module::Package;
use super::{Reader, Unreadable, text};
use crate::check::content::File;
use crate::check::head::Word;
use crate::sighting::{Events, Evidence, FileKind, GoPackage, Interface, Role, Sighting};
use crate::skipped::SkipKind;
pub(in crate::check) use resolution::{Options, resolve_package};
use syntax::Import;

/// The maximum size of a file whose imports are read.
const MAX_FILE: u64 = 64 << 20;

/// The number of bytes that are read for the imports of a file that is too large to be parsed.
const MAX_HEADER: usize = 1 << 20;

const NAME: &str = "go-source";

/// The reader of Go files.
pub struct GoSource;

impl Reader for GoSource {
    fn name(&self) -> &'static str {
        NAME
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        // Tests are not part of a plugin, and their mocks look like one.
        if file.name.ends_with("_test.go") {
            return false;
        }
        let is_go = file.name.ends_with(".go");
        if !is_go && !file.head.mentions(Word::Package) {
            return false;
        }
        let is_cut = file.content.len() > file.head.len() as u64;
        text::head(&file.head).is_some_and(|head| {
            lexer::starts_with_package(head)
                || is_cut && is_go && lexer::may_start_with_package(head)
        })
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let text = header_text(file)?;
        let Some((package, imports)) = header::read(&text) else {
            return Ok(Vec::new());
        };
        let used: Vec<(Package, &Import)> = uses_of_nri(&imports, &text);
        let bindings = bindings::used(file.place.path(), &text);
        if used.is_empty() && bindings.is_none() {
            return Ok(Vec::new());
        }
        if file.content.len() > world::MAX_FILE {
            let reason = format!(
                "imports NRI, and is larger than {} MiB",
                world::MAX_FILE >> 20
            );
            return Err(Unreadable::new(SkipKind::TooLarge, reason));
        }
        // NRI's own packages have handlers that belong to no plugin.
        let handlers = if is_in_nri(file.place.path()) {
            resolution::ByName::default()
        } else {
            resolution::handlers_by_name(&file.name, &text)
        };
        let mut seen = sighting(file, package, &used, &handlers);
        if let Some((how, line)) = bindings {
            serve(&mut seen, how);
            seen.place.line = Some(line);
        }
        let one_shot = also_one_shot(&seen, &used);
        Ok(std::iter::once(seen).chain(one_shot).collect())
    }
}

/// Returns the text of a file, or the start of a large one.
fn header_text(file: &File<'_>) -> Result<String, Unreadable> {
    if file.content.len() <= world::MAX_FILE {
        return text::whole(file.content, MAX_FILE);
    }
    let mut bytes = vec![0; MAX_HEADER];
    let read = file.content.read_at(0, &mut bytes)?;
    bytes.truncate(read);
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the imports of packages of NRI. A path that merely ends like that of the stub counts if
/// it, or another import, belongs to NRI by name, or if the API is beside it and the file names NRI's messages.
fn uses_of_nri<'i>(imports: &'i [Import], text: &str) -> Vec<(Package, &'i Import)> {
    let has_api_beside = |stub: &str| {
        let parent = stub.strip_suffix("/stub").unwrap_or(stub);
        imports
            .iter()
            .any(|other| other.path.strip_prefix(parent) == Some("/api"))
    };
    let names_nri = |path: &str| path.split(['/', '-', '_', '.']).any(|word| word == "nri");
    let package = |import: &Import| {
        let path = import.path.as_str();
        let is_copy = nri::is_stub(path) && names_nri(path)
            || path.ends_with("/stub") && has_api_beside(path) && text.contains(".PodSandbox");
        if is_copy {
            Some(Package::Stub)
        } else {
            nri::package(path).filter(|_| nri::is_by_name(path))
        }
    };
    imports
        .iter()
        .filter_map(|import| Some((package(import)?, import)))
        .collect()
}

/// Returns true if the file is in NRI's own module, vendored or in a module cache.
fn is_in_nri(path: &str) -> bool {
    let mut rest = path.split("github.com/containerd/nri").skip(1);
    rest.any(|rest| rest.starts_with(['/', '@']))
}

fn sighting(
    file: &File<'_>,
    package: String,
    used: &[(Package, &Import)],
    handlers: &resolution::ByName,
) -> Sighting {
    let has = |package| used.iter().any(|(used, _)| *used == package);
    let mut details: Vec<String> = used
        .iter()
        .map(|(_, import)| format!("imports {}", import.path))
        .collect();
    details.extend(handlers.details.iter().cloned());
    let stubs = used.iter().filter(|(package, _)| *package == Package::Stub);
    let folder = file.disk.as_deref().and_then(std::path::Path::parent);
    let source = folder.map(|folder| GoPackage {
        folder: folder.to_owned(),
        name: package,
        stubs: stubs.map(|(_, import)| import.path.clone()).collect(),
        ..GoPackage::default()
    });
    Sighting {
        place: file.place.clone(),
        kind: FileKind::GoSource,
        role: role(has),
        interface: if !has(Package::Stub) && has(Package::Skel) {
            Interface::OneShot
        } else {
            Interface::None
        },
        events: handlers.events(),
        evidence: details
            .into_iter()
            .map(|detail| Evidence {
                reader: NAME,
                detail,
            })
            .collect(),
        source: source.map(Box::new),
        ..Sighting::default()
    }
}

/// Returns a second sighting for a file that imports both the stub and `skel`, the main function of
/// v0.1.0 plugins: the program may be started in both ways.
fn also_one_shot(seen: &Sighting, used: &[(Package, &Import)]) -> Option<Sighting> {
    let has = |package| used.iter().any(|(used, _)| *used == package);
    if !has(Package::Stub) || !has(Package::Skel) {
        return None;
    }
    Some(Sighting {
        interface: Interface::OneShot,
        events: Events::default(),
        ..seen.clone()
    })
}

/// Makes a file that answers calls by itself part of a plugin.
fn serve(seen: &mut Sighting, how: &str) {
    seen.role = Role::Plugin;
    seen.evidence.push(Evidence {
        reader: NAME,
        detail: how.to_owned(),
    });
    seen.interface = Interface::unknown(format!("{how}; cannot determine which calls it answers"));
}

fn role(has: impl Fn(Package) -> bool) -> Role {
    if has(Package::Stub) || has(Package::Skel) {
        Role::Plugin
    } else if has(Package::Adaptation) {
        Role::Runtime
    } else {
        Role::Library
    }
}
