//! Manifests as JSON documents.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
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

/// A document that names others.
pub(super) enum Document {
    /// The manifests of an index.
    Index(Vec<Descriptor>),
    Image(Manifest),
}

/// The manifest of an image.
pub(super) struct Manifest {
    pub(super) config: Option<Descriptor>,
    pub(super) layers: Vec<Descriptor>,
}

/// A reference to a manifest, a configuration or a layer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::check::collect) struct Descriptor {
    pub(super) media_type: Option<String>,
    pub(in crate::check::collect) digest: String,
    /// The number of bytes, if it is stated.
    pub(in crate::check::collect) size: Option<u64>,
    annotations: Option<BTreeMap<String, String>>,
    pub(super) platform: Option<Platform>,
}

/// A platform, as an index or the configuration of an image states it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(in crate::check::collect) struct Platform {
    pub(in crate::check::collect) os: String,
    pub(in crate::check::collect) architecture: String,
    pub(in crate::check::collect) variant: Option<String>,
}

/// An image in docker's `manifest.json`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Saved {
    #[serde(default)]
    pub(super) config: String,
    pub(super) repo_tags: Option<Vec<String>>,
    pub(super) layers: Option<Vec<String>>,
}

impl Descriptor {
    pub(super) fn annotation(&self, key: &str) -> Option<&str> {
        self.annotations.as_ref()?.get(key).map(String::as_str)
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            Some(&self.os),
            Some(&self.architecture),
            self.variant.as_ref(),
        ];
        let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
        let name = parts.map(String::as_str).collect::<Vec<_>>().join("/");
        f.write_str(&escape::bytes(name.as_bytes()))
    }
}

/// Reads a document; `None` if it does not exist.
///
/// # Errors
///
/// Returns an error if it cannot be read, or programs would understand it differently.
pub(super) fn json(store: &dyn Store, path: &str) -> Result<Option<Value>, Unreadable> {
    let bytes = store.small(path)?;
    bytes.map(|bytes| parse(path, &bytes)).transpose()
}

/// Parses a document.
///
/// # Errors
///
/// Returns an error if it is not JSON, or programs would understand it differently.
pub(in crate::check::collect) fn parse(path: &str, bytes: &[u8]) -> Result<Value, Unreadable> {
    let parsed: Value =
        serde_json::from_slice(bytes).map_err(|error| broken(format!("{path}: {error}")))?;
    let keys = if parsed.is_array() {
        &SAVED_KEYS[..]
    } else {
        &KEYS
    };
    match odd_key(&parsed, keys) {
        Some(key) => {
            let key = escape::bytes(key.as_bytes());
            Err(broken(format!(
                "{path}: the key `{key}` is not in its usual case"
            )))
        }
        None => Ok(parsed),
    }
}

/// Returns a key that differs from one of these only in its case: programs in Go take it for the same
/// one, others do not.
fn odd_key<'v>(value: &'v Value, keys: &[&str]) -> Option<&'v str> {
    if let Value::Array(all) = value {
        return all.iter().find_map(|one| odd_key(one, keys));
    }
    let is_odd = |name: &str| {
        let like = |key: &&str| key.eq_ignore_ascii_case(name);
        keys.iter().any(like) && !keys.contains(&name)
    };
    value
        .as_object()?
        .iter()
        .find_map(|(name, inner)| match name.as_str() {
            "annotations" => None,
            name if is_odd(name) => Some(name),
            _ => odd_key(inner, keys),
        })
}

/// Reads a document as an index or an image.
///
/// # Errors
///
/// Returns an error if it is neither, or both, because then programs differ in what they read.
pub(super) fn document(value: &Value) -> Result<Document, Unreadable> {
    let is_list = |key: &str| value.get(key).is_some_and(Value::is_array);
    match (is_list("manifests"), is_list("layers")) {
        (true, false) => Ok(Document::Index(descriptors(&value["manifests"]))),
        (false, true) => Ok(Document::Image(Manifest {
            config: Descriptor::deserialize(&value["config"]).ok(),
            layers: descriptors(&value["layers"]),
        })),
        (true, true) => Err(broken("it is both an image and an index of images")),
        (false, false) => Err(broken("it is neither an image nor an index of images")),
    }
}

/// Returns the descriptors in a list. A broken one names nothing, and does not hide the others.
fn descriptors(list: &Value) -> Vec<Descriptor> {
    let list = list.as_array().into_iter().flatten();
    list.map(|one| Descriptor::deserialize(one).unwrap_or_default())
        .collect()
}

pub(super) fn broken(reason: impl Into<String>) -> Unreadable {
    Unreadable::new(SkipKind::Broken, reason)
}

pub(super) fn limit(reason: String) -> Unreadable {
    Unreadable::new(SkipKind::Limit, reason)
}
