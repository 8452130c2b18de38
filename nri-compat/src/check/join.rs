//! What sightings say about each other: the release that a source file is built with is named in a `go.mod` above it.

use super::events::{BEFORE_V0_10, EVENTS};
use super::evidence::nri_module;
use super::place::Place;
use super::sighting::{Events, Evidence, FileKind, Interface, Role, Sighting};

/// Gives Go sources the version that their module requires, and modules the events that their sources handle.
pub(super) fn join(sightings: &mut [Sighting]) {
    let modules: Vec<usize> = of_kind(sightings, FileKind::GoMod);
    for source in of_kind(sightings, FileKind::GoSource) {
        let module = nearest(sightings, &modules, source);
        let module = module.and_then(|at| Some((at, sightings.get(at)?.clone())));
        let (Some((at, module)), Some(source)) = (module, sightings.get_mut(source)) else {
            continue;
        };
        if source.role != Role::Plugin || source.interface == Interface::OneShot {
            continue;
        }
        built_with(source, &module);
        let (events, place) = (source.events.clone(), source.place.clone());
        if let Some(module) = sightings.get_mut(at) {
            handles(module, &events, &place);
        }
    }
}

fn of_kind(sightings: &[Sighting], kind: FileKind) -> Vec<usize> {
    let all = sightings.iter().enumerate();
    all.filter(|(_, one)| one.kind == kind)
        .map(|(at, _)| at)
        .collect()
}

/// Returns the `go.mod` of the innermost folder around a source file. A module file of another name, as `-modfile` takes
/// it, only counts if there is none.
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

fn built_with(source: &mut Sighting, module: &Sighting) {
    source.nri = module.nri.clone();
    source.interface = interface(module);
    source.events.names = known(&source.events.names, module);
    if let Some(version) = &module.nri.version {
        source.evidence.push(Evidence {
            reader: "go-mod",
            detail: format!("{} requires NRI {version}", module.place),
        });
    }
}

/// Returns how the stub of a module works: without a replacement, a build uses the required release or a newer one.
fn interface(module: &Sighting) -> Interface {
    match (&module.nri.version, &module.interface) {
        (Some(version), _) => nri_module::interface(version),
        (None, Interface::Unknown(why)) => Interface::Unknown(format!("{}: {why}", module.place)),
        (None, other) => other.clone(),
    }
}

/// Returns the events without those that a stub of the module's version does not know.
fn known(names: &[String], module: &Sighting) -> Vec<String> {
    let version = module.nri.version.as_deref().and_then(nri_module::parse);
    let events = match version {
        Some(version) if version < semver::Version::new(0, 9, 1) => EVENTS.get(..BEFORE_V0_10),
        _ => None,
    };
    let known = |name: &&String| events.is_none_or(|events| events.contains(&name.as_str()));
    names.iter().filter(known).cloned().collect()
}

fn handles(module: &mut Sighting, events: &Events, source: &Place) {
    if module.role != Role::Plugin {
        module.role = Role::Plugin;
        module.events = Events {
            names: Vec::new(),
            certainty: events.certainty,
        };
        module.interface = interface(module);
    }
    for name in &events.names {
        if !module.events.names.contains(name) {
            module.events.names.push(name.clone());
        }
    }
    module.events.certainty = module.events.certainty.max(events.certainty);
    module.evidence.push(Evidence {
        reader: "go-source",
        detail: handlers(source, events),
    });
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
    use super::super::sighting::{Built, Certainty};
    use super::*;

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
            interface: Interface::Unknown("a version says nothing of events".to_owned()),
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
        let (old, new) = (&Interface::StateChange, &Interface::Dedicated);
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
