//! Manifests as JSON documents.

use serde_json::Value;

use crate::check::collect::archive::store::Store;
use crate::escape;
use crate::skipped::{SkipKind, Unreadable};

/// The keys of manifests and indexes that decide which files an image has.
const KEYS: [&str; 9] = [
    "architecture",
    "config",
    "digest",
    "layers",
    "manifests",
    "mediaType",
    "os",
    "platform",
    "variant",
];

/// The keys of docker's `manifest.json` that do.
const SAVED_KEYS: [&str; 3] = ["Config", "Layers", "RepoTags"];

/// Reads a document; `None` if it does not exist.
///
/// # Errors
///
/// Returns an error if it cannot be read, or programs would understand it differently.
pub(super) fn json(store: &dyn Store, path: &str) -> Result<Option<Value>, Unreadable> {
    let Some(bytes) = store.small(path)? else {
        return Ok(None);
    };
    parse(path, &bytes).map(Some)
}

/// Parses a document.
///
/// # Errors
///
/// Returns an error if it is not JSON, or programs would understand it differently.
pub(in crate::check::collect) fn parse(path: &str, bytes: &[u8]) -> Result<Value, Unreadable> {
    let parsed: Value =
        serde_json::from_slice(bytes).map_err(|error| broken(format!("{path}: {error}")))?;
    let keys: &[&str] = if path == "manifest.json" {
        &SAVED_KEYS
    } else {
        &KEYS
    };
    match odd_key(&parsed, keys) {
        Some(key) => Err(broken(format!(
            "{path}: the key `{}` is not in its usual case",
            escape::bytes(key.as_bytes())
        ))),
        None => Ok(parsed),
    }
}

/// Returns a key that differs from one of these only in its case: programs in Go take it for the same
/// one, others do not.
fn odd_key<'v>(value: &'v Value, keys: &[&str]) -> Option<&'v str> {
    match value {
        Value::Array(all) => all.iter().find_map(|one| odd_key(one, keys)),
        Value::Object(all) => {
            let is_odd = |name: &&String| {
                let like = |key: &&str| key.eq_ignore_ascii_case(name);
                keys.iter().any(like) && !keys.contains(&name.as_str())
            };
            let own = all.keys().find(is_odd).map(String::as_str);
            let inner = || all.iter().filter(|(name, _)| *name != "annotations");
            own.or_else(|| inner().find_map(|(_, one)| odd_key(one, keys)))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// The kind of a document.
pub(super) enum Kind {
    Index,
    Image,
}

/// Returns the kind of a document.
///
/// # Errors
///
/// Returns an error if it is neither, or both, because then programs differ in what they read.
pub(super) fn kind(document: &Value) -> Result<Kind, Unreadable> {
    let is_list = |key: &str| document.get(key).is_some_and(Value::is_array);
    match (is_list("manifests"), is_list("layers")) {
        (true, false) => Ok(Kind::Index),
        (false, true) => Ok(Kind::Image),
        (true, true) => Err(broken("it is both an image and an index of images")),
        (false, false) => Err(broken("it is neither an image nor an index of images")),
    }
}

pub(super) fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

pub(super) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

pub(super) fn broken(reason: impl Into<String>) -> Unreadable {
    Unreadable::new(SkipKind::Broken, reason)
}

pub(super) fn limit(reason: String) -> Unreadable {
    Unreadable::new(SkipKind::Limit, reason)
}
