//! Facts that sightings contribute to each other: for example, a `go.mod` above a source file names
//! the release that it is built with.

use std::collections::BTreeSet;

use super::evidence::nri_module;
use crate::facts::{self, BEFORE_POD_UPDATES};
use crate::place::Place;
use crate::sighting::{Certainty, Events, Evidence, FileKind, Interface, Role, Sighting};

/// The reason why sources that are not on disk prove nothing.
const IN_ARCHIVE: &str = "cannot determine what it is built from: its sources are in an archive; unpack it and check the folder";

/// Adds to Go sources in archives the version that their module requires, and to module files the
/// findings in their sources.
pub(super) fn join(sightings: &mut [Sighting]) {
    let modules: Vec<usize> = of_kind(sightings, FileKind::GoMod);
    let vendors: Vec<usize> = of_kind(sightings, FileKind::GoVendor);
    let mut settled = BTreeSet::new();
    for source in of_kind(sightings, FileKind::GoSource) {
        let module = nearest(sightings, &modules, source);
        let module = module.and_then(|at| Some((at, sightings.get(at)?.clone())));
        let (Some((at, module)), Some(source)) = (module, sightings.get_mut(source)) else {
            continue;
        };
        if source.role != Role::Plugin || source.interface == Interface::OneShot {
            continue;
        }
        if source.interface == Interface::None {
            built_with(source, &module);
        }
        if source.interface == Interface::None {
            source.interface = Interface::unknown(IN_ARCHIVE);
        }
        let source = source.clone();
        let vendored = vendors.iter().copied();
        let vendored = vendored.filter(|vendor| is_vendored_by(sightings, *vendor, at));
        let others = modules.iter().copied();
        let others = others.filter(|other| is_alternative(sightings, *other, at));
        let files: Vec<usize> = vendored.chain(others).chain([at]).collect();
        for at in files {
            if let Some(file) = sightings.get_mut(at) {
                handles(file, &source, settled.insert(at));
            }
        }
    }
    for source in sightings.iter_mut() {
        let is_plugin = source.kind == FileKind::GoSource && source.role == Role::Plugin;
        if is_plugin && source.interface == Interface::None {
            source.interface = Interface::unknown(IN_ARCHIVE);
        }
    }
}

/// Reports whether `-modfile` may select a module file instead of a `go.mod`.
fn is_alternative(sightings: &[Sighting], other: usize, module: usize) -> bool {
    let place = |at: usize| sightings.get(at).map(|one| &one.place);
    let (Some(other), Some(module)) = (place(other), place(module)) else {
        return false;
    };
    other.name() != "go.mod" && other != module && other.is_below_folder_of(module)
}

/// Reports whether a `vendor/modules.txt` belongs to a `go.mod`.
fn is_vendored_by(sightings: &[Sighting], vendor: usize, module: usize) -> bool {
    let folder = |at: usize| {
        sightings
            .get(at)
            .map(|one| (&one.place, one.place.folder()))
    };
    let (Some((vendor, within)), Some((module, folder))) = (folder(vendor), folder(module)) else {
        return false;
    };
    let folder = if folder.is_empty() {
        "vendor".to_owned()
    } else {
        format!("{folder}/vendor")
    };
    within == folder && vendor.is_below_folder_of(module)
}

fn of_kind(sightings: &[Sighting], kind: FileKind) -> Vec<usize> {
    let all = sightings.iter().enumerate();
    all.filter(|(_, one)| one.kind == kind)
        .map(|(at, _)| at)
        .collect()
}

/// Returns the `go.mod` of the innermost folder around a source file. A module file with another
/// name, for `-modfile`, only counts if there is none.
fn nearest(sightings: &[Sighting], modules: &[usize], source: usize) -> Option<usize> {
    let source = &sightings.get(source)?.place;
    let modules = modules
        .iter()
        .filter_map(|at| Some((*at, &sightings.get(*at)?.place)));
    modules
        .filter(|(_, module)| source.is_below_folder_of(module))
        .max_by_key(|(_, module)| (module.depth(), module.name() == "go.mod"))
        .map(|(at, _)| at)
}

/// Judges a package in an archive, of which only single files are known. They can prove that it is
/// deprecated, but not that it is not.
fn built_with(source: &mut Sighting, module: &Sighting) {
    source.nri = module.nri.clone();
    source.events.names = known(&source.events.names, module);
    if let Some(version) = &module.nri.version {
        source.evidence.push(Evidence {
            reader: "go-mod",
            detail: format!("{} requires NRI {version}", module.place),
        });
    }
    let takes_state_change = interface(module) == Interface::StateChange;
    if takes_state_change && !source.events.names.is_empty() {
        source.interface = Interface::StateChange;
        source.events.certainty = Certainty::Observed;
    }
}

