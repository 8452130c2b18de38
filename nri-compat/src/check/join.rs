//! What sightings tell about each other: which release a source file is built with stands in a `go.mod` above it.

use std::path::Path;

use super::sighting::{Built, Certainty, Events, Evidence, Interface, Kind, Role, Sighting};

/// The release from which on a stub answers the RPC of every event.
const DEDICATED: semver::Version = semver::Version::new(0, 12, 0);

/// Gives Go sources the version that their module requires, and modules the events that their sources handle.
pub(super) fn join(sightings: &mut [Sighting]) {
    let modules: Vec<usize> = of_kind(sightings, Kind::GoMod);
    for source in of_kind(sightings, Kind::GoSource) {
        let Some(module) = nearest(sightings, &modules, source) else {
            continue;
        };
        let (built, path) = match sightings.get(module) {
            Some(module) => (module.nri.clone(), module.path.clone()),
            None => continue,
        };
        let events = sightings
            .get(source)
            .map(|source| (source.events.clone(), source.path.clone()));
        if let Some(source) = sightings.get_mut(source) {
            built_with(source, &built, &path);
        }
        if let (Some(module), Some((events, path))) = (sightings.get_mut(module), events) {
            handles(module, &events, &path, &built);
        }
    }
}

fn of_kind(sightings: &[Sighting], kind: Kind) -> Vec<usize> {
    let all = sightings.iter().enumerate();
    all.filter(|(_, one)| one.kind == kind)
        .map(|(at, _)| at)
        .collect()
}

/// The `go.mod` of the innermost folder around a source file.
fn nearest(sightings: &[Sighting], modules: &[usize], source: usize) -> Option<usize> {
    let source = Path::new(&sightings.get(source)?.path);
    let folder = |at: &usize| {
        sightings
            .get(*at)
            .and_then(|one| Path::new(&one.path).parent())
    };
    let around = modules.iter().copied();
    around
        .filter(|at| folder(at).is_some_and(|folder| source.starts_with(folder)))
        .max_by_key(|at| folder(at).map_or(0, |folder| folder.components().count()))
}

fn built_with(source: &mut Sighting, built: &Built, module: &str) {
    if source.role != Role::Plugin || matches!(source.interface, Interface::OneShot) {
        return;
    }
    source.nri = built.clone();
    source.interface = interface(built, module);
    if let Some(version) = &built.version {
        source.evidence.push(Evidence {
            reader: "go-mod",
            detail: format!("{module} requires NRI {version}"),
        });
    }
}

/// Without a replacement, a build takes the required release or a newer one.
fn interface(built: &Built, module: &str) -> Interface {
    let version = built
        .version
        .as_deref()
        .map(|version| version.trim_start_matches('v'));
    let Some(version) = version.and_then(|version| semver::Version::parse(version).ok()) else {
        return Interface::Unknown(format!("{module} does not say which NRI release is used"));
    };
    match (version >= DEDICATED, version.pre.is_empty()) {
        (true, _) => Interface::Dedicated,
        (false, true) => Interface::StateChange,
        (false, false) => Interface::Unknown(format!(
            "{module} requires v{version}, which no release is: what its stub does cannot be told"
        )),
    }
}

fn handles(module: &mut Sighting, events: &Events, source: &str, built: &Built) {
    if module.role != Role::Plugin {
        module.role = Role::Plugin;
        module.events = Events::default();
        module.interface = interface(built, &module.path);
    }
    for name in &events.names {
        if !module.events.names.contains(name) {
            module.events.names.push(name.clone());
        }
    }
    module.events.certainty = Certainty::ByName;
    module.evidence.push(Evidence {
        reader: "go-source",
        detail: format!("{source} has handlers of {}", events.names.join(", ")),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(path: &str, kind: Kind, version: Option<&str>, events: &[&str]) -> Sighting {
        Sighting {
            path: path.to_owned(),
            kind,
            role: if kind == Kind::GoSource {
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
            seen("/src/go.mod", Kind::GoMod, Some("v0.12.5"), &[]),
            seen("/src/old/go.mod", Kind::GoMod, Some("v0.11.0"), &[]),
            seen(
                "/src/old/cmd/main.go",
                Kind::GoSource,
                None,
                &["RunPodSandbox"],
            ),
            seen("/src/new.go", Kind::GoSource, None, &["RunPodSandbox"]),
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
                seen("go.mod", Kind::GoMod, version, &[]),
                seen("main.go", Kind::GoSource, None, &["RunPodSandbox"]),
            ];
            join(&mut all);
            assert!(
                matches!(all[1].interface, Interface::Unknown(_)),
                "{version:?}"
            );
        }
    }
}
