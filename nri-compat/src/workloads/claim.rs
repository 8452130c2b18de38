//! Claims for persistent volumes, and the volumes that they are bound to.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;

use super::lenient;

/// A claim for a persistent volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "ClaimObject")]
pub struct Claim {
    pub(super) namespace: Option<String>,
    pub(super) name: String,
    pub(super) volume: Option<String>,
    pub(super) class: Option<String>,
    pub(super) access_modes: BTreeSet<String>,
    pub(super) labels: BTreeMap<String, String>,
}

/// The way in which a volume of a pod gets its path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Binding {
    /// The name of the persistent volume.
    pub volume: String,
    /// True if the volume or the claim names the other; otherwise the cluster chooses the volume.
    pub is_certain: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ClaimObject {
    #[serde(deserialize_with = "lenient::value")]
    metadata: Metadata,
    #[serde(deserialize_with = "lenient::value")]
    spec: ClaimSpec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ClaimSpec {
    #[serde(deserialize_with = "lenient::optional_text")]
    volume_name: Option<String>,
    #[serde(deserialize_with = "lenient::optional_text")]
    storage_class_name: Option<String>,
    #[serde(deserialize_with = "lenient::list")]
    access_modes: Vec<String>,
    #[serde(deserialize_with = "lenient::value")]
    selector: Selector,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Selector {
    #[serde(deserialize_with = "lenient::texts")]
    match_labels: BTreeMap<String, String>,
}

/// The metadata of claims and persistent volumes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Metadata {
    #[serde(deserialize_with = "lenient::text")]
    pub(super) name: String,
    #[serde(deserialize_with = "lenient::optional_text")]
    pub(super) namespace: Option<String>,
    #[serde(deserialize_with = "lenient::texts")]
    pub(super) labels: BTreeMap<String, String>,
}

impl From<ClaimObject> for Claim {
    fn from(ClaimObject { metadata, spec }: ClaimObject) -> Self {
        Self {
            namespace: metadata.namespace,
            name: metadata.name,
            volume: spec.volume_name,
            class: spec.storage_class_name,
            access_modes: spec.access_modes.into_iter().collect(),
            labels: spec.selector.match_labels,
        }
    }
}

/// Shows ` through the persistent volume `NAME``, to be appended to a path.
impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = crate::escape::bytes(self.volume.as_bytes());
        if self.is_certain {
            write!(f, " through the persistent volume `{name}`")
        } else {
            write!(
                f,
                " if its claim is bound to the persistent volume `{name}`"
            )
        }
    }
}
