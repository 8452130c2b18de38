//! The targets if none is named: the runtimes of the machine, and the next planned removal.

use nri_schema::history::{History, RemovalStatus};
use semver::Version;

use super::{Target, UnknownReleases};
use crate::check::collected::MachineRuntime;
use crate::error::Error;

/// Returns the runtimes that were found on a machine, and for each the next release for which a
/// removal is planned. Without a runtime, returns the newest known release of NRI.
///
/// # Errors
///
/// Returns an error if the tables of the history are broken.
pub fn machine_targets<'h>(
    history: &'h History,
    runtimes: &[MachineRuntime],
) -> Result<Vec<Target<'h>>, Error> {
    let mut targets: Vec<Target<'h>> = Vec::new();
    for runtime in runtimes {
        let Some(found) = of_runtime(history, runtime) else {
            continue;
        };
        let next = next_removal(history, runtime, &found);
        for target in [found].into_iter().chain(next) {
            let mut known = targets.iter();
            if !known.any(|known| known.head.name == target.head.name) {
                targets.push(target);
            }
        }
    }
    if targets.is_empty() {
        targets.push(Target::newest(history)?);
    }
    Ok(targets)
}

/// Returns the release of a runtime; if the tables do not have it, the release of NRI that it
/// links.
fn of_runtime<'h>(history: &'h History, runtime: &MachineRuntime) -> Option<Target<'h>> {
    let release = runtime.release.as_ref().map(|release| format!("{}@{release}", runtime.runtime));
    let nri = runtime.nri.as_ref().map(|nri| format!("nri@{nri}"));
    let mut specs = release.into_iter().chain(nri);
    let unknown = UnknownReleases::default();
    let mut target = specs.find_map(|spec| Target::resolve(history, &spec, &unknown).ok())?;
    let by = &runtime.known_from;
    target.head.by_default = true;
    target.head.found_by = Some(match &target.runtime {
        Some(_) => format!("from {by}"),
        None => format!("from {by}, a {} of an unknown release", runtime.runtime),
    });
    Some(target)
}

/// Returns the version of the runtime; `None` for a release of NRI.
fn version<'t>(target: &'t Target<'_>) -> Option<&'t Version> {
    target.runtime.as_ref().map(|release| &release.version)
}

/// Returns the next release of a runtime for which a removal is planned.
fn next_removal<'h>(
    history: &'h History,
    runtime: &MachineRuntime,
    found: &Target<'h>,
) -> Option<Target<'h>> {
    let planned = history
        .deprecations()
        .iter()
        .filter(|deprecation| deprecation.removal.status == RemovalStatus::Planned);
    let unknown = UnknownReleases::default();
    let mut targets: Vec<Target<'h>> = planned
        .flat_map(|deprecation| &deprecation.removal.when.runtimes)
        .filter(|(id, _)| *id == runtime.runtime)
        .filter_map(|(id, series)| {
            Target::resolve(history, &format!("{id}@{series}"), &unknown).ok()
        })
        .filter(|target| target.head.planned && version(target) > version(found))
        .collect();
    targets.sort_by(|a, b| version(a).cmp(&version(b)));
    let mut next = targets.into_iter().next()?;
    next.head.by_default = true;
    next.head.found_by = Some("the next planned removal".to_owned());
    Some(next)
}
