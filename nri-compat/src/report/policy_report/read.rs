//! Objects turned back into the reports that `merge` reads.

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::{PolicyReport, TIME};
use crate::report::json::SCHEMA;

/// The property that identifies the subject of a result.
pub(super) const SUBJECT: &str = "subject";

/// The properties of a result about an incident, which has no verdict.
pub(super) const LEVEL: &str = "level";
pub(super) const SETTING: &str = "setting";

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
    let mut found = IndexMap::<&str, [Vec<Value>; 2]>::new();
    for result in &report.results {
        let property = |name: &str| result.properties.get(name).map_or("", String::as_str);
        let [verdicts, incidents] = found.entry(property(SUBJECT)).or_default();
        if let Some(level) = result.properties.get(LEVEL) {
            let setting = result.properties.get(SETTING);
            let incident = json!({ "rule": result.rule, "level": level, "setting": setting });
            incidents.push(incident);
        } else {
            let verdict = json!({ "target": property("target"), "verdict": property("verdict") });
            verdicts.push(verdict);
        }
    }
    let subjects = found.into_iter().map(|(identity, [verdicts, incidents])| {
        let mut subject: Map<String, Value> = serde_json::from_str(identity)?;
        subject.insert("verdicts".to_owned(), verdicts.into());
        subject.insert("incidents".to_owned(), incidents.into());
        Ok(subject.into())
    });
    let subjects = subjects.collect::<serde_json::Result<Vec<Value>>>()?;
    let at = report.metadata.annotations.get(TIME);
    let summary = json!({ "node": node.name, "at": at });
    Ok(Some(json!({ "schema": SCHEMA, "subjects": subjects, "summary": summary })))
}
