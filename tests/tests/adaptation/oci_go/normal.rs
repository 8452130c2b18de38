//! Normalization of specs and errors.

use nri_adaptation::oci::Error;
use serde_json::{Value, json};

/// Removes empty values, and a process that has only the fields that every process must have.
pub(crate) fn spec(mut spec: Value) -> Value {
    prune(&mut spec);
    if spec["process"] == json!({"user": {"uid": 0, "gid": 0}}) {
        spec["process"].take();
        prune(&mut spec);
    }
    spec
}

fn prune(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.values_mut().for_each(prune);
            object.retain(|_, held| !is_empty(held));
        }
        Value::Array(list) => list.iter_mut().for_each(prune),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(object) => object.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The fields that both implementations report errors about, with a phrase from the error of the
/// reference.
const TOPICS: [(&str, &str); 7] = [
    ("annotations", "adjust annotations"),
    ("cdi_devices", "CDI"),
    ("linux.namespaces", "unrecognized namespace"),
    ("linux.resources.blockio_class", "BlockIO"),
    ("linux.resources.rdt_class", "RDT"),
    ("linux.resources", "adjust resources"),
    ("mounts", "adjust mounts"),
];

/// Returns the field that an error of ours is about.
pub(crate) fn topic_of(error: &Error) -> &'static str {
    let found = TOPICS.into_iter().find(|(field, _)| error.field().starts_with(field));
    found.map_or("nothing known", |(field, _)| field)
}

/// Returns the field that an error of the reference is about.
pub(crate) fn topic(message: &str) -> &'static str {
    let found = TOPICS.into_iter().find(|(_, word)| message.contains(word));
    found.map_or("something else", |(field, _)| field)
}

/// Returns the differences between two specs, each with its JSON pointer.
pub(crate) fn differing(theirs: &Value, ours: &Value, place: &str) -> Vec<String> {
    let (Value::Object(their_fields), Value::Object(our_fields)) = (theirs, ours) else {
        let differs = theirs != ours;
        return differs
            .then(|| format!("{place}: theirs {theirs}, ours {ours}"))
            .into_iter()
            .collect();
    };
    let mut names: Vec<_> = their_fields.keys().chain(our_fields.keys()).collect();
    names.sort();
    names.dedup();
    names
        .into_iter()
        .flat_map(|name| differing(&theirs[name], &ours[name], &format!("{place}/{name}")))
        .collect()
}
