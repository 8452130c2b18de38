//! The images of an archive, and the layers of each.
//!
//! [Image layout](https://github.com/opencontainers/image-spec/blob/main/image-layout.md);
//! `manifest.json` is [docker's](https://docs.docker.com/reference/cli/docker/image/save/).
//!
//! Manifests are read value by value, not as a whole, so that a broken part does not hide the
//! others.

mod document;
mod title;

#[cfg(feature = "registry")]
pub(in crate::check::collect) use document::parse as parse_manifest;

use std::collections::BTreeSet;

use serde_json::Value;

use super::blob::Blob;
use super::store::Store;
use document::{Kind, broken, json, limit, list, text};
use title::{is_attestation, name, platform, short};

use crate::escape;
use crate::skipped::{SkipKind, Unreadable};

/// The maximum number of images in one archive.
const MAX_IMAGES: usize = 10_000;

/// The maximum size of all manifests of one archive in bytes.
const MAX_MANIFESTS: usize = 16 << 20;

/// The maximum number of layers of one image; runtimes accept far fewer.
const MAX_LAYERS: usize = 1000;

/// The maximum depth of nested indexes.
const MAX_DEPTH: usize = 16;

/// The images of an archive.
#[derive(Debug, Default)]
pub(in crate::check::collect) struct Images {
    pub(in crate::check::collect) images: Vec<Image>,
    /// Parts that cannot be read.
    pub(in crate::check::collect) problems: Vec<Unreadable>,
}

/// One image.
#[derive(Debug, Default)]
pub(in crate::check::collect) struct Image {
    /// The name, such as `example.org/plugin:1.0`, with the platform if there are several.
    pub(in crate::check::collect) name: String,
    /// The layers, lowest first.
    pub(in crate::check::collect) layers: Vec<Blob>,
    /// The descriptor of the configuration; null if there is none.
    #[cfg_attr(
        not(feature = "registry"),
        expect(dead_code, reason = "only fetched images need it")
    )]
    pub(in crate::check::collect) config: Value,
    /// True if an index states its platform.
    pub(in crate::check::collect) has_platform: bool,
    /// The reasons why some of them are unknown.
    pub(in crate::check::collect) problems: Vec<Unreadable>,
}

/// Returns true if this is an image, by its manifests, including broken ones.
pub(super) fn is_image(store: &dyn Store) -> bool {
    let is_index = |index: Value| !list(&index, "manifests").is_empty();
    match (json(store, "index.json"), json(store, "manifest.json")) {
        (Ok(Some(index)), _) if is_index(index.clone()) => true,
        (_, Ok(Some(saved))) => saved
            .as_array()
            .is_some_and(|all| all.iter().any(|one| one.get("Layers").is_some())),
        (Err(_), _) | (_, Err(_)) => matches!(json(store, "oci-layout"), Ok(Some(_))),
        (Ok(_), Ok(None)) => false,
    }
}

/// Returns all images: those of the OCI index, and those that only docker's list names, because
/// programs read the one or the other.
pub(super) fn images(store: &dyn Store) -> Result<Images, Unreadable> {
    let mut finder = Finder::new(store, &|_| true);
    match json(store, "index.json") {
        Ok(Some(index)) => {
            for descriptor in list(&index, "manifests") {
                finder.follow(descriptor, None, MAX_DEPTH);
            }
        }
        Ok(None) => {}
        Err(why) => finder.found.problems.push(why),
    }
    finder.saved();
    if finder.found.images.is_empty() && finder.found.problems.is_empty() {
        return Err(broken(
            "neither its index.json nor its manifest.json names an image",
        ));
    }
    Ok(finder.found)
}

/// Returns the images of a manifest or index with these platforms, each once, and the platforms that
/// were passed over. The name of an image is its platform, if that is stated.
#[cfg(feature = "registry")]
pub(in crate::check::collect) fn images_of(
    store: &dyn Store,
    document: &Value,
    wants: &dyn Fn(&Value) -> bool,
) -> (Images, Vec<String>) {
    let mut finder = Finder {
        read: Some(BTreeSet::new()),
        ..Finder::new(store, wants)
    };
    finder.document(String::new(), document, MAX_DEPTH);
    for image in &mut finder.found.images {
        let platform = image
            .name
            .strip_prefix(" (")
            .and_then(|name| name.strip_suffix(')'));
        image.name = platform.unwrap_or(&image.name).to_owned();
    }
    (finder.found, finder.passed_over.into_iter().collect())
}

