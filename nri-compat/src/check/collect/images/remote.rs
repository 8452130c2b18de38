//! The manifests of an image in a registry, as parts by path like those of an archive.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::platform::Platforms;
use crate::check::collect::archive::{
    Descriptor, EntryCount, Images, LayerBlob, Platform, Store, images_of, parse_manifest,
};
use crate::check::collect::spool;
use crate::check::content::Content;
use crate::registry::{Client, Digest, Reference};
use crate::skipped::{SkipKind, Unreadable};

/// The maximum size of the configuration of an image in bytes.
const MAX_CONFIG: u64 = 4 << 20;

/// An image in a registry.
pub(super) struct Remote<'c> {
    client: &'c Client,
    reference: Reference,
    entries: EntryCount,
}

impl Store for Remote<'_> {
    /// Opens a manifest.
    fn open(&self, path: &str) -> Result<Option<Box<dyn Content + '_>>, Unreadable> {
        let digest = digest_of(path)?;
        let bytes = self.client.manifest_by_digest(&self.reference, &digest)?;
        Ok(Some(Box::new(bytes)))
    }

    fn entries(&self) -> &EntryCount {
        &self.entries
    }

    fn layer(&self, blob: &LayerBlob) -> Result<Box<dyn Content + '_>, Unreadable> {
        let unsized_layer = || broken("its manifest does not state its size");
        let size = blob.size.ok_or_else(unsized_layer)?;
        let digest = digest_of(&blob.path)?;
        let file = self.client.blob(&self.reference, &digest, size)?;
        Ok(Box::new(spool::spooled(file)?))
    }
}

impl<'c> Remote<'c> {
    pub(super) fn new(client: &'c Client, reference: &str) -> Result<Self, Unreadable> {
        Ok(Self {
            client,
            reference: Reference::parse(reference)?,
            entries: EntryCount::default(),
        })
    }

    /// Fetches the manifests of the image for these platforms.
    pub(super) fn images(&self, platforms: &Platforms) -> Result<Images, Unreadable> {
        let manifest = self.client.manifest(&self.reference)?;
        let document = parse_manifest("the manifest", &manifest)?;
        if let Some(why) = not_an_image(&document) {
            return Err(broken(format!("{} has {why}", self.reference.registry())));
        }
        let (mut found, mut others) = images_of(self, &document, &|stated| platforms.wants(stated));
        if *platforms != Platforms::Linux {
            found.images.retain(|image| {
                let stated = image
                    .platform
                    .is_none()
                    .then(|| self.config(image.config.as_ref()).ok());
                let other = stated
                    .flatten()
                    .filter(|stated: &Platform| !platforms.wants(stated));
                others.extend(other.as_ref().map(Platform::to_string));
                other.is_none()
            });
        }
        if found.images.is_empty() && found.problems.is_empty() {
            return Err(no_platform(platforms, &others));
        }
        Ok(found)
    }

    /// Fetches a part of the configuration of an image that this descriptor names.
    pub(super) fn config<T: DeserializeOwned>(
        &self,
        config: Option<&Descriptor>,
    ) -> Result<T, Unreadable> {
        let named = config.and_then(|config| Some((Digest::parse(&config.digest)?, config.size?)));
        let (digest, size) = named.ok_or_else(|| broken("the manifest names no configuration"))?;
        let bytes = self
            .client
            .small_blob(&self.reference, &digest, size, MAX_CONFIG)?;
        serde_json::from_slice(&bytes)
            .map_err(|error| broken(format!("its configuration is not valid: {error}")))
    }
}

/// Returns the reason why a document is not an image or an index of images.
fn not_an_image(document: &Value) -> Option<&'static str> {
    let config = document["config"]["mediaType"].as_str().unwrap_or_default();
    if document["schemaVersion"] == 1 {
        Some("a manifest of schema 1, which runtimes no longer read; push the image again")
    } else if config.contains("helm") {
        Some("a Helm chart there, not an image; render it and check the result")
    } else if document["manifests"].is_array() || document["layers"].is_array() {
        None
    } else {
        Some("neither an image nor an index of images there")
    }
}

fn no_platform(platforms: &Platforms, others: &BTreeSet<String>) -> Unreadable {
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    let help = match others.join(", ") {
        none if none.is_empty() => none,
        all => format!("; it has images for {all}; select one with --platform"),
    };
    Unreadable::new(
        SkipKind::Io,
        format!("it has no image for {platforms}{help}"),
    )
}

/// Returns the digest of a part.
fn digest_of(path: &str) -> Result<Digest, Unreadable> {
    let name = path
        .strip_prefix("blobs/")
        .unwrap_or(path)
        .replacen('/', ":", 1);
    Digest::parse(&name).ok_or_else(|| {
        let shown = crate::escape::bytes(name.as_bytes());
        broken(format!("`{shown}` is not a digest of sha256 or sha512"))
    })
}

fn broken(reason: impl Into<String>) -> Unreadable {
    Unreadable::new(SkipKind::Broken, reason)
}
