//! The known releases and runtimes: the reports of `versions` and `runtimes`.

use nri_schema::Protocol;
use nri_schema::history::{Deprecation, History, Release, RuntimeAt, RuntimeRelease};
use nri_schema::model::{Carrier, Event};
use serde::Serialize;

use crate::diff::ignored_fields;
use crate::error::Error;
use crate::ranges::{self, Range};
use crate::report::template::plain;

plain! {
    VersionsReport => "versions",
    RuntimesReport => "runtimes",
    RuntimeReport => "runtime",
}

/// Every release of the protocol.
#[derive(Serialize)]
pub(crate) struct VersionsReport {
    /// The date of the newest release in the tables, `YYYY-MM-DD`.
    data_date: &'static str,
    /// One row per release, oldest first.
    versions: Vec<VersionRow>,
}

#[derive(Serialize)]
struct VersionRow {
    release: &'static str,
    revision: &'static str,
    date: &'static str,
    /// The number of RPCs in all its services.
    rpcs: usize,
    /// The number of events that a plugin can subscribe to.
    events: usize,
    /// Ranges of runtime releases that link exactly this release.
    runtimes: Vec<String>,
}

/// The NRI that the runtimes link, as ranges of releases.
#[derive(Serialize)]
pub(crate) struct RuntimesReport {
    data_date: &'static str,
    /// One row per range, by runtime and then oldest first.
    runtimes: Vec<RuntimeRange>,
}

/// Adjacent releases of a runtime that link the same NRI.
#[derive(Serialize)]
struct RuntimeRange {
    runtime: &'static str,
    first: String,
    last: String,
    first_date: &'static str,
    last_date: &'static str,
    #[serde(flatten)]
    linked: LinkedRelease,
}

/// The NRI that a runtime release links.
#[derive(Serialize)]
struct LinkedRelease {
    nri: &'static str,
    /// The protocol revision; `None` for one-shot plugins, which have no proto.
    revision: Option<&'static str>,
    /// The event mask that the runtime accepts, if there is a proto: bit (number - 1) for each
    /// event.
    event_mask: Option<u32>,
}

/// One release of a runtime in detail.
#[derive(Serialize)]
pub(crate) struct RuntimeReport {
    data_date: &'static str,
    runtime: &'static str,
    release: String,
    date: &'static str,
    #[serde(flatten)]
    linked: LinkedRelease,
    /// The events it sends.
    events: Vec<EventRow>,
    /// The interfaces that it deprecates or warns about.
    deprecations: Vec<DeprecationRow>,
    /// The newest protocol release, with which `lost_fields` was determined.
    newest: &'static str,
    /// The fields that a plugin of the newest protocol may send and this runtime ignores.
    lost_fields: Vec<LostField>,
}

#[derive(Serialize)]
struct EventRow {
    /// Its number; the bit in the mask is one less.
    number: i32,
    /// The enum value, such as `RUN_POD_SANDBOX`.
    name: &'static str,
    /// The RPC that carries it.
    sent_as: &'static str,
}

#[derive(Serialize)]
struct DeprecationRow {
    id: &'static str,
    summary: &'static str,
    /// True if this release warns the operator.
    warns: bool,
    /// The removal: `planned for containerd 2.7`.
    removal: String,
    remedy: &'static str,
}

/// A field that a runtime does not know.
#[derive(Serialize)]
struct LostField {
    element: String,
    /// The release that added it.
    since: &'static str,
}

/// Returns every NRI release, with the contents of its protocol and the runtimes that ship it.
pub(crate) fn versions() -> Result<VersionsReport, Error> {
    let history = crate::data::history()?;
    let rows = history.releases().iter().map(|release| version(history, release));
    Ok(VersionsReport { data_date: history.date(), versions: rows.collect::<Result<_, _>>()? })
}

fn version(history: &'static History, release: &'static Release) -> Result<VersionRow, Error> {
    let protocol = protocol(history, release)?;
    let rpcs = protocol.services.iter().map(|service| service.rpcs.len());
    Ok(VersionRow {
        release: &release.name,
        revision: &release.revision,
        date: &release.date,
        rpcs: rpcs.sum(),
        events: protocol.nri.as_ref().map_or(0, |nri| nri.events.len()),
        runtimes: ranges::texts(history.runtimes(), |linked| linked.nri == release.name),
    })
}

