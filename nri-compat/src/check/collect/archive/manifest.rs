//! The images of an archive, and the layers of each.
//!
//! [Image layout](https://github.com/opencontainers/image-spec/blob/main/image-layout.md);
//! `manifest.json` is [docker's](https://docs.docker.com/reference/cli/docker/image/save/).
//!
//! A broken document does not hide the others.

mod document;
mod title;

use std::collections::BTreeSet;

use serde::Deserialize as _;
use serde_json::Value;

use super::blob::Blob;
use super::store::Store;
pub(in crate::check::collect) use document::{Descriptor, Platform};
use document::{Document, Manifest, Saved, broken, document, json, limit};
use title::{is_attestation, name, short};

#[cfg(feature = "registry")]
pub(in crate::check::collect) use document::parse as parse_manifest;

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
    /// The configuration.
    #[cfg_attr(
        not(feature = "registry"),
        expect(dead_code, reason = "only fetched images need it")
    )]
    pub(in crate::check::collect) config: Option<Descriptor>,
    /// The platform that an index states.
    pub(in crate::check::collect) platform: Option<Platform>,
    /// The reasons why some of them are unknown.
    pub(in crate::check::collect) problems: Vec<Unreadable>,
}

/// Returns true if this is an image, by its manifests, including broken ones.
pub(super) fn is_image(store: &dyn Store) -> bool {
    let is_list = |value: Option<&Value>| {
        value
            .and_then(Value::as_array)
            .is_some_and(|all| !all.is_empty())
    };
    match (json(store, "index.json"), json(store, "manifest.json")) {
        (Ok(Some(index)), _) if is_list(index.get("manifests")) => true,
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
    match json(store, "index.json").and_then(|index| index.as_ref().map(document).transpose()) {
        Ok(Some(Document::Index(manifests))) => finder.follow_all(&manifests, None, MAX_DEPTH),
        Ok(Some(Document::Image(_)) | None) => {}
        Err(why) => finder.found.problems.push(why),
    }
    if let Err(why) = finder.saved() {
        finder.found.problems.push(why);
    }
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
    wants: &dyn Fn(&Platform) -> bool,
) -> (Images, BTreeSet<String>) {
    let mut finder = Finder {
        read: Some(BTreeSet::new()),
        ..Finder::new(store, wants)
    };
    finder.document(String::new(), document, MAX_DEPTH);
    for image in &mut finder.found.images {
        image.name = image
            .platform
            .as_ref()
            .map_or_else(String::new, Platform::to_string);
    }
    (finder.found, finder.passed_over)
}

/// Returns the image of an entry of docker's `manifest.json`.
fn saved(saved: Saved) -> Image {
    let tag = saved.repo_tags.and_then(|tags| tags.into_iter().next());
    let config = saved.config.rsplit('/').next().unwrap_or_default();
    let name = tag.unwrap_or_else(|| short(config.trim_end_matches(".json")));
    let mut image = Image {
        name: escape::bytes(name.as_bytes()),
        ..Image::default()
    };
    if saved.layers.is_none() {
        image.problems.push(broken("it has no list of layers"));
    }
    for path in saved.layers.into_iter().flatten() {
        image.add(Ok(Blob {
            name: path.clone(),
            path,
            is_labelled_tar: true,
            size: None,
        }));
    }
    image
}

/// Returns the image of a manifest.
fn image(name: String, manifest: Manifest) -> Image {
    let mut image = Image {
        name,
        config: manifest.config,
        ..Image::default()
    };
    for (number, layer) in (1..).zip(&manifest.layers) {
        image.add(blob(layer, number));
    }
    image
}

/// Returns the layer with this number.
fn blob(layer: &Descriptor, number: usize) -> Result<Blob, Unreadable> {
    let label = layer.media_type.as_deref().unwrap_or_default();
    if label.contains("+encrypted") {
        let reason = format!("layer {number} is encrypted");
        return Err(Unreadable::new(SkipKind::UnsupportedFormat, reason));
    }
    let malformed = || broken(format!("the digest of layer {number} is malformed"));
    let title = layer.annotation("org.opencontainers.image.title");
    Ok(Blob {
        path: path_of(&layer.digest).ok_or_else(malformed)?,
        is_labelled_tar: label.is_empty() || label.contains("tar"),
        name: title.map_or_else(|| short(&layer.digest), str::to_owned),
        size: layer.size,
    })
}

impl Image {
    /// Returns true if the image has the same layers.
    fn has_layers_of(&self, other: &Self) -> bool {
        let paths = |image: &Self| -> Vec<String> {
            image.layers.iter().map(|blob| blob.path.clone()).collect()
        };
        other.problems.is_empty() && paths(self) == paths(other)
    }

    fn add(&mut self, blob: Result<Blob, Unreadable>) {
        match (self.layers.len() + self.problems.len(), blob) {
            (..MAX_LAYERS, Ok(blob)) => self.layers.push(blob),
            (..MAX_LAYERS, Err(why)) => self.problems.push(why),
            (MAX_LAYERS, _) => {
                let why = limit(format!("more than {MAX_LAYERS} layers"));
                self.problems.push(why);
            }
            (_, _) => {}
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
    wants: &'s dyn Fn(&Platform) -> bool,
    found: Images,
    /// The platforms that are not followed.
    passed_over: BTreeSet<String>,
    /// The digests that were followed, if each counts once.
    read: Option<BTreeSet<String>>,
    /// The remaining bytes of manifests that may be read.
    left: usize,
}

impl<'s> Finder<'s> {
    fn new(store: &'s dyn Store, wants: &'s dyn Fn(&Platform) -> bool) -> Self {
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
    fn is_followed(&mut self, descriptor: &Descriptor) -> bool {
        if is_attestation(descriptor) {
            return false;
        }
        if let Some(stated) = descriptor
            .platform
            .as_ref()
            .filter(|stated| !(self.wants)(stated))
        {
            self.passed_over.insert(stated.to_string());
            return false;
        }
        let read = self.read.as_mut();
        read.is_none_or(|read| read.insert(descriptor.digest.clone()))
    }

    /// Adds the images of docker's list that are not known yet.
    fn saved(&mut self) -> Result<(), Unreadable> {
        let Some(Value::Array(all)) = json(self.store, "manifest.json")? else {
            return Ok(());
        };
        if all.len() > MAX_IMAGES {
            return Err(limit(format!("more than {MAX_IMAGES} images")));
        }
        for one in &all {
            let image = Saved::deserialize(one).map(saved);
            let image = image.map_err(|error| broken(format!("manifest.json: {error}")))?;
            let mut known = self.found.images.iter();
            if !known.any(|known| known.has_layers_of(&image)) {
                self.found.images.push(image);
            }
        }
        Ok(())
    }

    fn follow_all(&mut self, descriptors: &[Descriptor], around: Option<&str>, depth: usize) {
        for descriptor in descriptors {
            if self.is_followed(descriptor) {
                self.follow(descriptor, name(descriptor, around), depth);
            }
        }
    }

    fn follow(&mut self, descriptor: &Descriptor, name: String, depth: usize) {
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
        let before = self.found.images.len();
        match self.part(descriptor) {
            Ok(document) => self.document(name, &document, depth),
            Err(why) => self.fail(name, why),
        }
        for image in self.found.images.iter_mut().skip(before) {
            image.platform = image
                .platform
                .take()
                .or_else(|| descriptor.platform.clone());
        }
    }

    /// Follows an index, or adds the image of a manifest.
    fn document(&mut self, name: String, value: &Value, depth: usize) {
        match document(value) {
            Ok(Document::Image(manifest)) => self.found.images.push(image(name, manifest)),
            Ok(Document::Index(_)) if depth == 0 => {
                let why = format!("an index within {MAX_DEPTH} others, not followed");
                self.fail(name, limit(why));
            }
            Ok(Document::Index(manifests)) => {
                self.follow_all(&manifests, Some(&name), depth - 1);
            }
            Err(why) => self.fail(name, why),
        }
    }

    /// Adds an image that cannot be read.
    fn fail(&mut self, name: String, why: Unreadable) {
        self.found.images.push(Image {
            name,
            problems: vec![why],
            ..Image::default()
        });
    }

    fn part(&mut self, descriptor: &Descriptor) -> Result<Value, Unreadable> {
        let path = path_of(&descriptor.digest);
        let path = path.ok_or_else(|| broken("its digest is malformed"))?;
        let bytes = self
            .store
            .small(&path)?
            .ok_or_else(|| Unreadable::new(SkipKind::NotFound, "its manifest is not there"))?;
        // Even a small one has a cost.
        self.left = self.left.saturating_sub(bytes.len().max(256));
        if self.left == 0 {
            let reason = format!("more than {} MiB of manifests", MAX_MANIFESTS >> 20);
            return Err(limit(reason));
        }
        document::parse(&path, &bytes)
    }
}
