//! JSON lines of log collectors and container engines: the line under one of a few keys, time and host beside it.
//!
//! Docker's json-file, fluent-bit, Fluentd, Vector, Filebeat, Promtail, OpenTelemetry and cloud exporters differ in
//! little but the names.

use super::json::Object;
use super::{Around, Peeled};

/// Keys that hold the line.
const LINE: [&str; 5] = ["log", "message", "line", "textPayload", "body"];

/// Keys that hold an object which holds the line.
const NESTED: [&str; 2] = ["jsonPayload", "_source"];

/// Keys that hold the time.
const TIME: [&str; 6] = [
    "time",
    "@timestamp",
    "timestamp",
    "ts",
    "date",
    "__REALTIME_TIMESTAMP",
];

/// Keys that hold the host, as text or as an object with its name.
const NODE: [&str; 6] = [
    "_HOSTNAME",
    "node_name",
    "nodeName",
    "node",
    "host",
    "hostname",
];

pub(super) fn peel(object: &Object, around: &mut Around) -> Option<Peeled> {
    self::around(object, around);
    if let Some(line) = object.first(&LINE) {
        return Some(Peeled::Inner(line));
    }
    let nested = NESTED.into_iter().find_map(|key| object.object(key))?;
    self::around(nested, around);
    super::containerd_json::peel(nested, around)
        .or_else(|| super::journal_json::peel(nested, around))
        .or_else(|| nested.first(&LINE).map(Peeled::Inner))
}

/// Takes time and host from beside the line; where the cluster says on which node a pod runs, that is the host.
pub(super) fn around(object: &Object, around: &mut Around) {
    around.time(object.first(&TIME));
    let cluster = object.object("kubernetes").and_then(node);
    around.node(cluster.or_else(|| node(object)));
}

fn node(object: &Object) -> Option<String> {
    let named = |key: &str| object.object(key)?.first(&["name", "hostname"]);
    NODE.into_iter()
        .find_map(|key| object.text(key).or_else(|| named(key)))
}
