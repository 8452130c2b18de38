//! Combines findings in Go files to packages, and drops files that only repeat what others show.
//!
//! The files of one folder are one package. With the release of NRI that the `go.mod` above them
//! names, a declared handler can show that the package is deprecated. Only the built program can
//! show more.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::events::in_order;
use super::evidence::go_module::GoModules;
use super::evidence::nri_module;
use super::{go_build, importers};
use crate::facts::{BEFORE_POD_UPDATES, POD_UPDATES};
use crate::place::Place;
use crate::sighting::{
    Certainty, Evidence, FileKind, GoHandler, GoPackage, Interface, Role, Sighting,
};
use crate::unknown::UnknownSource;

/// The maximum number of lines of evidence for one package.
const MAX_EVIDENCE: usize = 60;

/// Folder and name of a package.
type Key = (Place, String);

/// Combines Go packages, builds their programs if `go` is true, and drops files that only name a
/// dependency next to the plugins that they belong to. `paths` are those that the user named.
pub(super) fn merge(sightings: Vec<Sighting>, paths: &[PathBuf], go: bool) -> Vec<Sighting> {
    let is_source = |sighting: &Sighting| sighting.kind == FileKind::GoSource;
    let (sources, mut merged): (Vec<_>, Vec<_>) = sightings.into_iter().partition(is_source);
    let mut by_package: BTreeMap<Key, Vec<Sighting>> = BTreeMap::new();
    for source in sources {
        let name = source.source.as_ref().map(|package| package.name.clone());
        let key = (folder(&source.place), name.unwrap_or_default());
        by_package.entry(key).or_default().push(source);
    }
    let modules = GoModules::default();
    let mut packages: Vec<Sighting> =
        by_package.into_values().filter_map(|files| package(files, &modules)).collect();
    if go {
        packages = go_build::instead_of(packages, paths, &modules);
    }
    merged.extend(packages);
    without_repetitions(merged, paths)
}

/// Returns the place of the folder that contains a file.
fn folder(file: &Place) -> Place {
    let folder = file.folder().to_owned();
    match file.entry {
        Some(_) => file.whole_file().entry(folder),
        None => Place::from(folder),
    }
}

/// Returns one package, placed at the first of the files that make it a plugin, or at its first
/// handler; `None` if it is not a plugin.
fn package(mut files: Vec<Sighting>, modules: &GoModules) -> Option<Sighting> {
    files.sort_by(|a, b| a.place.cmp(&b.place));
    let evidence = files.iter().flat_map(evidence).take(MAX_EVIDENCE).collect();
    let sources = || files.iter().filter_map(|file| file.source.as_ref());
    let mut handlers: Vec<GoHandler> =
        sources().flat_map(|source| source.handlers.clone()).collect();
    let mask = sources().find_map(|source| source.mask.clone());
    if let Some(mask) = &mask {
        handlers.retain(|handler| mask.events.contains(&handler.event));
    }
    let imports_stub = sources().any(|source| source.imports_stub);
    let with_handlers = files.iter().find(|file| file.place.line.is_some());
    let place = with_handlers.map(|file| file.place.clone());
    let first = files.into_iter().find(|file| file.role == Role::Plugin)?;
    let source = first.source.clone().unwrap_or_default();
    let interface = if imports_stub { Interface::None } else { first.interface.clone() };
    let mut package = Sighting {
        interface,
        place: place.unwrap_or_else(|| first.place.clone()),
        evidence,
        source: Some(Box::new(GoPackage { handlers, imports_stub, mask, ..*source })),
        ..first
    };
    judge_by_module(&mut package, modules);
    Some(package)
}

/// Returns the evidence in a file, with its name.
fn evidence(file: &Sighting) -> impl Iterator<Item = Evidence> + '_ {
    file.evidence.iter().map(move |seen| {
        let detail = format!("{}: {}", file.place.name(), seen.detail);
        Evidence::new(seen.reader, detail)
    })
}