/// Returns the interface of the stub of a module: without a replacement, a build uses the required
/// release or a newer one.
fn interface(module: &Sighting) -> Interface {
    match (&module.nri.version, &module.interface) {
        (Some(version), _) => nri_module::interface(version),
        (None, Interface::Unknown(why)) => {
            Interface::unknown(format!("{}: {}", module.place, why.reason))
        }
        (None, other) => other.clone(),
    }
}

/// Returns the events without those that a stub of this version of the module does not know.
fn known(names: &[String], module: &Sighting) -> Vec<String> {
    let version = module.nri.version.as_deref().and_then(nri_module::parse);
    let events = match version {
        Some(version) if Some(&version) < nri_module::parse(facts::POD_UPDATES).as_ref() => {
            Some(BEFORE_POD_UPDATES)
        }
        _ => None,
    };
    let known = |name: &&String| events.is_none_or(|events| events.contains(&name.as_str()));
    names.iter().filter(known).cloned().collect()
}

/// Adds a package to the result of its module, which is the worst of all packages. `is_first` is
/// true for the first package.
fn handles(module: &mut Sighting, source: &Sighting, is_first: bool) {
    if is_first {
        module.role = Role::Plugin;
        module.events = source.events.clone();
        module.interface = source.interface.clone();
        module.source.clone_from(&source.source);
    } else {
        module.interface = worse(&module.interface, &source.interface);
        for name in &source.events.names {
            if !module.events.names.contains(name) {
                module.events.names.push(name.clone());
            }
        }
        module.events.certainty = module.events.certainty.max(source.events.certainty);
    }
    module.evidence.push(Evidence {
        reader: "go-source",
        detail: handlers(&source.place, &source.events),
    });
}

/// Returns the interface that proves less.
fn worse(a: &Interface, b: &Interface) -> Interface {
    let badness = |one: &Interface| match one {
        Interface::StateChange | Interface::Funnelled | Interface::OneShot => 3,
        Interface::Unknown(_) | Interface::None => 2,
        Interface::Exports(_) => 1,
        Interface::Dedicated => 0,
    };
    if badness(a) >= badness(b) {
        a.clone()
    } else {
        b.clone()
    }
}

fn handlers(source: &Place, events: &Events) -> String {
    if events.names.is_empty() {
        format!("{source} uses the stub; its handlers are elsewhere")
    } else {
        format!("{source} has handlers of {}", events.names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sighting::{Built, Certainty};

    fn seen(path: &str, kind: FileKind, version: Option<&str>, events: &[&str]) -> Sighting {
        Sighting {
            place: path.into(),
            kind,
            role: if kind == FileKind::GoSource {
                Role::Plugin
            } else {
                Role::Library
            },
            nri: Built {
                version: version.map(str::to_owned),
                ..Built::default()
            },
            interface: if kind == FileKind::GoSource {
                Interface::None
            } else {
                Interface::unknown("a version says nothing of events")
            },
            events: Events {
                names: events.iter().map(|name| (*name).to_owned()).collect(),
                certainty: Certainty::ByName,
            },
            ..Sighting::default()
        }
    }

    #[test]
    fn a_source_is_built_with_what_the_innermost_module_requires() {
        let mut all = [
            seen("/src/go.mod", FileKind::GoMod, Some("v0.12.5"), &[]),
            seen("/src/old/go.mod", FileKind::GoMod, Some("v0.11.0"), &[]),
            seen(
                "/src/old/cmd/main.go",
                FileKind::GoSource,
                None,
                &["RunPodSandbox"],
            ),
            seen("/src/new.go", FileKind::GoSource, None, &["RunPodSandbox"]),
        ];
        join(&mut all);
        let interfaces: Vec<_> = all.iter().map(|one| &one.interface).collect();
        let (old, new) = (&Interface::StateChange, &Interface::unknown(IN_ARCHIVE));
        assert_eq!(interfaces, [new, old, old, new]);
        assert_eq!(all[1].role, Role::Plugin);
        assert_eq!(all[1].events.names, ["RunPodSandbox"]);
    }

    #[test]
    fn a_replacement_or_a_pseudo_version_proves_nothing() {
        for version in [None, Some("v0.11.1-0.20260415191100-0123456789ab")] {
            let mut all = [
                seen("go.mod", FileKind::GoMod, version, &[]),
                seen("main.go", FileKind::GoSource, None, &["RunPodSandbox"]),
            ];
            join(&mut all);
            assert!(
                matches!(all[1].interface, Interface::Unknown(_)),
                "{version:?}"
            );
        }
    }

    #[test]
    fn a_stub_has_no_events_that_came_after_it() {
        let events = ["RunPodSandbox", "UpdatePodSandbox"];
        let mut all = [
            seen("go.mod", FileKind::GoMod, Some("v0.9.0"), &[]),
            seen("main.go", FileKind::GoSource, None, &events),
        ];
        join(&mut all);
        assert_eq!(all[1].events.names, ["RunPodSandbox"]);
        assert_eq!(all[0].events.names, ["RunPodSandbox"]);
    }
}
