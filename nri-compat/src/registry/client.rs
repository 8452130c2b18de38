//! The client: manifests and blobs of images.

mod attempts;
mod refusal;

use std::collections::HashMap;
use std::io::Read as _;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::Value;
use ureq::Body;
use ureq::http::Response;

use super::agents::Agents;
use super::auth::Auth;
use super::digest::Digest;
use super::environment::Environment;
use super::error::{Error, ErrorKind};
use super::exchange::{self, header};
use super::limits::Limits;
use super::reference::Reference;

/// The supported formats of manifests.
const MANIFESTS: &str = "application/vnd.oci.image.index.v1+json, \
    application/vnd.oci.image.manifest.v1+json, \
    application/vnd.docker.distribution.manifest.list.v2+json, \
    application/vnd.docker.distribution.manifest.v2+json";

/// The options of a client.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Hosts, with or without port, that are accessed over plain HTTP or without verification of
    /// their certificates.
    pub insecure: Vec<String>,
    /// The limits on time, size and attempts.
    pub limits: Limits,
    /// The environment variables that name credentials, proxies and certificates.
    pub environment: Environment,
}

/// A manifest or index, as sent by a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The JSON document.
    pub bytes: Vec<u8>,
    /// Its digest, which was verified or computed.
    pub digest: Digest,
}

/// A client for any number of registries. Connections and tokens are reused.
pub struct Client {
    pub(super) limits: Limits,
    agents: Agents,
    auth: Auth,
    /// True if an insecure host uses TLS.
    protocols: Mutex<HashMap<String, bool>>,
}

/// A request to a registry.
pub(super) struct Wanted<'w> {
    pub(super) image: &'w Reference,
    /// The path after the name of the repository: `manifests/latest`.
    pub(super) path: String,
    /// The formats that are understood.
    pub(super) accept: &'static str,
    pub(super) timeout: Duration,
}

impl Client {
    /// Creates a client.
    pub fn new(options: Options) -> Self {
        Self {
            limits: options.limits,
            agents: Agents::new(options.limits, options.insecure, options.environment),
            auth: Auth::default(),
            protocols: Mutex::default(),
        }
    }

    /// Fetches the manifest or index of an image.
    ///
    /// # Errors
    ///
    /// Returns an error if the registry does not have it, or if its content does not match its digest.
    pub fn manifest(&self, image: &Reference) -> Result<Manifest, Error> {
        match image.digest() {
            Some(digest) => self.manifest_by_digest(image, digest),
            None => self.manifest_at(image, image.tag(), None),
        }
    }

    /// Fetches a manifest that an index of the image names.
    ///
    /// # Errors
    ///
    /// Returns an error if the registry does not have it, or if its content does not match its digest.
    pub fn manifest_by_digest(
        &self,
        image: &Reference,
        digest: &Digest,
    ) -> Result<Manifest, Error> {
        self.manifest_at(image, &digest.to_string(), Some(digest))
    }

    /// Fetches a small blob, such as the configuration of an image, of at most `most` bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the registry does not have it, if it is larger, or if its content does not match its
    /// digest.
    pub fn small_blob(
        &self,
        image: &Reference,
        digest: &Digest,
        size: u64,
        most: u64,
    ) -> Result<Vec<u8>, Error> {
        if size > most {
            let message = format!("{digest} has {size} bytes; the limit is {} MiB", most >> 20);
            return Err(Error::new(ErrorKind::TooLarge, message));
        }
        let mut blob = self.blob(image, digest, size)?;
        let mut bytes = Vec::new();
        match blob.read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(_) => blob.finish().map(|()| bytes),
        }
    }

    fn manifest_at(
        &self,
        image: &Reference,
        selector: &str,
        expected: Option<&Digest>,
    ) -> Result<Manifest, Error> {
        let wanted = Wanted {
            image,
            path: format!("manifests/{selector}"),
            accept: MANIFESTS,
            timeout: self.limits.total,
        };
        self.fetch(&wanted, |answer| {
            self.read_manifest(image.host(), answer, expected)
        })
    }

    fn read_manifest(
        &self,
        host: &str,
        answer: Response<Body>,
        expected: Option<&Digest>,
    ) -> Result<Manifest, Error> {
        let kind = crate::escape::short(header(&answer, "content-type"));
        let stated = Digest::parse(header(&answer, "docker-content-digest"));
        let bytes = exchange::small(host, answer, self.limits.manifest)?;
        let is_document =
            serde_json::from_slice::<Value>(&bytes).is_ok_and(|value| value.is_object());
        let expected = expected.or(stated.as_ref());
        if expected.is_some_and(|digest| !digest.matches(&bytes)) {
            let message = format!("{host} sent a manifest that does not match its digest");
            return Err(
                Error::new(ErrorKind::Digest, message).with_help("do not trust this registry")
            );
        }
        if !is_document {
            let message = format!("{host} sent `{kind}` instead of a manifest");
            return Err(
                Error::new(ErrorKind::NotAnImage, message).with_help("check the host and the port")
            );
        }
        let digest = expected.cloned().unwrap_or_else(|| Digest::sha256(&bytes));
        Ok(Manifest { bytes, digest })
    }
}
