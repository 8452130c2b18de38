//! The manifests of an image in a registry, as parts by path like those of an archive.

use serde::de::DeserializeOwned;

use super::platform;
use crate::check::collect::archive::{
    Image, Images, LayerBlob, Manifest, Platform, Store, images_of, parse_manifest,
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
}

impl Store for Remote<'_> {
    /// Opens a manifest.
    fn open(&self, path: &str) -> Result<Option<Box<dyn Content + '_>>, Unreadable> {
        let part = self.reference.with_digest(digest_of(path)?);
        Ok(Some(Box::new(self.client.manifest(&part)?)))
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
        })
    }

    /// Fetches the manifests of the image for a platform, else for all of Linux.
    pub(super) fn images(&self, asked: Option<&Platform>) -> Result<Images, Unreadable> {
        let top = self.client.manifest(&self.reference)?;
        let top: Manifest = parse_manifest("the manifest", &top)?;
        let wants = |stated: &Platform| platform::is_wanted(stated, asked);
        let mut found = images_of(self, top, &wants);
        if asked.is_some() {
            found.images.retain(|image| {
                let stated = image.platform.is_none().then(|| self.config(image).ok());
                let other = stated.flatten().filter(|stated| !wants(stated));
                let shown = other.as_ref().map(Platform::to_string);
                found.passed_over.extend(shown);
                other.is_none()
            });
        }
        if found.images.is_empty() && found.problems.is_empty() {
            return Err(no_platform(asked, found));
        }
        Ok(found)
    }

    /// Fetches a part of the configuration of an image.
    pub(super) fn config<T: DeserializeOwned>(&self, image: &Image) -> Result<T, Unreadable> {
        let named = image.config.as_ref();
        let named = named.and_then(|config| Some((Digest::parse(&config.digest)?, config.size?)));
        let (digest, size) = named.ok_or_else(|| broken("the manifest names no configuration"))?;
        let bytes = self
            .client
            .small_blob(&self.reference, &digest, size, MAX_CONFIG)?;
        parse_manifest("its configuration", &bytes)
    }
}

fn no_platform(asked: Option<&Platform>, found: Images) -> Unreadable {
    let platform = asked.map_or_else(|| "Linux".to_owned(), Platform::to_string);
    let others: Vec<String> = found.passed_over.into_iter().collect();
    let help = match others.join(", ") {
        none if none.is_empty() => none,
        all => format!("; it has images for {all}; select one with --platform"),
    };
    let reason = format!("it has no image for {platform}{help}");
    Unreadable::new(SkipKind::Io, reason)
}

/// Returns the digest of a part.
fn digest_of(path: &str) -> Result<Digest, Unreadable> {
    let name = path.trim_start_matches("blobs/").replacen('/', ":", 1);
    Digest::parse(&name).ok_or_else(|| {
        let shown = crate::escape::short(&name);
        broken(&format!("`{shown}` is not a digest of sha256 or sha512"))
    })
}

fn broken(reason: &str) -> Unreadable {
    Unreadable::new(SkipKind::Broken, reason)
}
