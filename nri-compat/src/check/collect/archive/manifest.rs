//! Which images an archive has, and of which layers each is made.
//!
//! [Image layout](https://github.com/opencontainers/image-spec/blob/main/image-layout.md);
//! `manifest.json` is [docker's](https://docs.docker.com/reference/cli/docker/image/save/).

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::store::Store;
use crate::check::escape;
use crate::check::skipped::{SkipKind, Unreadable};

/// The most images of one archive.
const IMAGES: usize = 10_000;

/// The most bytes of manifests of one archive.
const MANIFESTS: usize = 16 << 20;

/// The most layers of one image; runtimes refuse far fewer.
const LAYERS: usize = 1000;

/// How deep indexes may lie within indexes.
const DEEPEST: usize = 4;

/// One image.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Image {
    /// `example.org/plugin:1.0`, with the platform where there are several.
    pub(super) name: String,
    /// Paths of its layers, lowest first.
    pub(super) layers: Vec<String>,
    /// Why they are not known.
    pub(super) failed: Option<Unreadable>,
}

/// An entry of docker's `manifest.json`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Saved {
    config: String,
    #[serde(default)]
    repo_tags: Option<Vec<String>>,
    layers: Vec<String>,
}

/// An index or a manifest of OCI.
#[derive(Default, Deserialize)]
struct Manifest {
    #[serde(default)]
    manifests: Vec<Descriptor>,
    #[serde(default)]
    layers: Vec<Descriptor>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    digest: String,
    #[serde(default)]
    media_type: String,
    #[serde(default)]
    annotations: HashMap<String, String>,
    platform: Option<Platform>,
}

#[derive(Deserialize)]
struct Platform {
    os: String,
    architecture: String,
    variant: Option<String>,
}

/// Whether a path within an archive says that it is an image, most likely.
pub(super) fn is_sign(path: &[u8]) -> bool {
    matches!(path, b"oci-layout" | b"index.json" | b"manifest.json")
}

/// Whether this is an image, by what its manifests say.
pub(super) fn is_image(store: &dyn Store) -> bool {
    let index = json::<Manifest>(store, "index.json");
    index.is_ok_and(|index| index.is_some_and(|index| !index.manifests.is_empty()))
        || json::<Vec<Saved>>(store, "manifest.json").is_ok_and(|saved| saved.is_some())
}

/// All images. The OCI index counts before docker's list, which names one platform only.
pub(super) fn images(store: &dyn Store) -> Result<Vec<Image>, Unreadable> {
    if let Some(index) = json::<Manifest>(store, "index.json")?
        && !index.manifests.is_empty()
    {
        let mut finder = Finder {
            store,
            images: Vec::new(),
            left: MANIFESTS,
        };
        for descriptor in &index.manifests {
            finder.follow(descriptor, None, DEEPEST);
        }
        return Ok(finder.images);
    }
    let saved = json::<Vec<Saved>>(store, "manifest.json")?;
    let saved =
        saved.ok_or_else(|| broken("neither an index.json nor a manifest.json is there"))?;
    Ok(saved.into_iter().take(IMAGES).map(Saved::image).collect())
}

fn json<T: DeserializeOwned>(store: &dyn Store, path: &str) -> Result<Option<T>, Unreadable> {
    let Some(bytes) = store.small(path)? else {
        return Ok(None);
    };
    let parsed = serde_json::from_slice(&bytes);
    parsed
        .map(Some)
        .map_err(|error| broken(format!("{path}: {error}")))
}

impl Saved {
    fn image(self) -> Image {
        let tag = self.repo_tags.into_iter().flatten().next();
        let name = tag.unwrap_or_else(|| {
            let config = self.config.rsplit('/').next().unwrap_or_default();
            short(config.trim_end_matches(".json"))
        });
        Image {
            name: escape::bytes(name.as_bytes()),
            layers: self.layers.into_iter().take(LAYERS).collect(),
            failed: None,
        }
    }
}

fn broken(reason: impl Into<String>) -> Unreadable {
    Unreadable::new(SkipKind::Broken, reason)
}

