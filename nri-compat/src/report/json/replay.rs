//! The JSON report of `replay`, described by `schema/replay.schema.json`.

use nri_conformance::record::Replayed;
use nri_conformance::record::replay::{Difference, Skipped};
use serde::Serialize;

use super::{SCHEMA, print};

#[derive(Serialize)]
struct JsonReplay<'r> {
    schema: u32,
    plugin: &'r str,
    recorded_plugin: &'r str,
    differences: Vec<JsonDifference<'r>>,
    summary: JsonSummary,
}

#[derive(Serialize)]
struct JsonDifference<'r> {
    request: u64,
    at_millis: u128,
    method: &'r str,
    subject: &'r str,
    detail: String,
}

#[derive(Serialize)]
struct JsonSummary {
    requests: u64,
    compared: u64,
    differences: u64,
    unsubscribed: u64,
    repeated: u64,
    withheld: u64,
    after_end: u64,
    millis: u128,
}

/// Renders the answer of `replay` as JSON.
pub fn replay(replayed: &Replayed) -> String {
    let Skipped {
        unsubscribed,
        repeated,
        withheld,
        after_end,
    } = replayed.skipped;
    print(&JsonReplay {
        schema: SCHEMA,
        plugin: &replayed.plugin,
        recorded_plugin: &replayed.recorded_plugin,
        differences: replayed.differences.iter().map(difference).collect(),
        summary: JsonSummary {
            requests: replayed.requests,
            compared: replayed.compared,
            differences: replayed.differences.len() as u64 + replayed.more_differences,
            unsubscribed,
            repeated,
            withheld,
            after_end,
            millis: replayed.elapsed.as_millis(),
        },
    })
}

fn difference(difference: &Difference) -> JsonDifference<'_> {
    JsonDifference {
        request: difference.request,
        at_millis: difference.at.as_millis(),
        method: &difference.method,
        subject: &difference.subject,
        detail: difference.kind.to_string(),
    }
}