/// Adds the facts of the `go.mod` above a package.
fn judge_by_module(package: &mut Sighting, modules: &GoModules) {
    let Some(mut source) = package.source.take() else {
        return;
    };
    let release = match source.folder.as_deref().map(|folder| modules.above(folder)) {
        Some(Ok(module)) => {
            package.name = Some(module.import_path());
            package.program.clone_from(&package.name);
            source.path_in_module.clone_from(&module.path_of_package);
            source.is_vendored = module.is_vendored;
            if !source.is_program() {
                source.programs = importers::programs(&module);
            }
            let release = module.release();
            release.map(str::to_owned).map_err(|why| UnknownSource::Module(why.to_owned()))
        }
        Some(Err(why)) => Err(UnknownSource::Module(why)),
        None => Err(UnknownSource::InArchive),
    };
    if package.interface != Interface::OneShot {
        match release {
            Ok(version) => judge_by_release(package, &source, version),
            Err(why) => package.interface = Interface::unknown(why),
        }
    }
    package.source = Some(source);
}

/// Judges a package of a module that builds with this release of NRI.
fn judge_by_release(package: &mut Sighting, source: &GoPackage, version: String) {
    let detail = format!("go.mod: builds with NRI {version}");
    package.evidence.push(Evidence::new("go-mod", detail));
    package.interface = interface(source, &version);
    if package.interface == Interface::StateChange {
        package.events.names = accepted(source, &version);
        package.events.certainty = Certainty::Observed;
    }
    package.nri.version = Some(version);
}

/// Returns the interface of a package: handlers that an old stub passes events to show that it is
/// deprecated.
fn interface(source: &GoPackage, version: &str) -> Interface {
    let is_handled = || source.imports_stub && !accepted(source, version).is_empty();
    match nri_module::interface(version) {
        Interface::StateChange if is_handled() => Interface::StateChange,
        Interface::StateChange => Interface::unknown(UnknownSource::NoHandler),
        Interface::Unknown(why) => Interface::Unknown(why),
        Interface::Dedicated
        | Interface::Funnelled
        | Interface::Exports(_)
        | Interface::OneShot
        | Interface::None => Interface::unknown(UnknownSource::OnlyProgram),
    }
}

/// Returns the events of the handlers that the stub of a release accepts, in the order of their
/// numbers.
fn accepted(source: &GoPackage, version: &str) -> Vec<String> {
    let takes_context = nri_module::takes_context(version);
    let has_pod_updates = nri_module::parse(version) >= nri_module::parse(POD_UPDATES);
    let is_known = |event: &str| has_pod_updates || BEFORE_POD_UPDATES.contains(&event);
    in_order(|event| {
        let is_accepted = source
            .handlers
            .iter()
            .any(|one| one.event == event && one.takes_context == takes_context);
        is_accepted && is_known(event)
    })
}

/// Drops files that only name a dependency: a `go.mod` and a list of vendored packages unless they
/// were named, and other files if there is a plugin in their folder or below it.
fn without_repetitions(sightings: Vec<Sighting>, paths: &[PathBuf]) -> Vec<Sighting> {
    let named: Vec<Place> = paths.iter().map(|path| Place::from_path(path)).collect();
    let plugins: Vec<Place> = sightings
        .iter()
        .filter(|one| one.role == Role::Plugin)
        .map(|one| one.place.clone())
        .collect();
    sightings.into_iter().filter(|one| is_kept(one, &named, &plugins)).collect()
}

/// Returns false for a file to be dropped; `named` are the places that the user named.
fn is_kept(one: &Sighting, named: &[Place], plugins: &[Place]) -> bool {
    let is_requirement =
        one.role == Role::Library && matches!(one.interface, Interface::Unknown(_));
    let belongs = || plugins.iter().any(|plugin| plugin.is_below_folder_of(&one.place));
    !is_requirement
        || named.contains(&one.place)
        || !matches!(one.kind, FileKind::GoMod | FileKind::GoVendor) && !belongs()
}
