//! Recognises persistent volumes and claims.

use super::Item;
use super::convert::from_json;
use super::node::Node;

/// The source of a persistent volume that is a folder of a host.
const PATHS: [&str; 2] = ["hostPath", "local"];

/// The fields of a persistent volume and of a claim that are read.
const FIELDS: [&str; 2] = ["metadata", "spec"];

/// Returns the item for a persistent volume or a claim; `None` for other objects.
pub(super) fn read(document: u32, node: &Node) -> Option<Item> {
    let json = || node.keys_to_json(|key| FIELDS.contains(&key));
    let item = match kind(node)? {
        "PersistentVolume" => from_json(node, json()).map(Item::PersistentVolume),
        "PersistentVolumeClaim" => from_json(node, json()).map(Item::Claim),
        _ => return None,
    };
    Some(item.unwrap_or_else(|(line, reason)| Item::Unreadable {
        document,
        line,
        reason,
    }))
}

/// Returns the kind of an object. The API server omits it for the items of a list; persistent volumes
/// and claims are then recognised by their fields.
fn kind(node: &Node) -> Option<&str> {
    if node.get("apiVersion").is_some() {
        return node.text("kind");
    }
    let spec = node.get("metadata").and(node.get("spec"))?;
    let has = |field: &str| spec.get(field).is_some();
    if !has("accessModes") {
        return None;
    }
    Some(if PATHS.into_iter().any(has) {
        "PersistentVolume"
    } else {
        "PersistentVolumeClaim"
    })
}