/// Returns the image of an entry of docker's `manifest.json`.
fn saved(value: &Value) -> Image {
    let tag = list(value, "RepoTags").iter().find_map(Value::as_str);
    let config = text(value, "Config").unwrap_or_default();
    let config = config.rsplit('/').next().unwrap_or_default();
    let name = tag.map_or_else(|| short(config.trim_end_matches(".json")), str::to_owned);
    let mut image = Image {
        name: escape::bytes(name.as_bytes()),
        ..Image::default()
    };
    if !value.get("Layers").is_some_and(Value::is_array) {
        image.problems.push(broken("it has no list of layers"));
    }
    for layer in list(value, "Layers") {
        image.add(layer.as_str().map(|path| Blob {
            path: path.to_owned(),
            is_labelled_tar: true,
            name: path.to_owned(),
            size: None,
        }));
    }
    image
}

/// Returns the image of a manifest.
fn image(name: String, manifest: &Value) -> Image {
    let mut image = Image {
        name,
        config: manifest.get("config").cloned().unwrap_or_default(),
        ..Image::default()
    };
    for layer in list(manifest, "layers") {
        if text(layer, "mediaType").is_some_and(|label| label.contains("+encrypted")) {
            let number = image.layers.len() + image.problems.len() + 1;
            let reason = format!("layer {number} is encrypted");
            let why = Unreadable::new(SkipKind::UnsupportedFormat, reason);
            image.problems.push(why);
            continue;
        }
        let digest = text(layer, "digest");
        image.add(digest.and_then(path_of).map(|path| {
            Blob {
                path,
                is_labelled_tar: text(layer, "mediaType")
                    .is_none_or(|label| label.is_empty() || label.contains("tar")),
                name: title(layer).unwrap_or_else(|| short(digest.unwrap_or_default())),
                size: layer.get("size").and_then(Value::as_u64),
            }
        }));
    }
    image
}

/// Returns the file name that a descriptor gives to its blob.
fn title(descriptor: &Value) -> Option<String> {
    let title = text(
        descriptor.get("annotations")?,
        "org.opencontainers.image.title",
    )?;
    Some(title.to_owned())
}

impl Image {
    /// Returns true if the image has the same layers.
    fn has_layers_of(&self, other: &Self) -> bool {
        let paths = |image: &Self| -> Vec<String> {
            image.layers.iter().map(|blob| blob.path.clone()).collect()
        };
        other.problems.is_empty() && paths(self) == paths(other)
    }

    fn add(&mut self, blob: Option<Blob>) {
        let number = self.layers.len() + self.problems.len() + 1;
        match blob {
            _ if number > MAX_LAYERS => {
                if number == MAX_LAYERS + 1 {
                    self.problems
                        .push(limit(format!("more than {MAX_LAYERS} layers")));
                }
            }
            Some(blob) => self.layers.push(blob),
            None => self
                .problems
                .push(broken(format!("the digest of layer {number} is malformed"))),
        }
    }
}

/// Returns the path of a blob: `blobs/sha256/…`.
fn path_of(digest: &str) -> Option<String> {
    let (algorithm, hex) = digest.split_once(':')?;
    let plain =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (plain(algorithm) && plain(hex)).then(|| format!("blobs/{algorithm}/{hex}"))
}

/// Follows indexes to manifests, within limits because they may be circular.
struct Finder<'s> {
    store: &'s dyn Store,
    /// Returns true for the platforms that are followed.
    wants: &'s dyn Fn(&Value) -> bool,
    found: Images,
    /// The platforms that are not followed.
    passed_over: BTreeSet<String>,
    /// The digests that were followed, if each counts once.
    read: Option<BTreeSet<String>>,
    /// The remaining bytes of manifests that may be read.
    left: usize,
}

