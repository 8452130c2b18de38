//! Converts nodes of a document to the types of Kubernetes.

use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::TEMPLATE;
use super::node::Node;

/// The line of an error, and its reason.
pub(super) type Error = (u32, String);

/// Converts JSON that was read from a node.
pub(super) fn from_json<T: DeserializeOwned>(node: &Node, json: Json) -> Result<T, Error> {
    serde_json::from_value(json).map_err(|error| {
        let reason = if node.has_complex_key() {
            TEMPLATE.to_owned()
        } else {
            format!("not a valid Kubernetes object: {error}")
        };
        (node.line, reason)
    })
}
