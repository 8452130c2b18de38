//! The parts of a report of `check` or `logs` that are merged. Unknown keys are ignored, so that
//! reports of newer releases can be read too.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::report::check::{ClusterView, Subject, Summary};
use crate::report::json::SCHEMA;

/// A report.
#[derive(Debug, Deserialize)]
pub(super) struct Document {
    schema: u32,
    pub(super) subjects: Vec<Subject>,
    #[serde(default)]
    pub(super) summary: Summary,
    /// The cluster that it is about; otherwise it is about a node.
    #[serde(default)]
    pub(super) cluster: Option<ClusterView>,
}

/// Parses a report, possibly wrapped by a log collector, or returns why it is not a report.
pub(super) fn parse(bytes: &[u8]) -> Result<Document, String> {
    let document = serde_json::from_slice::<Document>(bytes).or_else(|error| {
        let document = unwrapped(bytes);
        document.ok_or_else(|| format!("not a report of check or logs: {error}"))
    })?;
    match document.schema {
        SCHEMA => Ok(document),
        other => Err(format!("its schema is {other}, not {SCHEMA}")),
    }
}

/// Returns the report within the entry of a log collector.
fn unwrapped(entry: &[u8]) -> Option<Document> {
    let entry: Map<String, Value> = serde_json::from_slice(entry).ok()?;
    let mut texts = entry.values().filter_map(Value::as_str);
    let report = texts.find(|text| text.trim_start().starts_with('{'))?;
    serde_json::from_str(report).ok()
}
