//! Resolves a package that uses the stub: the events that it handles, and the NRI that it is built
//! with.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::super::nri_module::Package;
use super::build::{self, Build, Settings};
use super::resolve::{self, Handled};
use super::shape::{self, Fit};
use super::syntax::Type;
use super::tree::{Disk, Tree};
use super::world::World;
use super::{NAME, nri, parse, toolchain};
use crate::check::events::EventSet;
use crate::sighting::{Built, Certainty, Events, Evidence, GoPackage, Interface, Pin};

/// The maximum number of reasons in a report.
const MAX_REASONS: usize = 3;

/// The maximum number of types of one file that are listed.
const MAX_TYPES: usize = 50;

/// Options for resolving packages.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::check) struct Options {
    /// True if the Go toolchain may be asked for the locations of packages.
    pub(in crate::check) toolchain: bool,
}

/// The facts known about a package.
#[derive(Debug)]
pub(in crate::check) struct Resolution {
    pub(in crate::check) nri: Built,
    /// The version that `go.mod` requires, and other facts that determine the release.
    pub(in crate::check) required: Option<String>,
    pub(in crate::check) pins: Vec<Pin>,
    pub(in crate::check) interface: Interface,
    pub(in crate::check) events: Events,
    /// The file within the folder, and the line, of the first use of the stub.
    pub(in crate::check) used_at: Option<(String, u32)>,
    pub(in crate::check) evidence: Vec<Evidence>,
    /// The folders of the packages that were read.
    pub(in crate::check) folders: Vec<PathBuf>,
}

/// Resolves a package on disk. `by_name` are the handlers in it that are known only by name.
pub(in crate::check) fn resolve_package(
    package: &GoPackage,
    by_name: &Events,
    options: Options,
) -> Resolution {
    resolve_in(&Disk, &Settings::of_process(), package, by_name, options)
}

fn resolve_in(
    tree: &dyn Tree,
    settings: &Settings,
    package: &GoPackage,
    by_name: &Events,
    options: Options,
) -> Resolution {
    let mut build = build::of(tree, &package.folder, settings, &package.stubs);
    let mut layout = std::mem::take(&mut build.layout);
    if options.toolchain {
        match toolchain::list(&package.folder) {
            Ok(listed) => {
                listed.settle(&mut build);
                layout.listed = listed.folders;
            }
            Err(why) => build.evidence.push(format!("go list: {why}")),
        }
    }
    let world = World::new(tree, layout);
    let handled = resolve::handled(&world, &package.folder, &package.name, &build.root);
    let mut folders = world.folders();
    folders.push(package.folder.clone());
    resolution(build, handled, by_name, folders)
}

fn resolution(
    build: Build,
    handled: Handled,
    by_name: &Events,
    folders: Vec<PathBuf>,
) -> Resolution {
    let mut details = build.evidence;
    details.extend(handled.notes.iter().cloned());
    details.extend(
        handled
            .unresolved
            .iter()
            .take(MAX_REASONS)
            .map(|why| format!("not resolved: {why}")),
    );
    details.extend(handled.apart.iter().take(MAX_REASONS).cloned());
    let events = events(&handled, by_name, &mut details);
    Resolution {
        nri: Built {
            version: build.version,
            ..Built::default()
        },
        required: build.required,
        pins: build.pins,
        interface: build.interface,
        events,
        used_at: first_use(&handled),
        evidence: details
            .into_iter()
            .map(|detail| Evidence {
                reader: NAME,
                detail,
            })
            .collect(),
        folders,
    }
}

fn first_use(handled: &Handled) -> Option<(String, u32)> {
    let (file, line) = handled.uses.iter().min()?;
    Some((file.clone(), u32::try_from(*line).ok()?))
}

/// Returns the events that are handled. They are exact only if everything was resolved.
fn events(handled: &Handled, by_name: &Events, details: &mut Vec<String>) -> Events {
    let is_whole = !handled.uses.is_empty() && handled.unresolved.is_empty();
    let mut names = handled.certain.clone();
    if is_whole && handled.possible.is_empty() && handled.apart.is_empty() {
        return Events {
            names: set(&names).names(),
            certainty: Certainty::Exact,
        };
    }
    if !handled.possible.is_empty() {
        let possible: Vec<&str> = handled.possible.iter().copied().collect();
        details.push(format!("may handle {}, too", possible.join(", ")));
    }
    if handled.uses.is_empty() {
        details.push("stub.New is called elsewhere".to_owned());
    }
    if !is_whole {
        names.extend(by_name.names.iter().filter_map(|name| shape::event(name)));
    }
    let certainty = if names.is_empty() {
        Certainty::Unknown
    } else {
        Certainty::Observed
    };
    Events {
        names: set(&names).names(),
        certainty,
    }
}

fn set(names: &BTreeSet<&'static str>) -> EventSet {
    let mut set = EventSet::default();
    for name in names {
        set.insert(name);
    }
    set
}

/// Methods of a single file that are handlers, by their names and signatures.
#[derive(Debug, Default)]
pub(super) struct ByName {
    events: EventSet,
    pub(super) details: Vec<String>,
}

impl ByName {
    pub(super) fn events(&self) -> Events {
        let certainty = if self.events.is_empty() {
            Certainty::Unknown
        } else {
            Certainty::ByName
        };
        Events {
            names: self.events.names(),
            certainty,
        }
    }
}

/// Finds methods of a single file that are handlers.
pub(super) fn handlers_by_name(name: &str, text: &str) -> ByName {
    let Some(file) = parse::parse(name, text) else {
        return ByName::default();
    };
    let mut found = ByName::default();
    let mut types: BTreeMap<&str, EventSet> = BTreeMap::new();
    for method in &file.methods {
        if shape::fit(&method.name, &method.signature, &Alone(&file)) == Fit::Yes {
            types
                .entry(&method.receiver)
                .or_default()
                .insert(&method.name);
            found.events.insert(&method.name);
        }
    }
    let details = types.iter().take(MAX_TYPES);
    let details = details.map(|(of, events)| {
        format!(
            "type {of} has handler methods {}",
            events.names().join(", ")
        )
    });
    found.details = details.collect();
    found
}

/// A file without its package: qualifiers are resolved only by its imports.
struct Alone<'f>(&'f super::syntax::SourceFile);

impl shape::Names for Alone<'_> {
    fn is_message(&self, ty: &Type, message: &str) -> bool {
        let Type::Pointer(to) = ty else { return false };
        let Type::Named { qualifier, name } = &**to else {
            return false;
        };
        let is_api = |path: &str| nri::package(path) == Some(Package::Api);
        let mut imports = self.0.imports.iter().filter(|import| is_api(&import.path));
        let imported =
            imports.any(
                |import| match (qualifier.as_deref(), import.alias.as_deref()) {
                    (None, alias) => alias == Some("."),
                    (Some(name), Some(alias)) => name == alias,
                    (Some(name), None) => name == "api",
                },
            );
        imported && name == message
    }

    fn is_predeclared(&self, name: &str) -> bool {
        matches!(
            name,
            "bool" | "byte" | "int" | "int32" | "int64" | "string" | "uint" | "uint32" | "uint64"
        )
    }
}
