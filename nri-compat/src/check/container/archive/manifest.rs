//! The images of an archive or of a registry, and the layers of each.
//!
//! [Image layout](https://github.com/opencontainers/image-spec/blob/main/image-layout.md);
//! `manifest.json` is [docker's](https://docs.docker.com/reference/cli/docker/image/save/).
//!
//! Indexes are followed to manifests, within limits because they may be circular. A broken document
//! does not hide the others.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::check::content::Content;
use crate::check::evidence::text;
use crate::escape;
use crate::path::last_part;
use crate::skipped::{SkipKind, Unreadable};

/// The maximum number of layers of one image; runtimes accept far fewer.
const MAX_LAYERS: usize = 1000;

/// The maximum size of a manifest in bytes.
const MAX_MANIFEST: u64 = 4 << 20;

/// The maximum size of all manifests of one archive in bytes.
const MAX_MANIFESTS: usize = 16 << 20;

/// The size in bytes that the smallest manifest counts, because even that has a cost.
const SMALLEST_MANIFEST: usize = 1 << 10;

/// The beginnings of the media types of layers.
const LAYER_TYPES: [&str; 2] =
    ["application/vnd.oci.image.layer.v1.tar", "application/vnd.docker.image.rootfs.diff.tar"];

/// The annotations with the name of an image.
const NAMES: [&str; 2] = ["io.containerd.image.name", "org.opencontainers.image.ref.name"];

/// The parts of images by path: a tar, a folder, or a repository in a registry.
pub(crate) trait Store: Sync {
    /// Opens a part; `None` if it does not exist.
    fn open(&self, path: &str) -> Result<Option<Box<dyn Content + '_>>, Unreadable>;

    /// Opens a layer, after its size and its digest were verified if it comes from a registry.
    fn layer(&self, blob: &Blob) -> Result<Box<dyn Content + '_>, Unreadable> {
        let missing = || Unreadable::new(SkipKind::NotFound, "it is not there");
        self.open(&blob.path)?.ok_or_else(missing)
    }
}

/// Reads a small part into memory; `None` if it does not exist.
pub(super) fn small(store: &dyn Store, path: &str) -> Result<Option<Vec<u8>>, Unreadable> {
    let part = store.open(path)?;
    let bytes = part.map(|part| text::bytes(&*part, MAX_MANIFEST));
    bytes.transpose().map_err(|why| Unreadable::new(why.kind, format!("{path}: {why}")))
}

/// A reference to a manifest, a configuration or a layer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Descriptor {
    #[serde(alias = "MediaType")]
    media_type: Option<String>,
    #[serde(alias = "Digest")]
    pub(crate) digest: String,
    /// The number of bytes, if it is stated.
    pub(crate) size: Option<u64>,
    annotations: Option<BTreeMap<String, String>>,
    platform: Option<Platform>,
}

/// A platform, as an index or the configuration of an image states it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Platform {
    pub(crate) os: String,
    pub(crate) architecture: String,
    pub(crate) variant: Option<String>,
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variant = self.variant.as_deref().unwrap_or_default();
        let parts =
            [&self.os, &self.architecture, variant].into_iter().filter(|part| !part.is_empty());
        f.write_str(&escape::short(&parts.collect::<Vec<_>>().join("/")))
    }
}

/// One image.
#[derive(Debug, Default)]
pub(crate) struct Image {
    /// The name, such as `example.org/plugin:1.0`, with the platform if there are several.
    pub(crate) name: String,
    /// The layers, lowest first.
    pub(crate) layers: Vec<Blob>,
    /// The configuration.
    pub(crate) config: Option<Descriptor>,
    /// The platform that an index states.
    #[cfg_attr(
        not(feature = "registry"),
        expect(dead_code, reason = "only fetched images need it")
    )]
    pub(crate) platform: Option<Platform>,
    /// The reasons why some layers are unknown.
    pub(crate) problems: Vec<Unreadable>,
}

/// A layer, by its path in the archive, with its size in bytes if the manifest states it.
#[derive(Debug)]
pub(crate) struct Blob {
    pub(crate) path: String,
    pub(crate) size: Option<u64>,
}

/// The images of an archive or of a reference.
#[derive(Debug, Default)]
pub(crate) struct Images {
    pub(crate) images: Vec<Image>,
    /// Parts that cannot be read.
    pub(crate) problems: Vec<Unreadable>,
    /// The platforms that were not wanted.
    pub(crate) passed_over: BTreeSet<String>,
}

