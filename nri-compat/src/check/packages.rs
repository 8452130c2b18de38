//! Combines findings in single files to Go packages.
//!
//! The files of one folder are one package: it is a plugin if one of them imports the stub. Its
//! handlers and the NRI that it is built with are then resolved over the packages around it, on
//! disk. Files in an archive have no packages around them; there, only the names of methods are
//! known. A `go.sum` next to a `go.mod` is part of its evidence.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::events::EventSet;
use super::evidence::go_source::{Options, resolve_package};
use crate::place::Place;
use crate::sighting::{Certainty, Evidence, FileKind, Interface, Role, Sighting};

/// The maximum number of lines of evidence for one package.
const MAX_EVIDENCE: usize = 60;

/// Folder and name of a package, and true for those of its files that make it a v0.1.0 plugin. A package that is a plugin
/// of both kinds is reported as both.
type Key = (Place, Option<String>, bool);

/// Combines Go packages; everything else stays unchanged. `toolchain` is true if the Go toolchain
/// may be called.
pub fn merge(sightings: Vec<Sighting>, toolchain: bool) -> Vec<Sighting> {
    let (sources, others): (Vec<_>, Vec<_>) = sightings
        .into_iter()
        .partition(|sighting| sighting.kind == FileKind::GoSource);
    let mut merged = with_sums(others);
    let mut packages: BTreeMap<Key, Vec<Sighting>> = BTreeMap::new();
    for source in sources {
        let name = source.source.as_ref().map(|package| package.name.clone());
        let is_one_shot = source.interface == Interface::OneShot;
        let key = (folder(&source.place), name, is_one_shot);
        packages.entry(key).or_default().push(source);
    }
    let mut reached = BTreeSet::new();
    let packages: Vec<Sighting> = packages
        .into_values()
        .filter_map(|files| package(files, Options { toolchain }, &mut reached))
        .collect();
    merged.extend(
        packages
            .into_iter()
            .filter(|package| !is_part(package, &reached)),
    );
    merged
}

/// Reports whether a package that only has handlers contributes them to a plugin.
fn is_part(package: &Sighting, reached: &BTreeSet<PathBuf>) -> bool {
    let folder = package.source.as_ref().map(|source| &source.folder);
    package.role == Role::None && folder.is_some_and(|folder| reached.contains(folder))
}

/// Returns the place of the folder that contains a file.
fn folder(file: &Place) -> Place {
    let folder = file.folder().to_owned();
    match file.entry {
        Some(_) => file.whole_file().entry(folder),
        None => Place::from(folder),
    }
}

/// Returns one package, placed at the first of the files that determine its role; `None` for one
/// that only uses types. `reached` receives the folders of the packages that it is built from.
fn package(
    mut files: Vec<Sighting>,
    options: Options,
    reached: &mut BTreeSet<PathBuf>,
) -> Option<Sighting> {
    files.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.place.cmp(&b.place)));
    let events = events(&files);
    let evidence = files.iter().flat_map(evidence).take(MAX_EVIDENCE);
    let evidence: Vec<Evidence> = evidence.collect();
    let answers = files.iter().find_map(|file| match &file.interface {
        Interface::Unknown(_) => (file.role == Role::Plugin).then(|| file.interface.clone()),
        Interface::OneShot
        | Interface::StateChange
        | Interface::Dedicated
        | Interface::Funnelled
        | Interface::Exports(_)
        | Interface::None => None,
    });
    let stubs = stubs(&files);
    let mut first = files.into_iter().next()?;
    if let Some(source) = &mut first.source {
        source.stubs = stubs;
    }
    let uses_types_only = first.role == Role::Library && events.is_empty();
    let certainty = if events.is_empty() {
        Certainty::Unknown
    } else {
        Certainty::ByName
    };
    let mut package = Sighting {
        events: crate::sighting::Events {
            certainty,
            names: events.names(),
        },
        evidence,
        ..first
    };
    match package.role {
        Role::Plugin if package.interface == Interface::None => {
            resolve(&mut package, options, reached);
            let is_affected =
                package.interface == Interface::StateChange && !package.events.names.is_empty();
            // It also answers calls without the stub.
            package.interface = answers
                .filter(|_| !is_affected)
                .unwrap_or(package.interface);
        }
        Role::Library => {
            // Something that is not visible may pass them to a stub.
            package.role = Role::None;
            package.interface = Interface::unknown(
                "has handler methods, but no visible code passes them to a stub".to_owned(),
            );
        }
        Role::Plugin | Role::Runtime | Role::None => {}
    }
    (!uses_types_only).then_some(package)
}

/// Returns the stubs that the files of a package import.
fn stubs(files: &[Sighting]) -> Vec<String> {
    let sources = files.iter().filter_map(|file| file.source.as_ref());
    let stubs: BTreeSet<&String> = sources.flat_map(|source| &source.stubs).collect();
    stubs.into_iter().cloned().collect()
}

/// Replaces the findings in single files of a plugin by those in its packages.
fn resolve(package: &mut Sighting, options: Options, reached: &mut BTreeSet<PathBuf>) {
    let Some(source) = &mut package.source else {
        return;
    };
    let resolved = resolve_package(source, &package.events, options);
    source.required = resolved.required;
    source.pins = resolved.pins;
    if let Some((file, line)) = resolved.used_at {
        package.place = package.place.sibling(&file).at_line(line);
    }
    package.nri = resolved.nri;
    package.interface = resolved.interface;
    package.events = resolved.events;
    package.evidence.extend(resolved.evidence);
    reached.extend(resolved.folders);
}

/// Returns the rank of a file: files that determine the role of a package come first, for a plugin
/// those that use the stub.
fn rank(file: &Sighting) -> u8 {
    match (file.role, &file.interface) {
        (Role::Plugin, Interface::Unknown(_)) => 1,
        (Role::Plugin, _) => 0,
        (Role::Runtime, _) => 2,
        (Role::Library | Role::None, _) => 3,
    }
}

fn events(files: &[Sighting]) -> EventSet {
    let mut events = EventSet::default();
    for name in files.iter().flat_map(|file| &file.events.names) {
        events.insert(name);
    }
    events
}

/// Returns the evidence in a file, with its name.
fn evidence(file: &Sighting) -> impl Iterator<Item = Evidence> + '_ {
    file.evidence.iter().map(move |seen| Evidence {
        reader: seen.reader,
        detail: format!("{}: {}", file.place.name(), seen.detail),
    })
}

/// Adds each `go.sum` to the evidence of the `go.mod` next to it.
fn with_sums(sightings: Vec<Sighting>) -> Vec<Sighting> {
    let (sums, mut rest): (Vec<_>, Vec<_>) = sightings
        .into_iter()
        .partition(|sighting| sighting.kind == FileKind::GoSum);
    for sum in sums {
        let beside =
            |seen: &&mut Sighting| seen.kind == FileKind::GoMod && seen.place.is_beside(&sum.place);
        match rest.iter_mut().find(beside) {
            Some(module) => module.evidence.extend(sum.evidence),
            None => rest.push(sum),
        }
    }
    rest
}