impl<'s> Finder<'s> {
    fn new(store: &'s dyn Store, wants: &'s dyn Fn(&Value) -> bool) -> Self {
        Self {
            store,
            wants,
            found: Images::default(),
            passed_over: BTreeSet::new(),
            read: None,
            left: MAX_MANIFESTS,
        }
    }

    /// Returns true if a descriptor is followed: not twice, and only for a platform that is wanted.
    fn is_followed(&mut self, descriptor: &Value) -> bool {
        if is_attestation(descriptor) {
            return false;
        }
        if let Some(stated) = descriptor
            .get("platform")
            .filter(|stated| !(self.wants)(stated))
        {
            self.passed_over.extend(platform(stated));
            return false;
        }
        let digest = text(descriptor, "digest").unwrap_or_default();
        self.read
            .as_mut()
            .is_none_or(|read| read.insert(digest.to_owned()))
    }

    fn saved(&mut self) {
        match json(self.store, "manifest.json") {
            Ok(all) => {
                let all = all
                    .as_ref()
                    .and_then(Value::as_array)
                    .map_or(&[][..], Vec::as_slice);
                if all.len() > MAX_IMAGES {
                    self.found
                        .problems
                        .push(limit(format!("more than {MAX_IMAGES} images")));
                }
                for image in all.iter().take(MAX_IMAGES).map(saved) {
                    let known = self.found.images.iter();
                    if !known.into_iter().any(|known| known.has_layers_of(&image)) {
                        self.found.images.push(image);
                    }
                }
            }
            Err(why) => self.found.problems.push(why),
        }
    }

    fn follow(&mut self, descriptor: &Value, around: Option<&str>, depth: usize) {
        let name = name(descriptor, around);
        if !self.is_followed(descriptor) {
            return;
        }
        if self.found.images.len() >= MAX_IMAGES || self.left == 0 {
            let why = limit(format!(
                "more than {MAX_IMAGES} images, or {} MiB of manifests",
                MAX_MANIFESTS >> 20
            ));
            if self.found.problems.last() != Some(&why) {
                self.found.problems.push(why);
            }
            return;
        }
        match self.part(descriptor) {
            Ok(document) => {
                let before = self.found.images.len();
                self.document(name, &document, depth);
                let has_platform = descriptor.get("platform").and_then(platform).is_some();
                for image in self.found.images.iter_mut().skip(before) {
                    image.has_platform |= has_platform;
                }
            }
            Err(why) => {
                let image = self.failed(name, why);
                self.found.images.push(image);
            }
        }
    }

    /// Follows an index, or adds the image of a manifest.
    fn document(&mut self, name: String, document: &Value, depth: usize) {
        let image = match document::kind(document) {
            Ok(Kind::Image) => image(name, document),
            Ok(Kind::Index) if depth == 0 => {
                let why = format!("an index within {MAX_DEPTH} others, not followed");
                self.failed(name, limit(why))
            }
            Ok(Kind::Index) => {
                for descriptor in list(document, "manifests") {
                    self.follow(descriptor, Some(&name), depth - 1);
                }
                return;
            }
            Err(why) => self.failed(name, why),
        };
        self.found.images.push(image);
    }

    fn failed(&self, name: String, why: Unreadable) -> Image {
        Image {
            name,
            problems: vec![why],
            ..Image::default()
        }
    }

    fn part(&mut self, descriptor: &Value) -> Result<Value, Unreadable> {
        let path = text(descriptor, "digest").and_then(path_of);
        let path = path.ok_or_else(|| broken("its digest is malformed"))?;
        let bytes = self
            .store
            .small(&path)?
            .ok_or_else(|| Unreadable::new(SkipKind::NotFound, "its manifest is not there"))?;
        // Even a small one has a cost.
        self.left = self.left.saturating_sub(bytes.len().max(256));
        if self.left == 0 {
            return Err(limit(format!(
                "more than {} MiB of manifests",
                MAX_MANIFESTS >> 20
            )));
        }
        document::parse(&path, &bytes)
    }
}
