//! Objects turned back into the reports that `merge` reads.

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::{PolicyReport, TIME};
use crate::report::json::SCHEMA;

/// The property that identifies the subject of a result.
pub(super) const SUBJECT: &str = "subject";

/// Returns the document of the report that an object about a node was made from, as far as `merge`
/// needs it; `None` if the object is about something else.
///
/// # Errors
///
/// Returns an error if it is not such an object, or if it has results of another tool.
pub fn document(object: Value) -> serde_json::Result<Option<Value>> {
    let report: PolicyReport = serde_json::from_value(object)?;
    let Some(node) = report.scope.filter(|scope| scope.kind == "Node") else {
        return Ok(None);
    };
    let mut verdicts = IndexMap::<&str, Vec<Value>>::new();
    for result in &report.results {
        let property = |name: &str| result.properties.get(name).map_or("", String::as_str);
        let verdict = json!({ "target": property("target"), "verdict": property("verdict") });
        verdicts.entry(property(SUBJECT)).or_default().push(verdict);
    }
    let subjects = verdicts.into_iter().map(|(identity, verdicts)| {
        let mut subject: Map<String, Value> = serde_json::from_str(identity)?;
        subject.insert("verdicts".to_owned(), verdicts.into());
        Ok(subject.into())
    });
    let subjects = subjects.collect::<serde_json::Result<Vec<Value>>>()?;
    let at = report.metadata.annotations.get(TIME);
    let summary = json!({ "node": node.name, "at": at });
    Ok(Some(json!({ "schema": SCHEMA, "subjects": subjects, "summary": summary })))
}
