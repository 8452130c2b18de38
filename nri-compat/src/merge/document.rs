//! The parts of a report of `check` or `logs` that are merged. Unknown keys are ignored, so that
//! reports of newer releases can be read too.

use jiff::Timestamp;
use serde::Deserialize;

use crate::report::check::{ClusterView, Subject, Summary};
use crate::report::json::SCHEMA;
use crate::stamp;

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

/// The keys of the time of an entry of a log collector.
const TIMES: [&str; 5] = [
    "time",
    "@timestamp",
    "timestamp",
    "date",
    "__REALTIME_TIMESTAMP",
];

/// Parses a report, possibly wrapped by a log collector, and passes it on with the time of the
/// collector, for reports without a time.
///
/// # Errors
///
/// Returns the reason why it is not a report.
pub(super) fn parse(
    bytes: &[u8],
    take: impl FnOnce(&Document, Option<&str>),
) -> Result<(), String> {
    let error = match serde_json::from_slice::<Document>(bytes) {
        Ok(document) => return document.of_this_schema().map(|()| take(&document, None)),
        Err(error) => error,
    };
    let text = String::from_utf8_lossy(bytes);
    let (time, line) = unwrapped(&text).unwrap_or_default();
    let document: Document = serde_json::from_str(&line)
        .map_err(|_| format!("not a report of check or logs: {error}"))?;
    document.of_this_schema()?;
    take(&document, time.as_deref());
    Ok(())
}

/// Returns the object within the entry of a log collector, and the time of the entry.
fn unwrapped(entry: &str) -> Option<(Option<String>, String)> {
    let entry: serde_json::Map<String, serde_json::Value> = serde_json::from_str(entry).ok()?;
    let mut texts = entry.values().filter_map(serde_json::Value::as_str);
    let object = texts.find(|text| text.trim_start().starts_with('{'))?;
    let time = TIMES.iter().find_map(|key| entry.get(*key)?.as_str());
    Some((time.map(str::to_owned), object.to_owned()))
}

impl Document {
    /// Returns when it was made: as it says itself, or else as a log collector does.
    pub(super) fn made_at(&self, collected: Option<&str>) -> Option<Timestamp> {
        let at = self.summary.at.as_deref().or(collected);
        at.and_then(stamp::rfc3339)
    }

    fn of_this_schema(&self) -> Result<(), String> {
        if self.schema == SCHEMA {
            return Ok(());
        }
        Err(format!("its schema is {}, not {SCHEMA}", self.schema))
    }
}
