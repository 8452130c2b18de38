//! A JSON value as lines and records, each with the time and host from the enclosing objects.
//!
//! Docker's json-file, journald, fluent-bit, Fluentd, Vector, Filebeat, Promtail, OpenTelemetry,
//! Loki's API, CloudWatch, Stackdriver and Azure differ mostly in names and nesting.

use super::deprecations;
use super::json::{Object, Value, is_interesting};
use crate::check::logs::record::{Beside, Origin, Record, Unwrapped};

/// Returns all lines and records in a value.
pub(super) fn unwrap(value: &Value, origin: &Origin) -> Vec<(Origin, Unwrapped)> {
    let mut all = Vec::new();
    value_of(value, origin, &mut all);
    all
}

fn value_of(value: &Value, origin: &Origin, all: &mut Vec<(Origin, Unwrapped)>) {
    match value {
        Value::Text(text) => all.push((origin.clone(), Unwrapped::Line(text.clone()))),
        Value::Bytes(bytes) => {
            let text = String::from_utf8_lossy(bytes).into_owned();
            all.push((origin.clone(), Unwrapped::Line(text)));
        }
        Value::Object(object) => object_of(object, origin, all),
        Value::List(values) => list_of(values, origin, all),
        Value::Other => {}
    }
}

/// Reads a list: of lines, of objects, or of a line with objects that describe it.
fn list_of(values: &[Value], outer: &Origin, all: &mut Vec<(Origin, Unwrapped)>) {
    let mut origin = outer.clone();
    let has_line = values.iter().any(|value| matches!(value, Value::Text(_)));
    if has_line {
        values
            .iter()
            .for_each(|value| value.beside(&mut origin.beside));
    }
    for value in values {
        value_of(value, &origin, all);
    }
}

fn object_of(object: &Object, outer: &Origin, all: &mut Vec<(Origin, Unwrapped)>) {
    let mut origin = outer.clone();
    object.beside(&mut origin.beside);
    origin.set_time(object.time());
    origin.set_node(object.node());
    if let Some(entry) = deprecations::entry(object) {
        return all.push((origin, Unwrapped::Deprecations(vec![entry])));
    }
    if let Some(record) = record(object, &origin) {
        return all.push((origin, Unwrapped::Record(record)));
    }
    let line = object.message().or_else(|| object.line());
    let known = all.len();
    if !line.as_ref().is_some_and(|line| is_interesting(line)) {
        object
            .inner()
            .for_each(|value| value_of(value, &origin, all));
    }
    if all.len() == known {
        all.extend(line.map(|line| (origin, Unwrapped::Line(line))));
    }
}

/// Returns the record of a runtime that logs JSON, or whose fields a collector has split:
/// `{"level":"warning","msg":"…","plugin":"10-template","time":"…"}`.
fn record(object: &Object, origin: &Origin) -> Option<Record> {
    let Beside {
        plugin,
        deprecated,
        details,
    } = origin.beside.clone();
    if plugin.is_none() && deprecated.is_none() {
        return None;
    }
    Some(Record {
        text: object.message().or_else(|| object.line())?,
        plugin,
        deprecated,
        details,
    })
}