/// A manifest or an index. Programs in Go read keys in any case; two for one field are an error.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Manifest {
    media_type: Option<String>,
    #[serde(alias = "Manifests")]
    manifests: Option<Vec<Descriptor>>,
    #[serde(alias = "Config")]
    config: Option<Descriptor>,
    #[serde(alias = "Layers")]
    layers: Option<Vec<Descriptor>>,
}

/// An image in docker's `manifest.json`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Saved {
    config: String,
    repo_tags: Option<Vec<String>>,
    #[serde(alias = "layers")]
    layers: Option<Vec<String>>,
}

/// Returns true if this is an image, perhaps a broken one.
pub(super) fn is_image(store: &dyn Store) -> bool {
    let is_layout = !matches!(store.open("oci-layout"), Ok(None));
    let saved: Result<Option<Vec<Saved>>, _> = document(store, "manifest.json");
    is_layout || saved.is_ok_and(|saved| saved.is_some_and(|saved| !saved.is_empty()))
}

/// Returns all images: those of the OCI index, and those that only docker's list names, because
/// programs read the one or the other.
pub(super) fn images(store: &dyn Store) -> Result<Images, Unreadable> {
    let mut found = Images::default();
    match document(store, "index.json") {
        Ok(Some(index)) => found = images_of(store, index, &|_| true),
        Ok(None) => {}
        Err(why) => found.problems.push(why),
    }
    match document::<Vec<Saved>>(store, "manifest.json") {
        Ok(saved) => {
            let paths = |image: &Image| image.layers.iter().map(|blob| blob.path.clone()).collect();
            let whole = found.images.iter().filter(|one| one.problems.is_empty());
            let known: BTreeSet<Vec<String>> = whole.map(paths).collect();
            let listed = saved.into_iter().flatten().map(Saved::into_image);
            found.images.extend(listed.filter(|one| !known.contains(&paths(one))));
        }
        Err(why) => found.problems.push(why),
    }
    if found.images.is_empty() && found.problems.is_empty() {
        let reason = "neither its index.json nor its manifest.json names an image";
        return Err(broken(reason));
    }
    Ok(found)
}

/// Reads a document; `None` if it does not exist.
fn document<T: DeserializeOwned>(store: &dyn Store, path: &str) -> Result<Option<T>, Unreadable> {
    let bytes = small(store, path)?;
    bytes.map(|bytes| parse(path, &bytes)).transpose()
}

/// Parses a document.
pub(crate) fn parse<T: DeserializeOwned>(path: &str, bytes: &[u8]) -> Result<T, Unreadable> {
    let invalid =
        |error: serde_json::Error| broken(format!("{path}: {}", escape::short(&error.to_string())));
    serde_json::from_slice(bytes).map_err(invalid)
}

/// Returns the images of a manifest or index with these platforms, each once.
pub(crate) fn images_of(
    store: &dyn Store,
    top: Manifest,
    wants: &dyn Fn(&Platform) -> bool,
) -> Images {
    let mut found = Images::default();
    // The images whose manifests are still to be read, with their digests, the next one last.
    let mut pending = found.add(Image::default(), Ok(top), wants);
    let mut known = BTreeSet::new();
    let mut left = MAX_MANIFESTS;
    while let Some((image, digest)) = pending.pop() {
        if !known.insert((image.name.clone(), digest.clone())) {
            continue;
        }
        if left == 0 {
            let reason = format!("more than {} MiB of manifests", MAX_MANIFESTS >> 20);
            let why = Unreadable::new(SkipKind::Limit, reason);
            found.problems.push(why);
            break;
        }
        let manifest = Manifest::read(store, &digest, &mut left);
        pending.extend(found.add(image, manifest, wants));
    }
    found
}

impl Images {
    /// Adds an image with the layers of its manifest. Returns the images of an index with their
    /// digests, the first one last.
    fn add(
        &mut self,
        mut image: Image,
        manifest: Result<Manifest, Unreadable>,
        wants: &dyn Fn(&Platform) -> bool,
    ) -> Vec<(Image, String)> {
        match manifest.and_then(Manifest::checked) {
            Ok(Manifest { manifests: Some(manifests), .. }) => {
                let wanted = manifests.into_iter().rev().filter(|one| self.is_wanted(one, wants));
                return wanted.map(|one| one.into_image(&image.name)).collect();
            }
            Ok(manifest) => {
                image.config = manifest.config;
                image.add(manifest.layers.unwrap_or_default());
            }
            Err(why) => image.problems.push(why),
        }
        self.images.push(image);
        Vec::new()
    }

