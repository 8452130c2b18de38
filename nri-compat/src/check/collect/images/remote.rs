//! The manifests of an image in a registry, as parts by path like those of an archive.

use serde_json::Value;

use super::forward::Forward;
use super::platform::{Platform, Platforms};
use crate::check::collect::archive::{
    EntryCount, Images, Layer, LayerBlob, Store, images_of, parse_manifest, streamed,
};
use crate::check::collect::spool;
use crate::check::content::{Content, Stream};
use crate::registry::{Client, Digest, Error, ErrorKind, Reference};
use crate::skipped::{SkipKind, Unreadable};

/// The maximum size of the configuration of an image in bytes.
const MAX_CONFIG: u64 = 4 << 20;

/// The maximum size of a layer that is copied to a temporary file, in bytes.
const MAX_COPIED: u64 = 4 << 30;

/// An image in a registry.
pub(super) struct Remote<'c> {
    client: &'c Client,
    reference: Reference,
    entries: EntryCount,
}

impl Store for Remote<'_> {
    /// Opens a manifest; layers are streams.
    fn open(&self, path: &str) -> Result<Option<Box<dyn Content + '_>>, Unreadable> {
        let digest = digest_of(path)?;
        let manifest = self.client.manifest_by_digest(&self.reference, &digest);
        let bytes = manifest.map_err(|error| unreadable(&error))?.bytes;
        Ok(Some(Box::new(bytes)))
    }

    fn entries(&self) -> &EntryCount {
        &self.entries
    }

    /// Fetches a layer while it is read.
    fn layer(
        &self,
        blob: &LayerBlob,
        read: &dyn Fn(&dyn Content) -> Layer,
    ) -> Result<Layer, Unreadable> {
        let digest = digest_of(&blob.path)?;
        let unsized_layer =
            || Unreadable::new(SkipKind::Broken, "its manifest does not state its size");
        let size = blob.size.ok_or_else(unsized_layer)?;
        let failed = |error| unreadable(&error);
        let fetched = self.client.blob(&self.reference, &digest, size);
        let forward = Forward::new(fetched.map_err(failed)?);
        if streamed(&forward, blob) {
            let layer = read(&forward);
            forward.finish().map_err(failed)?;
            return Ok(layer);
        }
        if size > MAX_COPIED {
            let reason = format!("larger than {} GiB", MAX_COPIED >> 30);
            return Err(Unreadable::new(SkipKind::TooLarge, reason));
        }
        let copied = spool::to_disk(&mut Stream::new(&forward));
        forward.finish().map_err(failed)?;
        Ok(read(&copied?))
    }
}

impl<'c> Remote<'c> {
    pub(super) fn new(client: &'c Client, reference: Reference) -> Self {
        Self {
            client,
            reference,
            entries: EntryCount::default(),
        }
    }

    /// Fetches the manifests of the image for these platforms.
    pub(super) fn images(&self, platforms: &Platforms) -> Result<Images, Error> {
        let manifest = self.client.manifest(&self.reference)?;
        let document = parse_manifest("the manifest", &manifest.bytes)
            .map_err(|why| Error::new(ErrorKind::NotAnImage, why.reason))?;
        if let Some(why) = not_an_image(&document) {
            let message = format!("{} has {why}", self.reference.registry());
            return Err(Error::new(ErrorKind::NotAnImage, message));
        }
        if document.get("manifests").is_none() {
            self.check_platform(&document, platforms)?;
        }
        let (mut found, mut others) = images_of(self, &document, &|stated| platforms.wants(stated));
        if document.get("manifests").is_some() && *platforms != Platforms::Linux {
            self.filter(&mut found, &mut others, platforms);
        }
        if found.images.is_empty() && found.problems.is_empty() {
            return Err(no_platform(platforms, &others));
        }
        Ok(found)
    }

    /// Drops the images whose index states no platform, and whose configuration states another one.
    fn filter(&self, found: &mut Images, others: &mut Vec<String>, platforms: &Platforms) {
        found.images.retain(|image| {
            if image.has_platform {
                return true;
            }
            let Ok(config) = self.config(&image.config) else {
                return true;
            };
            let is_wanted = platforms.wants(&config);
            if !is_wanted {
                others.extend(Platform::stated(&config).map(|stated| stated.to_string()));
            }
            is_wanted
        });
    }

