//! The manifests of images, as JSON documents.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::escape;
use crate::skipped::{SkipKind, Unreadable};

/// The maximum number of layers of one image; runtimes accept far fewer.
const MAX_LAYERS: usize = 1000;

/// The beginnings of the media types of layers.
const LAYER_TYPES: [&str; 2] = [
    "application/vnd.oci.image.layer.v1.tar",
    "application/vnd.docker.image.rootfs.diff.tar",
];

/// The annotation with the name of a file that is a blob by itself, as tools for artifacts store it.
/// <https://github.com/opencontainers/image-spec/blob/main/annotations.md>
const TITLE: &str = "org.opencontainers.image.title";

/// A manifest or an index. Programs in Go read keys in any case; two for one field are an error.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::check::collect) struct Manifest {
    media_type: Option<String>,
    #[serde(alias = "Manifests")]
    manifests: Option<Vec<Descriptor>>,
    #[serde(alias = "Config")]
    config: Option<Descriptor>,
    #[serde(alias = "Layers")]
    layers: Option<Vec<Descriptor>>,
}

/// What a document names.
pub(super) enum Document {
    /// The manifests of an index.
    Index(Vec<Descriptor>),
    /// The layers of an image, and its configuration.
    Image(Vec<Descriptor>, Option<Descriptor>),
}

/// A reference to a manifest, a configuration or a layer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::check::collect) struct Descriptor {
    #[serde(alias = "MediaType")]
    media_type: Option<String>,
    #[serde(alias = "Digest")]
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
    config: String,
    repo_tags: Option<Vec<String>>,
    #[serde(alias = "layers")]
    layers: Option<Vec<String>>,
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

/// Parses a document.
pub(in crate::check::collect) fn parse<T: DeserializeOwned>(
    path: &str,
    bytes: &[u8],
) -> Result<T, Unreadable> {
    let invalid =
        |error: serde_json::Error| broken(format!("{path}: {}", escape::short(&error.to_string())));
    serde_json::from_slice(bytes).map_err(invalid)
}

impl Blob {
    /// Returns the layer at this path.
    fn at(path: String) -> Self {
        Self {
            path,
            size: None,
            title: None,
        }
    }
}

impl Manifest {
    /// Returns what the document names.
    ///
    /// # Errors
    ///
    /// Returns an error if it is neither an index nor an image, or both, because then programs differ in what
    /// they read.
    pub(super) fn document(self) -> Result<Document, Unreadable> {
        match (self.manifests, self.layers) {
            (Some(manifests), None) => Ok(Document::Index(manifests)),
            (None, Some(layers)) => Ok(Document::Image(layers, self.config)),
            (Some(_), Some(_)) => Err(broken("it is both an image and an index of images")),
            (None, None) => {
                let stated = self
                    .media_type
                    .as_deref()
                    .map_or("unknown", |stated| stated);
                let reason = format!(
                    "it is neither an image nor an index of images; its media type is {}",
                    escape::short(stated)
                );
                Err(Unreadable::new(SkipKind::UnsupportedFormat, reason))
            }
        }
    }
}

impl Descriptor {
    pub(super) fn annotation(&self, key: &str) -> Option<&str> {
        self.annotations.as_ref()?.get(key).map(String::as_str)
    }

    /// Returns true for an attestation, which BuildKit stores next to the image that it describes. Its
    /// platform is unknown, so that no runtime takes it for an image.
    pub(super) fn is_attestation(&self) -> bool {
        let platform = self.platform.as_ref().map(Platform::to_string);
        platform.as_deref() == Some("unknown/unknown")
            && self.annotation("vnd.docker.reference.type").is_some()
    }

    /// Returns the layer with this number.
    fn into_layer(self, number: usize) -> Result<Blob, Unreadable> {
        let media_type = self.media_type.unwrap_or_default();
        let is_tar = LAYER_TYPES
            .iter()
            .any(|known| media_type.starts_with(known));
        let title = self.annotations.as_ref().and_then(|all| all.get(TITLE));
        let title = title.filter(|_| !is_tar && !media_type.is_empty()).cloned();
        let is_known = is_tar || media_type.is_empty() || title.is_some();
        if !is_known || media_type.ends_with("encrypted") {
            let shown = escape::short(&media_type);
            let reason = format!("layer {number} has the media type {shown}, which is not read");
            return Err(Unreadable::new(SkipKind::UnsupportedFormat, reason));
        }
        let malformed = || broken(format!("the digest of layer {number} is malformed"));
        Ok(Blob {
            path: path_of(&self.digest).ok_or_else(malformed)?,
            size: self.size,
            title,
        })
    }
}

impl Image {
    /// Returns the paths of the layers.
    pub(super) fn paths(&self) -> Vec<String> {
        self.layers.iter().map(|blob| blob.path.clone()).collect()
    }

    /// Adds the layers of a manifest.
    pub(super) fn add(&mut self, layers: Vec<Descriptor>) {
        if layers.len() > MAX_LAYERS {
            let why = Unreadable::new(SkipKind::Limit, format!("more than {MAX_LAYERS} layers"));
            return self.problems.push(why);
        }
        for (number, layer) in (1..).zip(layers) {
            match layer.into_layer(number) {
                Ok(blob) => self.layers.push(blob),
                Err(why) => self.problems.push(why),
            }
        }
    }
}

impl Saved {
    pub(super) fn into_image(self) -> Image {
        let tag = self.repo_tags.and_then(|tags| tags.into_iter().next());
        let config = self.config.rsplit('/').next().unwrap_or_default();
        let name = tag.unwrap_or_else(|| short(config.trim_end_matches(".json")));
        let layers = self.layers.into_iter().flatten().take(MAX_LAYERS);
        Image {
            name: escape::short(&name),
            layers: layers.map(Blob::at).collect(),
            ..Image::default()
        }
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
        f.write_str(&escape::short(&name))
    }
}

/// Returns twelve digits of a digest, the usual short form for images without a name.
pub(super) fn short(digest: &str) -> String {
    let hex = digest.rsplit(':').next().unwrap_or_default();
    hex.chars().take(12).collect()
}

/// Returns the path of a blob: `blobs/sha256/…`.
pub(super) fn path_of(digest: &str) -> Option<String> {
    let (algorithm, hex) = digest.split_once(':')?;
    let plain =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (plain(algorithm) && plain(hex)).then(|| format!("blobs/{algorithm}/{hex}"))
}

pub(super) fn broken(reason: impl Into<String>) -> Unreadable {
    Unreadable::new(SkipKind::Broken, reason)
}