    fn is_wanted(&mut self, one: &Descriptor, wants: &dyn Fn(&Platform) -> bool) -> bool {
        if one.is_attestation() {
            return false;
        }
        let unwanted = one.platform.as_ref().filter(|stated| !wants(stated));
        self.passed_over.extend(unwanted.map(Platform::to_string));
        unwanted.is_none()
    }
}

impl Manifest {
    /// Reads a manifest. `left` is the number of bytes that may be read.
    fn read(store: &dyn Store, digest: &str, left: &mut usize) -> Result<Self, Unreadable> {
        let path = path_of(digest).ok_or_else(|| broken("its digest is malformed"))?;
        let missing = || Unreadable::new(SkipKind::NotFound, "its manifest is not there");
        let bytes = small(store, &path)?.ok_or_else(missing)?;
        *left = left.saturating_sub(bytes.len().max(SMALLEST_MANIFEST));
        parse(&path, &bytes)
    }

    /// Returns the manifest if it is either an index or an image. Programs differ in what they read
    /// of both.
    fn checked(self) -> Result<Self, Unreadable> {
        match (&self.manifests, &self.layers) {
            (Some(_), None) | (None, Some(_)) => Ok(self),
            (Some(_), Some(_)) => Err(broken("it is both an image and an index of images")),
            (None, None) => {
                let stated = self.media_type.as_deref().unwrap_or("unknown");
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
    fn annotation(&self, key: &str) -> Option<&str> {
        self.annotations.as_ref()?.get(key).map(String::as_str)
    }

    /// Returns true for an attestation, which BuildKit stores next to the image that it describes.
    /// Its platform is unknown, so that no runtime takes it for an image.
    fn is_attestation(&self) -> bool {
        let platform = self.platform.as_ref().map(Platform::to_string);
        platform.as_deref() == Some("unknown/unknown")
            && self.annotation("vnd.docker.reference.type").is_some()
    }

    /// Returns an image whose manifest is still to be read, and its digest. The name is its own,
    /// else that of the enclosing index, with the platform if it is stated.
    fn into_image(self, around: &str) -> (Image, String) {
        let own = NAMES.iter().find_map(|key| self.annotation(key));
        let base = match own {
            Some(own) => own.to_owned(),
            None if around.is_empty() => short(&self.digest),
            None => around.to_owned(),
        };
        let name = match &self.platform {
            Some(platform) if !around.is_empty() => format!("{base} ({platform})"),
            Some(_) | None => base,
        };
        let image =
            Image { name: escape::short(&name), platform: self.platform, ..Image::default() };
        (image, self.digest)
    }

    /// Returns the layer with this number.
    fn into_layer(self, number: usize) -> Result<Blob, Unreadable> {
        let media_type = self.media_type.as_deref().unwrap_or_default();
        let mut known = LAYER_TYPES.iter();
        let is_tar = media_type.is_empty() || known.any(|known| media_type.starts_with(known));
        if !is_tar || media_type.ends_with("encrypted") {
            let shown = escape::short(media_type);
            let reason = format!("layer {number} has the media type {shown}, which is not read");
            return Err(Unreadable::new(SkipKind::UnsupportedFormat, reason));
        }
        let malformed = || broken(format!("the digest of layer {number} is malformed"));
        Ok(Blob { path: path_of(&self.digest).ok_or_else(malformed)?, size: self.size })
    }
}

impl Image {
    /// Adds the layers of a manifest.
    fn add(&mut self, layers: Vec<Descriptor>) {
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
    fn into_image(self) -> Image {
        let tag = self.repo_tags.and_then(|tags| tags.into_iter().next());
        let config = last_part(&self.config);
        let name = tag.unwrap_or_else(|| short(config.trim_end_matches(".json")));
        let layers = self.layers.into_iter().flatten().take(MAX_LAYERS);
        Image {
            name: escape::short(&name),
            layers: layers.map(|path| Blob { path, size: None }).collect(),
            ..Image::default()
        }
    }
}

/// Returns twelve digits of a digest, the usual short form for images without a name.
fn short(digest: &str) -> String {
    let hex = digest.rsplit(':').next().unwrap_or_default();
    hex.chars().take(12).collect()
}

/// Returns the path of a blob: `blobs/sha256/…`.
fn path_of(digest: &str) -> Option<String> {
    let (algorithm, hex) = digest.split_once(':')?;
    let plain =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (plain(algorithm) && plain(hex)).then(|| format!("blobs/{algorithm}/{hex}"))
}

/// Returns the reason for a part that contradicts its format.
pub(crate) fn broken(reason: impl Into<String>) -> Unreadable {
    Unreadable::new(SkipKind::Broken, reason)
}