    /// Checks the platform of an image that is in no index, if one is asked for.
    fn check_platform(&self, manifest: &Value, platforms: &Platforms) -> Result<(), Error> {
        if *platforms == Platforms::Linux {
            return Ok(());
        }
        let config = self.config(manifest.get("config").unwrap_or(&Value::Null))?;
        if platforms.wants(&config) {
            return Ok(());
        }
        let stated = Platform::stated(&config).map(|stated| stated.to_string());
        Err(no_platform(
            platforms,
            &stated.into_iter().collect::<Vec<_>>(),
        ))
    }

    /// Fetches the configuration of an image that this descriptor names.
    pub(super) fn config(&self, config: &Value) -> Result<Value, Error> {
        let digest = config
            .get("digest")
            .and_then(Value::as_str)
            .and_then(Digest::parse);
        let size = config.get("size").and_then(Value::as_u64);
        let (Some(digest), Some(size)) = (digest, size) else {
            let message = "the manifest names no configuration";
            return Err(Error::new(ErrorKind::NotAnImage, message));
        };
        let bytes = self
            .client
            .small_blob(&self.reference, &digest, size, MAX_CONFIG)?;
        serde_json::from_slice(&bytes).map_err(|error| {
            let message = format!("its configuration is not JSON: {error}");
            Error::new(ErrorKind::NotAnImage, message)
        })
    }
}

/// Returns the reason why a document is not an image or an index of images.
fn not_an_image(document: &Value) -> Option<String> {
    let is_list = |key: &str| document.get(key).is_some_and(Value::is_array);
    if document.get("schemaVersion").and_then(Value::as_u64) == Some(1) {
        return Some(
            "a manifest of schema 1, which runtimes no longer read; push the image again"
                .to_owned(),
        );
    }
    let config = document
        .get("config")
        .and_then(|config| config.get("mediaType"));
    let config = config.and_then(Value::as_str).unwrap_or_default();
    if config.contains("helm") {
        return Some("a Helm chart there, not an image; render it and check the result".to_owned());
    }
    (!is_list("manifests") && !is_list("layers"))
        .then(|| "neither an image nor an index of images there".to_owned())
}

fn no_platform(platforms: &Platforms, others: &[String]) -> Error {
    let wanted = match platforms {
        Platforms::Linux => "Linux".to_owned(),
        Platforms::Only(platform) => platform.to_string(),
    };
    let message = format!("it has no image for {wanted}");
    let error = Error::new(ErrorKind::Platform, message);
    if others.is_empty() {
        return error;
    }
    error.with_help(format!(
        "it has images for {}; select one with --platform",
        others.join(", ")
    ))
}

/// Returns the digest of a part.
pub(super) fn digest_of(path: &str) -> Result<Digest, Unreadable> {
    let name = path
        .strip_prefix("blobs/")
        .unwrap_or(path)
        .replacen('/', ":", 1);
    Digest::parse(&name).ok_or_else(|| {
        let shown = crate::escape::bytes(name.as_bytes());
        Unreadable::new(
            SkipKind::Broken,
            format!("`{shown}` is not a digest of sha256 or sha512"),
        )
    })
}

/// Returns an error of a registry as the reason for not reading something.
pub(super) fn unreadable(error: &Error) -> Unreadable {
    let kind = match error.kind() {
        ErrorKind::NotFound => SkipKind::NotFound,
        ErrorKind::Unauthorized | ErrorKind::Denied => SkipKind::Permission,
        ErrorKind::TooLarge => SkipKind::TooLarge,
        ErrorKind::Digest | ErrorKind::NotAnImage | ErrorKind::Protocol => SkipKind::Broken,
        ErrorKind::Reference
        | ErrorKind::Configuration
        | ErrorKind::Unreachable
        | ErrorKind::Tls
        | ErrorKind::Timeout
        | ErrorKind::RateLimited
        | ErrorKind::Server
        | ErrorKind::Platform => SkipKind::Io,
    };
    Unreadable::new(kind, error.to_string())
}
