//! An image and its parts, as plain data.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;

use crate::escape;
use crate::skipped::Unreadable;

/// A reference to a manifest, a configuration or a layer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::check::collect) struct Descriptor {
    #[serde(alias = "MediaType")]
    pub(super) media_type: Option<String>,
    #[serde(alias = "Digest")]
    pub(in crate::check::collect) digest: String,
    /// The number of bytes, if it is stated.
    pub(in crate::check::collect) size: Option<u64>,
    pub(super) annotations: Option<BTreeMap<String, String>>,
    pub(super) platform: Option<Platform>,
}

/// A platform, as an index or the configuration of an image states it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::check::collect) struct Platform {
    pub(in crate::check::collect) os: String,
    pub(in crate::check::collect) architecture: String,
    pub(in crate::check::collect) variant: Option<String>,
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variant = self.variant.as_deref().unwrap_or_default();
        let parts = [&self.os, &self.architecture, variant];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        f.write_str(&escape::short(&parts.collect::<Vec<_>>().join("/")))
    }
}

/// One image.
#[derive(Debug, Default)]
pub(in crate::check::collect) struct Image {
    /// The name, such as `example.org/plugin:1.0`, with the platform if there are several.
    pub(in crate::check::collect) name: String,
    /// The layers, lowest first.
    pub(in crate::check::collect) layers: Vec<Blob>,
    /// The configuration.
    pub(in crate::check::collect) config: Option<Descriptor>,
    /// The platform that an index states.
    #[cfg_attr(
        not(feature = "registry"),
        expect(dead_code, reason = "only fetched images need it")
    )]
    pub(in crate::check::collect) platform: Option<Platform>,
    /// The reasons why some layers are unknown.
    pub(in crate::check::collect) problems: Vec<Unreadable>,
}

/// A layer.
#[derive(Debug)]
pub(in crate::check::collect) struct Blob {
    /// The path in the archive.
    pub(in crate::check::collect) path: String,
    /// The size in bytes, if the manifest states it.
    pub(in crate::check::collect) size: Option<u64>,
    /// The name of the file, if the manifest says that the blob is a file.
    pub(super) title: Option<String>,
}

/// The images of an archive or of a reference.
#[derive(Debug, Default)]
pub(in crate::check::collect) struct Images {
    pub(in crate::check::collect) images: Vec<Image>,
    /// Parts that cannot be read.
    pub(in crate::check::collect) problems: Vec<Unreadable>,
    /// The platforms that were not wanted.
    pub(in crate::check::collect) passed_over: BTreeSet<String>,
}