/// Twelve digits of a digest, as people know images without a name.
fn short(digest: &str) -> String {
    let hex = digest.rsplit(':').next().unwrap_or_default();
    hex.chars().take(12).collect()
}

/// Follows indexes to manifests, within limits: they may well lead to each other.
struct Finder<'s> {
    store: &'s dyn Store,
    images: Vec<Image>,
    /// Bytes of manifests that may still be read.
    left: usize,
}

impl Finder<'_> {
    fn follow(&mut self, descriptor: &Descriptor, around: Option<&str>, depth: usize) {
        if descriptor.is_attestation() || self.images.len() >= IMAGES || self.left == 0 {
            return;
        }
        let name = descriptor.name(around);
        match self.part(&descriptor.digest) {
            Ok(index) if !index.manifests.is_empty() && depth > 0 => {
                for inner in &index.manifests {
                    self.follow(inner, Some(&name), depth - 1);
                }
            }
            Ok(manifest) => self.images.push(image(name, &manifest)),
            Err(reason) => self.images.push(Image {
                name,
                layers: Vec::new(),
                failed: Some(reason),
            }),
        }
    }

    fn part(&mut self, digest: &str) -> Result<Manifest, Unreadable> {
        let path = blob(digest).ok_or_else(|| broken("its digest is malformed"))?;
        let bytes = self
            .store
            .small(&path)?
            .ok_or_else(|| Unreadable::new(SkipKind::NotFound, "its manifest is not there"))?;
        // A small one costs something, too.
        self.left = self.left.saturating_sub(bytes.len().max(256));
        if self.left == 0 {
            return Err(Unreadable::new(
                SkipKind::Limit,
                format!("more than {} MiB of manifests", MANIFESTS >> 20),
            ));
        }
        serde_json::from_slice(&bytes).map_err(|error| broken(format!("{path}: {error}")))
    }
}

/// Layers of other sorts than tar, such as attestations and Helm charts' metadata, hold no files.
fn image(name: String, manifest: &Manifest) -> Image {
    let layers = manifest.layers.iter().filter(|layer| layer.is_tar());
    let layers: Option<Vec<String>> = layers
        .take(LAYERS)
        .map(|layer| blob(&layer.digest))
        .collect();
    Image {
        name,
        failed: layers
            .is_none()
            .then(|| broken("the digest of a layer is malformed")),
        layers: layers.unwrap_or_default(),
    }
}

/// Where a blob is: `blobs/sha256/…`.
fn blob(digest: &str) -> Option<String> {
    let (algorithm, hex) = digest.split_once(':')?;
    let plain =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (plain(algorithm) && plain(hex)).then(|| format!("blobs/{algorithm}/{hex}"))
}

impl Descriptor {
    fn is_tar(&self) -> bool {
        self.media_type.is_empty() || self.media_type.contains("tar")
    }

    /// BuildKit puts attestations beside the image they are about.
    fn is_attestation(&self) -> bool {
        self.annotations.contains_key("vnd.docker.reference.type")
    }

    /// Its own name, else that of the index around it; with the platform, if that is said.
    fn name(&self, around: Option<&str>) -> String {
        let keys = [
            "io.containerd.image.name",
            "org.opencontainers.image.ref.name",
        ];
        let own = keys.iter().find_map(|key| self.annotations.get(*key));
        let base = match (own, around) {
            (Some(own), _) => escape::bytes(own.as_bytes()),
            (None, Some(around)) => around.to_owned(),
            (None, None) => escape::bytes(short(&self.digest).as_bytes()),
        };
        match (&self.platform, around) {
            (Some(platform), Some(_)) => format!("{base} ({})", platform.name()),
            _ => base,
        }
    }
}

impl Platform {
    fn name(&self) -> String {
        let variant = self.variant.iter().map(|variant| format!("/{variant}"));
        let name = format!(
            "{}/{}{}",
            self.os,
            self.architecture,
            variant.collect::<String>()
        );
        escape::bytes(name.as_bytes())
    }
}
