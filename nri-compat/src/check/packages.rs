//! Go packages, put together from what was seen in single files.
//!
//! The files of one folder are one package. It is a plugin if one of them imports the stub, and it handles the events
//! that any of them handles. A `go.sum` beside a `go.mod` is part of its evidence.

use std::collections::BTreeMap;

use super::events::EventSet;
use super::place::Place;
use super::sighting::{Certainty, Evidence, FileKind, Interface, Role, Sighting};

/// The most lines of evidence kept of one package.
const EVIDENCE_PER_PACKAGE: usize = 60;

/// Puts Go packages together; everything else stays as it is.
pub fn merge(sightings: Vec<Sighting>) -> Vec<Sighting> {
    let (sources, others): (Vec<_>, Vec<_>) = sightings
        .into_iter()
        .partition(|sighting| sighting.kind == FileKind::GoSource);
    let mut merged = with_sums(others);
    let mut folders: BTreeMap<Place, Vec<Sighting>> = BTreeMap::new();
    for source in sources {
        folders
            .entry(folder(&source.place))
            .or_default()
            .push(source);
    }
    merged.extend(folders.into_values().filter_map(package));
    merged
}

/// Returns the place of the folder around a file.
fn folder(file: &Place) -> Place {
    let folder = file.folder().to_owned();
    match file.entry {
        Some(_) => file.whole_file().entry(folder),
        None => Place::from(folder),
    }
}

/// Returns one package, placed at the first of its files that made it what it is; `None` for one that only uses types.
fn package(mut files: Vec<Sighting>) -> Option<Sighting> {
    files.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.place.cmp(&b.place)));
    let events = events(&files);
    let evidence = files.iter().flat_map(evidence).take(EVIDENCE_PER_PACKAGE);
    let evidence: Vec<Evidence> = evidence.collect();
    let first = files.into_iter().next()?;
    let uses_types_only = first.role == Role::Library && events.is_empty();
    let certainty = if events.is_empty() {
        Certainty::Unknown
    } else {
        Certainty::ByName
    };
    (!uses_types_only).then(|| Sighting {
        interface: interface(&first, events),
        events: super::sighting::Events {
            certainty,
            names: events.names(),
        },
        evidence,
        ..first
    })
}

/// Returns the rank of a file: those that decide what a package is come first; of a plugin, those that use the stub.
fn rank(file: &Sighting) -> u8 {
    match (file.role, &file.interface) {
        (Role::Plugin, Interface::OneShot) => 1,
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

/// Returns what was seen in a file, with its name.
fn evidence(file: &Sighting) -> impl Iterator<Item = Evidence> + '_ {
    file.evidence.iter().map(move |seen| Evidence {
        reader: seen.reader,
        detail: format!("{}: {}", file.place.name(), seen.detail),
    })
}

fn interface(first: &Sighting, events: EventSet) -> Interface {
    if first.role == Role::Library && !events.is_empty() {
        return Interface::Unknown(
            "handler methods, but nothing here hands them to the stub".to_owned(),
        );
    }
    first.interface.clone()
}

/// Makes each `go.sum` beside a `go.mod` evidence of the latter.
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
