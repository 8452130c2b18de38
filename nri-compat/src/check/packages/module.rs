//! Which `go.mod` a package belongs to, and what follows from it.

use std::collections::BTreeMap;

use super::{folder, known};
use crate::check::events::BEFORE_V0_10;
use crate::check::evidence::nri_module;
use crate::check::sighting::{Evidence, Interface, Kind, Sighting};

/// What was seen in `go.mod` files, by folder.
pub(super) struct Modules(BTreeMap<String, Sighting>);

/// The `go.mod` files among all sightings.
pub(super) fn by_folder(sightings: &[Sighting]) -> Modules {
    let modules = sightings.iter().filter(|seen| seen.kind == Kind::GoMod);
    Modules(
        modules
            .map(|seen| (folder(&seen.path).to_owned(), seen.clone()))
            .collect(),
    )
}

/// Makes each `go.sum` beside a `go.mod` evidence of the latter.
pub(super) fn with_sums(sightings: Vec<Sighting>) -> Vec<Sighting> {
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

impl Modules {
    /// The package, with what its module says of NRI.
    pub(super) fn built_with(&self, mut package: Sighting) -> Sighting {
        let Some(module) = self.nearest(folder(&package.path)) else {
            return package;
        };
        let uses_stub = matches!(package.interface, Interface::Unknown(_));
        package.nri = module.nri.clone();
        package.evidence.extend(module.evidence.iter().map(told));
        if uses_stub {
            package.interface = interface(&package.interface, module);
            package.events.names = events(&package.events.names, module);
        }
        package
    }

    fn nearest(&self, mut of: &str) -> Option<&Sighting> {
        loop {
            if let Some(module) = self.0.get(of) {
                return Some(module);
            }
            if of.is_empty() {
                return None;
            }
            of = folder(of);
        }
    }
}

fn told(evidence: &Evidence) -> Evidence {
    Evidence {
        reader: evidence.reader,
        detail: format!("go.mod: {}", evidence.detail),
    }
}

fn interface(package: &Interface, module: &Sighting) -> Interface {
    match (&module.nri.version, package) {
        // Handlers without a stub stay unknown.
        (_, Interface::Unknown(reason)) if reason.starts_with("handler") => package.clone(),
        (Some(version), _) => nri_module::interface(version),
        (None, _) => module.interface.clone(),
    }
}

/// Without those that a stub of the module's version does not know.
fn events(names: &[String], module: &Sighting) -> Vec<String> {
    let version = module.nri.version.as_deref().and_then(nri_module::parse);
    match version {
        Some(version) if version < semver::Version::new(0, 9, 1) => known(names, BEFORE_V0_10),
        _ => names.to_vec(),
    }
}
