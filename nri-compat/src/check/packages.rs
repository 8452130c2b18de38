//! Go packages, put together from what was seen in single files.
//!
//! The files of one folder are one package: it is a plugin if one of them imports the stub, and handles what any of
//! them handles. `go.sum` beside a `go.mod` is part of its evidence.

use std::collections::BTreeMap;

use super::events::EventSet;
use super::sighting::{Certainty, Evidence, Interface, Kind, Role, Sighting};

/// The most lines of evidence kept of one package.
const MOST: usize = 60;

/// Puts Go packages together; everything else stays as it is.
pub fn merge(sightings: Vec<Sighting>) -> Vec<Sighting> {
    let (sources, others): (Vec<_>, Vec<_>) = sightings
        .into_iter()
        .partition(|sighting| sighting.kind == Kind::GoSource);
    let mut merged = with_sums(others);
    let mut folders: BTreeMap<String, Vec<Sighting>> = BTreeMap::new();
    for source in sources {
        let folder = folder(&source.path).to_owned();
        folders.entry(folder).or_default().push(source);
    }
    merged.extend(folders.into_values().filter_map(package));
    merged
}

/// The folder of a path as it is shown, without the last `/`; empty if there is none.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// One package, shown as the first of its files that made it what it is; `None` for one that only uses types.
fn package(mut files: Vec<Sighting>) -> Option<Sighting> {
    files.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.path.cmp(&b.path)));
    let events = events(&files);
    let evidence = files.iter().flat_map(evidence).take(MOST);
    let evidence: Vec<Evidence> = evidence.collect();
    let first = files.into_iter().next()?;
    let uses_types_only = first.role == Role::Library && events.is_empty();
    (!uses_types_only).then(|| Sighting {
        interface: interface(&first, events),
        events: super::sighting::Events {
            certainty: match events.is_empty() {
                true => Certainty::Unknown,
                false => Certainty::ByName,
            },
            names: events.names(),
        },
        evidence,
        ..first
    })
}

/// Files that decide what a package is come first; of a plugin, those that use the stub.
fn rank(file: &Sighting) -> u8 {
    match (file.role, &file.interface) {
        (Role::Plugin, Interface::OneShot) => 1,
        (Role::Plugin, _) => 0,
        (Role::Runtime, _) => 2,
        _ => 3,
    }
}

fn events(files: &[Sighting]) -> EventSet {
    let mut events = EventSet::default();
    for name in files.iter().flat_map(|file| &file.events.names) {
        events.insert(name);
    }
    events
}

/// What was seen in a file, with its name.
fn evidence(file: &Sighting) -> impl Iterator<Item = Evidence> + '_ {
    let name = file.path.rsplit('/').next().unwrap_or_default();
    file.evidence.iter().map(move |seen| Evidence {
        reader: seen.reader,
        detail: format!("{name}: {}", seen.detail),
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
        .partition(|sighting| sighting.kind == Kind::GoSum);
    for sum in sums {
        let beside = |seen: &&mut Sighting| {
            seen.kind == Kind::GoMod && folder(&seen.path) == folder(&sum.path)
        };
        match rest.iter_mut().find(beside) {
            Some(module) => module.evidence.extend(sum.evidence),
            None => rest.push(sum),
        }
    }
    rest
}
