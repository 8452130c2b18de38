//! The known releases and runtimes, for the reports of `versions` and `runtimes`.

use nri_schema::Protocol;
use nri_schema::history::{Deprecation, History, Release, RuntimeAt, RuntimeRelease};
use nri_schema::model::{Carrier, Event};

use crate::diff::ignored_fields;
use crate::error::{Error, ErrorKind, did_you_mean};
use crate::ranges::{self, Range};
use crate::report::history::{
    EventRow, LostField, RuntimeDeprecation, RuntimeRange, RuntimeReport, RuntimesReport,
    VersionRow, VersionsReport,
};

/// Returns every NRI release, with the contents of its protocol and the runtimes that ship it.
///
/// # Errors
///
/// Returns an error if an embedded table or proto is broken.
pub(crate) fn versions() -> Result<VersionsReport, Error> {
    let history = crate::data::history()?;
    let releases = history.releases().iter();
    let rows = releases.map(|release| version(history, release));
    Ok(VersionsReport {
        data_date: history.date().to_owned(),
        rows: rows.collect::<Result<_, _>>()?,
    })
}

fn version(history: &History, release: &Release) -> Result<VersionRow, Error> {
    let protocol = protocol(history, release)?;
    let rpcs = protocol.services.iter().map(|service| service.rpcs.len());
    Ok(VersionRow {
        release: release.name.clone(),
        revision: release.revision.clone(),
        date: release.date.clone(),
        rpcs: rpcs.sum(),
        events: protocol.nri.as_ref().map_or(0, |nri| nri.events.len()),
        runtimes: ranges::texts(history.runtimes(), |linked| linked.nri == release.name),
    })
}

/// Returns the NRI that each runtime links, as ranges of releases; of all runtimes, or of the named
/// one.
///
/// # Errors
///
/// Returns an error if no runtime has this name, or an embedded table or proto is broken.
pub(crate) fn runtimes(name: Option<&str>) -> Result<RuntimesReport, Error> {
    let history = crate::data::history()?;
    let mut rows = Vec::new();
    for runtime in history.runtimes() {
        if name.is_none_or(|name| name == runtime.id) {
            for found in ranges::by(runtime, |release| Some(release.nri.as_str())) {
                rows.push(range(history, found)?);
            }
        }
    }
    match (rows.is_empty(), name) {
        (true, Some(name)) => Err(unknown_runtime(history, name)),
        _ => Ok(RuntimesReport {
            data_date: history.date().to_owned(),
            rows,
        }),
    }
}

fn range(history: &History, found: Range<'_>) -> Result<RuntimeRange, Error> {
    let release = linked(history, found.first);
    let protocol = release.map(|release| protocol(history, release));
    let nri = protocol.transpose()?.and_then(|known| known.nri.as_ref());
    Ok(RuntimeRange {
        runtime: found.runtime.id.clone(),
        first: found.first.version.to_string(),
        last: found.last.version.to_string(),
        first_date: found.first.date.clone(),
        last_date: found.last.date.clone(),
        nri: found.first.nri.clone(),
        revision: release.map(|release| release.revision.clone()),
        mask: nri.map(|nri| nri.valid_mask),
    })
}

/// Returns the NRI release that a runtime's links, unless that is from before the protocol.
fn linked<'h>(history: &'h History, release: &RuntimeRelease) -> Option<&'h Release> {
    let mut known = history.releases().iter();
    known.find(|known| known.name == release.nri)
}

fn protocol<'h>(history: &'h History, release: &Release) -> Result<&'h Protocol, Error> {
    Ok(history.revision_of(release)?.protocol()?)
}

fn unknown_runtime(history: &History, name: &str) -> Error {
    let runtimes = history.runtimes().iter();
    let known: Vec<&str> = runtimes.map(|runtime| runtime.id.as_str()).collect();
    let all = format!(
        "known runtimes: {}; a release is named as {}@VERSION",
        known.join(", "),
        known.join("@VERSION or ")
    );
    let help = did_you_mean(name, known, &all);
    let message = format!("unknown runtime `{name}`");
    Error::new(ErrorKind::UnknownRuntime, message).with_help(help)
}

/// Returns the protocol that a runtime release speaks; `spec` is `containerd@2.2.1`, or
/// `cri-o@1.33` for the newest patch.
///
/// # Errors
///
/// Returns an error if there is no such runtime or release; it lists similar ones.
pub(crate) fn runtime(spec: &str) -> Result<RuntimeReport, Error> {
    let history = crate::data::history()?;
    let at = history.runtime(spec)?;
    let release = linked(history, at.release);
    let newest = history.release("latest")?;
    let speaks = release.map(|release| protocol(history, release));
    let speaks = speaks.transpose()?;
    let lost = speaks.map(|speaks| lost_fields(history, speaks, newest));
    let nri = speaks.and_then(|speaks| speaks.nri.as_ref());
    let events = nri.iter().flat_map(|nri| &nri.events);
    Ok(RuntimeReport {
        data_date: history.date().to_owned(),
        runtime: at.runtime.id.clone(),
        release: at.release.version.to_string(),
        date: at.release.date.clone(),
        nri: at.release.nri.clone(),
        revision: release.map(|release| release.revision.clone()),
        mask: nri.map(|nri| nri.valid_mask),
        events: events.map(event).collect(),
        deprecations: deprecations(history, at),
        lost_fields: lost.transpose()?.unwrap_or_default(),
        newest: newest.name.clone(),
    })
}

fn event(event: &Event) -> EventRow {
    EventRow {
        name: event.name.clone(),
        number: event.number,
        rpc: match event.carrier {
            Carrier::Dedicated => event.rpc_name.clone(),
            Carrier::StateChange => "StateChange".to_owned(),
            Carrier::Nothing => "-".to_owned(),
        },
    }
}

/// Returns the deprecations in this release: by the series of the runtime, or by the NRI that it
/// links.
fn deprecations(history: &History, at: RuntimeAt<'_>) -> Vec<RuntimeDeprecation> {
    let (id, release) = (at.runtime.id.as_str(), &at.release.version);
    let nri = linked(history, at.release).map(|release| &release.version);
    let holds = |one: &&Deprecation| one.deprecated_in.holds(Some((id, release)), nri);
    let row = |one: &Deprecation| RuntimeDeprecation {
        id: one.id.clone(),
        summary: one.summary.clone(),
        warns: one
            .warned_by
            .as_ref()
            .is_some_and(|warning| warning.is_given_by(id, release)),
        removal: one.removal.words(),
        remedy: one.remedy.clone(),
    };
    history
        .deprecations()
        .iter()
        .filter(holds)
        .map(row)
        .collect()
}

fn lost_fields(
    history: &History,
    speaks: &Protocol,
    newest: &Release,
) -> Result<Vec<LostField>, Error> {
    let newer = protocol(history, newest)?;
    let mut lost = Vec::new();
    for element in ignored_fields(speaks, newer) {
        let since = history.since(&newest.revision, &element)?;
        let since = since.map_or_else(|| newest.name.clone(), |release| release.name.clone());
        lost.push(LostField { element, since });
    }
    Ok(lost)
}
