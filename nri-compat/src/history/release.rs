//! One release of a runtime in detail.

use nri_schema::Protocol;
use nri_schema::history::{Deprecation, History, Release, RuntimeAt};
use nri_schema::model::{Carrier, Event};

use super::{linked, protocol};
use crate::diff::ignored_fields;
use crate::error::Error;
use crate::report::history::{EventRow, LostField, RuntimeDeprecation, RuntimeReport};

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
