//! Objects turned back into the reports that `merge` reads.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use indexmap::map::Entry;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::TIME;
use crate::report::json::SCHEMA;

/// The property that identifies the subject of a result.
pub(super) const SUBJECT: &str = "subject";

/// The properties of a result about an incident, which has no verdict.
pub(super) const LEVEL: &str = "level";
pub(super) const SETTING: &str = "setting";

/// The parts of an object that `merge` needs. A result in a page of a cluster may have two bytes,
/// so that the other fields of many would take too much memory.
#[derive(Deserialize)]
struct StoredReport {
    metadata: StoredMeta,
    #[serde(default)]
    scope: Option<StoredScope>,
    #[serde(default)]
    results: Vec<StoredResult>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StoredMeta {
    annotations: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct StoredScope {
    kind: String,
    name: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StoredResult {
    rule: String,
    properties: BTreeMap<String, String>,
}

/// A subject with its results.
#[derive(Default)]
struct FoundSubject {
    fields: Map<String, Value>,
    verdicts: Vec<Value>,
    incidents: Vec<Value>,
}

impl FoundSubject {
    fn into_value(self) -> Value {
        let mut fields = self.fields;
        fields.insert("verdicts".to_owned(), self.verdicts.into());
        fields.insert("incidents".to_owned(), self.incidents.into());
        fields.into()
    }
}

/// Returns the document of the report that an object about a node was made from, as far as `merge`
/// needs it; `None` if the object is about something else.
///
/// # Errors
///
/// Returns an error if it is not such an object, or if it has results of another tool.
pub fn document(object: Value) -> serde_json::Result<Option<Value>> {
    let report: StoredReport = serde_json::from_value(object)?;
    let Some(node) = report.scope.filter(|scope| scope.kind == "Node") else {
        return Ok(None);
    };
    let mut found = IndexMap::<&str, FoundSubject>::new();
    for result in &report.results {
        let property = |name: &str| result.properties.get(name).map_or("", String::as_str);
        let subject = match found.entry(property(SUBJECT)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let fields = serde_json::from_str(new.key())?;
                new.insert(FoundSubject { fields, ..FoundSubject::default() })
            }
        };
        if let Some(level) = result.properties.get(LEVEL) {
            let setting = result.properties.get(SETTING);
            let incident = json!({ "rule": result.rule, "level": level, "setting": setting });
            subject.incidents.push(incident);
        } else {
            let verdict = json!({ "target": property("target"), "verdict": property("verdict") });
            subject.verdicts.push(verdict);
        }
    }
    let subjects: Vec<Value> = found.into_values().map(FoundSubject::into_value).collect();
    let at = report.metadata.annotations.get(TIME);
    let summary = json!({ "node": node.name, "at": at });
    Ok(Some(json!({ "schema": SCHEMA, "subjects": subjects, "summary": summary })))
}
