//! The JSON reports of `versions` and `runtimes`.

use serde::Serialize;

use super::{SCHEMA, print};
use crate::report::history::{
    EventRow, LostField, RuntimeDeprecation, RuntimeRange, RuntimeReport, RuntimesReport,
    VersionRow, VersionsReport,
};

#[derive(Serialize)]
struct JsonVersions<'r> {
    schema: u32,
    data_date: &'r str,
    versions: Vec<JsonVersion<'r>>,
}

#[derive(Serialize)]
struct JsonVersion<'r> {
    release: &'r str,
    revision: &'r str,
    date: &'r str,
    rpcs: usize,
    events: usize,
    runtimes: &'r [String],
}

#[derive(Serialize)]
struct JsonRuntimes<'r> {
    schema: u32,
    data_date: &'r str,
    runtimes: Vec<JsonRange<'r>>,
}

#[derive(Serialize)]
struct JsonRange<'r> {
    runtime: &'r str,
    first: &'r str,
    last: &'r str,
    first_date: &'r str,
    last_date: &'r str,
    nri: &'r str,
    revision: Option<&'r str>,
    event_mask: Option<u32>,
}

#[derive(Serialize)]
struct JsonRuntime<'r> {
    schema: u32,
    data_date: &'r str,
    runtime: &'r str,
    release: &'r str,
    date: &'r str,
    nri: &'r str,
    revision: Option<&'r str>,
    event_mask: Option<u32>,
    events: Vec<JsonEvent<'r>>,
    deprecations: Vec<JsonDeprecation<'r>>,
    newest: &'r str,
    lost_fields: Vec<JsonLostField<'r>>,
}

#[derive(Serialize)]
struct JsonEvent<'r> {
    number: i32,
    name: &'r str,
    sent_as: &'r str,
}

#[derive(Serialize)]
struct JsonDeprecation<'r> {
    id: &'r str,
    summary: &'r str,
    warns: bool,
    removal: &'r str,
    remedy: &'r str,
}

#[derive(Serialize)]
struct JsonLostField<'r> {
    element: &'r str,
    since: &'r str,
}

/// Renders the answer of `versions` as JSON.
pub fn versions(report: &VersionsReport) -> String {
    let versions = report.rows.iter().map(version).collect();
    print(&JsonVersions {
        schema: SCHEMA,
        data_date: &report.data_date,
        versions,
    })
}

fn version(row: &VersionRow) -> JsonVersion<'_> {
    JsonVersion {
        release: &row.release,
        revision: &row.revision,
        date: &row.date,
        rpcs: row.rpcs,
        events: row.events,
        runtimes: &row.runtimes,
    }
}

/// Renders the answer of `runtimes` without a release as JSON.
pub fn runtimes(report: &RuntimesReport) -> String {
    let runtimes = report.rows.iter().map(range).collect();
    print(&JsonRuntimes {
        schema: SCHEMA,
        data_date: &report.data_date,
        runtimes,
    })
}

fn range(row: &RuntimeRange) -> JsonRange<'_> {
    JsonRange {
        runtime: &row.runtime,
        first: &row.first,
        last: &row.last,
        first_date: &row.first_date,
        last_date: &row.last_date,
        nri: &row.nri,
        revision: row.revision.as_deref(),
        event_mask: row.mask,
    }
}

/// Renders the answer of `runtimes NAME@VERSION` as JSON.
pub fn runtime(report: &RuntimeReport) -> String {
    print(&JsonRuntime {
        schema: SCHEMA,
        data_date: &report.data_date,
        runtime: &report.runtime,
        release: &report.release,
        date: &report.date,
        nri: &report.nri,
        revision: report.revision.as_deref(),
        event_mask: report.mask,
        events: report.events.iter().map(event).collect(),
        deprecations: report.deprecations.iter().map(deprecation).collect(),
        newest: &report.newest,
        lost_fields: report.lost_fields.iter().map(lost_field).collect(),
    })
}

fn event(row: &EventRow) -> JsonEvent<'_> {
    JsonEvent {
        number: row.number,
        name: &row.name,
        sent_as: &row.rpc,
    }
}

fn deprecation(deprecation: &RuntimeDeprecation) -> JsonDeprecation<'_> {
    JsonDeprecation {
        id: &deprecation.id,
        summary: &deprecation.summary,
        warns: deprecation.warns,
        removal: &deprecation.removal,
        remedy: &deprecation.remedy,
    }
}

fn lost_field(field: &LostField) -> JsonLostField<'_> {
    JsonLostField {
        element: &field.element,
        since: &field.since,
    }
}