/// Returns the NRI that each runtime links, as ranges of releases; of all runtimes, or of the named
/// one.
pub(crate) fn runtimes(name: Option<&str>) -> Result<RuntimesReport, Error> {
    let history = crate::data::history()?;
    let of = |runtime| ranges::by(runtime, |one, next| one.nri == next.nri);
    let ranges: Vec<Range<'_>> = match name {
        Some(name) => of(history.runtime(name)?.runtime),
        None => history.runtimes().iter().flat_map(of).collect(),
    };
    let rows = ranges.into_iter().map(|found| range(history, found));
    Ok(RuntimesReport { data_date: history.date(), runtimes: rows.collect::<Result<_, _>>()? })
}

fn range(history: &'static History, found: Range<'static>) -> Result<RuntimeRange, Error> {
    Ok(RuntimeRange {
        runtime: &found.runtime.id,
        first: found.first.version.to_string(),
        last: found.last.version.to_string(),
        first_date: &found.first.date,
        last_date: &found.last.date,
        linked: linked(history, found.first)?,
    })
}

fn linked(
    history: &'static History,
    linking: &'static RuntimeRelease,
) -> Result<LinkedRelease, Error> {
    let release = linked_release(history, linking);
    let protocol = release.map(|release| protocol(history, release));
    let nri = protocol.transpose()?.and_then(|known| known.nri.as_ref());
    Ok(LinkedRelease {
        nri: &linking.nri,
        revision: release.map(|release| release.revision.as_str()),
        event_mask: nri.map(|nri| nri.valid_mask),
    })
}

/// Returns the NRI release that a runtime's links, unless that is from before the protocol.
fn linked_release<'h>(history: &'h History, release: &RuntimeRelease) -> Option<&'h Release> {
    let mut known = history.releases().iter();
    known.find(|known| known.name == release.nri)
}

fn protocol<'h>(history: &'h History, release: &Release) -> Result<&'h Protocol, Error> {
    Ok(history.revision_of(release)?.protocol()?)
}

/// Returns the protocol that a runtime release speaks; `spec` is `containerd@2.2.1`, or
/// `cri-o@1.33` for the newest patch.
pub(crate) fn runtime(spec: &str) -> Result<RuntimeReport, Error> {
    let history = crate::data::history()?;
    let at = history.runtime(spec)?;
    let newest = history.release("latest")?;
    let speaks = linked_release(history, at.release)
        .map(|release| protocol(history, release))
        .transpose()?;
    let lost = speaks.map(|speaks| lost_fields(history, speaks, newest));
    let nri = speaks.and_then(|speaks| speaks.nri.as_ref());
    let events = nri.iter().flat_map(|nri| &nri.events);
    Ok(RuntimeReport {
        data_date: history.date(),
        runtime: &at.runtime.id,
        release: at.release.version.to_string(),
        date: &at.release.date,
        linked: linked(history, at.release)?,
        events: events.map(event).collect(),
        deprecations: deprecations(history, at),
        lost_fields: lost.transpose()?.unwrap_or_default(),
        newest: &newest.name,
    })
}

fn event(event: &'static Event) -> EventRow {
    EventRow {
        name: &event.name,
        number: event.number,
        sent_as: match event.carrier {
            Carrier::Dedicated => &event.rpc_name,
            Carrier::StateChange => "StateChange",
            Carrier::Nothing => "-",
        },
    }
}

/// Returns the deprecations in this release: by the series of the runtime, or by the NRI that it
/// links.
fn deprecations(history: &'static History, at: RuntimeAt<'_>) -> Vec<DeprecationRow> {
    let (id, version) = (at.runtime.id.as_str(), &at.release.version);
    let nri = linked_release(history, at.release).map(|release| &release.version);
    let holds = |one: &&Deprecation| one.deprecated_in.holds(Some((id, version)), nri);
    let warns = |one: &Deprecation| {
        let warning = one.warned_by.as_ref();
        warning.is_some_and(|warning| warning.is_given_by(id, version))
    };
    let all = history.deprecations().iter().filter(holds);
    let rows = all.map(|one| DeprecationRow {
        id: &one.id,
        summary: &one.summary,
        warns: warns(one),
        removal: one.removal.words(),
        remedy: &one.remedy,
    });
    rows.collect()
}

fn lost_fields(
    history: &'static History,
    speaks: &Protocol,
    newest: &'static Release,
) -> Result<Vec<LostField>, Error> {
    let lost = ignored_fields(speaks, protocol(history, newest)?).into_iter().map(|element| {
        let since = history.since(&newest.revision, &element)?.unwrap_or(newest);
        Ok(LostField { element, since: &since.name })
    });
    lost.collect()
}
