//! The client: manifests and blobs of images.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use ureq::Body;
use ureq::http::Response;

use super::agents::Agents;
use super::auth::{Auth, Refused};
use super::backoff;
use super::blob::Blob;
use super::cache::Cache;
use super::challenge;
use super::digest::Digest;
use super::environment::Environment;
use super::error::{Error, ErrorKind};
use super::exchange::{self, Call, header, printable};
use super::limits::Limits;
use super::location::Location;
use super::mirrors::{self, Endpoint};
use super::reference::Reference;

/// The formats of manifests that are understood.
const MANIFESTS: &str = "application/vnd.oci.image.index.v1+json, \
    application/vnd.oci.image.manifest.v1+json, \
    application/vnd.docker.distribution.manifest.list.v2+json, \
    application/vnd.docker.distribution.manifest.v2+json";

/// The maximum number of redirects of one request.
const MAX_REDIRECTS: usize = 5;

/// The maximum size of the body of an error in bytes.
const MAX_ERROR: u64 = 64 << 10;

/// The options of a client.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Hosts, with or without port, that are asked over plain HTTP or with certificates that cannot
    /// be verified.
    pub insecure: Vec<String>,
    /// The folder where verified content is kept by digest.
    pub cache: Option<PathBuf>,
    /// The limits on time, size and attempts.
    pub limits: Limits,
    /// The variables that name credentials, mirrors, proxies and certificates.
    pub environment: Environment,
}

/// A manifest or index, as a registry sent it.
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
    pub(super) cache: Option<Cache>,
    agents: Agents,
    auth: Auth,
    /// Whether an insecure host uses TLS.
    protocols: Mutex<HashMap<String, bool>>,
}

/// A failed attempt.
struct Failed {
    error: Error,
    /// The pause that the registry asked for.
    pause: Option<Duration>,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self { error, pause: None }
    }
}

/// A request of a registry.
pub(super) struct Wanted<'w> {
    pub(super) image: &'w Reference,
    /// The path after the name of the repository: `manifests/latest`.
    pub(super) path: String,
    /// Headers besides `Authorization`.
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) timeout: Duration,
}

impl Client {
    /// Creates a client.
    ///
    /// # Errors
    ///
    /// Returns an error if the cache cannot be opened.
    pub fn new(options: Options) -> Result<Self, Error> {
        Ok(Self {
            limits: options.limits,
            cache: options.cache.as_deref().map(Cache::open).transpose()?,
            agents: Agents::new(options.limits, options.insecure, options.environment),
            auth: Auth::default(),
            protocols: Mutex::default(),
        })
    }

    /// Fetches the manifest or index of an image.
    ///
    /// # Errors
    ///
    /// Returns an error if no server has it, or it does not have its digest.
    pub fn manifest(&self, image: &Reference) -> Result<Manifest, Error> {
        match image.digest() {
            Some(digest) => self.manifest_by_digest(image, digest),
            None => self.manifest_at(image, &image.selector(), None),
        }
    }

    /// Fetches a manifest that an index of the image names.
    ///
    /// # Errors
    ///
    /// Returns an error if no server has it, or it does not have its digest.
    pub fn manifest_by_digest(
        &self,
        image: &Reference,
        digest: &Digest,
    ) -> Result<Manifest, Error> {
        if let Some(bytes) = self.cached(digest) {
            let digest = digest.clone();
            return Ok(Manifest { bytes, digest });
        }
        self.manifest_at(image, &digest.to_string(), Some(digest))
    }

    /// Fetches a small blob, such as the configuration of an image, of at most `most` bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if no server has it, it is larger, or does not have its digest.
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

    /// Opens a blob of this size. It is read from the cache if it is there and undamaged.
    ///
    /// # Errors
    ///
    /// Returns an error if no server has it.
    pub fn blob<'c>(
        &'c self,
        image: &'c Reference,
        digest: &Digest,
        size: u64,
    ) -> Result<Blob<'c>, Error> {
        if let Some(file) = self.cache.as_ref().and_then(|cache| cache.get(digest)) {
            return Ok(Blob::cached(self, image, digest, file));
        }
        Blob::open(self, image, digest, size)
    }

    fn cached(&self, digest: &Digest) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = self.cache.as_ref()?.get(digest)?;
        file.take(self.limits.manifest)
            .read_to_end(&mut bytes)
            .ok()?;
        Some(bytes)
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
            headers: vec![("accept", MANIFESTS.to_owned())],
            timeout: self.limits.total,
        };
        let manifest = self.anywhere(&wanted, expected.is_some(), |endpoint, answer| {
            self.read_manifest(&endpoint.host, answer, expected)
        })?;
        if let Some(cache) = &self.cache {
            cache.store(&manifest.digest, &manifest.bytes);
        }
        Ok(manifest)
    }

    fn read_manifest(
        &self,
        host: &str,
        answer: Response<Body>,
        expected: Option<&Digest>,
    ) -> Result<Manifest, Error> {
        let kind = printable(header(&answer, "content-type"));
        let stated = Digest::parse(header(&answer, "docker-content-digest"));
        let bytes = exchange::small(host, answer, self.limits.manifest)?;
        let is_document =
            serde_json::from_slice::<Value>(&bytes).is_ok_and(|value| value.is_object());
        let expected = expected.or(stated.as_ref());
        if expected.is_some_and(|digest| !digest.matches(&bytes)) {
            let message = format!("{host} sent a manifest that does not have its digest");
            return Err(
                Error::new(ErrorKind::Digest, message).with_help("do not trust this registry")
            );
        }
        if !is_document {
            let message = format!("{host} sent no manifest but `{kind}`");
            return Err(
                Error::new(ErrorKind::NotAnImage, message).with_help("check the host and the port")
            );
        }
        let digest = expected.cloned().unwrap_or_else(|| Digest::of(&bytes));
        Ok(Manifest { bytes, digest })
    }

    /// Sends a request to the mirrors and to the registry until one of them succeeds.
    pub(super) fn anywhere<T>(
        &self,
        wanted: &Wanted<'_>,
        is_by_digest: bool,
        read: impl Fn(&Endpoint, Response<Body>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let endpoints = mirrors::of(wanted.image, &self.agents.environment)?;
        let usable = endpoints
            .iter()
            .filter(|one| is_by_digest || !one.digests_only);
        let mut failed = None;
        for endpoint in usable {
            match self.insistently(endpoint, wanted, &read) {
                Ok(found) => return Ok(found),
                Err(error) => failed = Some(error),
            }
        }
        Err(failed
            .unwrap_or_else(|| Error::new(ErrorKind::Configuration, "no server has this image")))
    }

    /// Sends a request to one server, again if it may succeed later.
    fn insistently<T>(
        &self,
        endpoint: &Endpoint,
        wanted: &Wanted<'_>,
        read: &impl Fn(&Endpoint, Response<Body>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut failures = 0;
        loop {
            let attempt = self.attempt(endpoint, wanted);
            let Failed { error, pause } =
                match attempt.and_then(|answer| Ok(read(endpoint, answer)?)) {
                    Ok(found) => return Ok(found),
                    Err(failed) => failed,
                };
            failures += 1;
            let pause = pause.unwrap_or_else(|| backoff::pause(&self.limits, failures));
            if !error.is_temporary()
                || failures >= self.limits.attempts
                || pause > self.limits.longest_pause
            {
                return Err(error);
            }
            thread::sleep(pause);
        }
    }

    /// Sends a request once, with the credentials that the server asks for.
    fn attempt(&self, endpoint: &Endpoint, wanted: &Wanted<'_>) -> Result<Response<Body>, Failed> {
        let url = Location {
            is_https: self.uses_tls(&endpoint.host)?,
            host: endpoint.host.clone(),
            path: format!("/v2/{}/{}", endpoint.repository, wanted.path),
        };
        let known = self.auth.known(&url.host, &endpoint.repository);
        let answer = self.follow(&url, wanted, known.as_deref())?;
        if answer.status().as_u16() != 401 {
            return self.checked(&url, wanted, answer);
        }
        let headers = answer.headers().get_all("www-authenticate").iter();
        let headers = headers.filter_map(|header| header.to_str().ok());
        let challenges: Vec<_> = headers.flat_map(challenge::challenges).collect();
        drop(answer);
        let refused = Refused {
            agents: &self.agents,
            limits: &self.limits,
            image: wanted.image,
            url: &url,
            repository: &endpoint.repository,
            sent: known.as_deref(),
        };
        let new = self.auth.answer(&refused, &challenges)?;
        let answer = self.follow(&url, wanted, Some(&new))?;
        self.checked(&url, wanted, answer)
    }

    /// Sends a request and follows redirects. Credentials stay with the server that they are for.
    fn follow(
        &self,
        start: &Location,
        wanted: &Wanted<'_>,
        authorization: Option<&str>,
    ) -> Result<Response<Body>, Error> {
        let mut url = start.clone();
        for _ in 0..=MAX_REDIRECTS {
            let mut headers = wanted.headers.clone();
            if let Some(value) = authorization.filter(|_| url.is_same_origin(start)) {
                headers.push(("authorization", value.to_owned()));
            }
            let call = Call {
                url: &url,
                headers: &headers,
                timeout: wanted.timeout,
            };
            let answer = exchange::get(&self.agents, &call)?;
            if !matches!(answer.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
                return Ok(answer);
            }
            url = url.join(header(&answer, "location")).ok_or_else(|| {
                let message = format!("{} sent a redirect to what is not a URL", url.host);
                Error::new(ErrorKind::Protocol, message)
            })?;
        }
        let message = format!("{} redirects more than {MAX_REDIRECTS} times", start.host);
        Err(Error::new(ErrorKind::Protocol, message))
    }

    fn checked(
        &self,
        url: &Location,
        wanted: &Wanted<'_>,
        answer: Response<Body>,
    ) -> Result<Response<Body>, Failed> {
        let status = answer.status().as_u16();
        if matches!(status, 200 | 206) {
            return Ok(answer);
        }
        let pause = backoff::retry_after(header(&answer, "retry-after"));
        let said = exchange::small(&url.host, answer, MAX_ERROR)
            .ok()
            .and_then(|body| said(&body));
        let error = refusal(url, wanted.image, status, said, pause);
        Err(Failed { error, pause })
    }

    /// Reports whether a host is asked over TLS. Hosts that the user calls insecure are tried with
    /// plain HTTP first: a server that expects TLS answers that at once, but not vice versa.
    fn uses_tls(&self, host: &str) -> Result<bool, Error> {
        if !self.agents.is_insecure(host) {
            return Ok(true);
        }
        let lock = || {
            self.protocols
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(known) = lock().get(host) {
            return Ok(*known);
        }
        let uses_tls = self.find_protocol(host)?;
        lock().insert(host.to_owned(), uses_tls);
        Ok(uses_tls)
    }

    fn find_protocol(&self, host: &str) -> Result<bool, Error> {
        let ping = |is_https| {
            let url = Location {
                is_https,
                host: host.to_owned(),
                path: "/v2/".to_owned(),
            };
            let call = Call {
                url: &url,
                headers: &[],
                timeout: self.limits.connect,
            };
            exchange::get(&self.agents, &call).map(|answer| {
                (
                    answer.status().as_u16(),
                    header(&answer, "location").starts_with("https:"),
                )
            })
        };
        match ping(false) {
            Ok((400, _)) | Ok((_, true)) => Ok(ping(true).is_ok()),
            Ok(_) => Ok(false),
            Err(error) if ping(true).is_ok() => {
                drop(error);
                Ok(true)
            }
            Err(error) => Err(error),
        }
    }
}

/// Returns the code and message in the body of an error.
fn said(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let first = body.get("errors")?.get(0)?;
    let text = |key: &str| first.get(key).and_then(Value::as_str).unwrap_or_default();
    let both = format!("{}: {}", text("code"), text("message"));
    Some(printable(both.trim_matches([':', ' '])))
}

fn refusal(
    url: &Location,
    image: &Reference,
    status: u16,
    said: Option<String>,
    pause: Option<Duration>,
) -> Error {
    let said = said
        .filter(|said| !said.is_empty())
        .map(|said| format!(" ({said})"));
    let message = format!("{} answered {status}{}", url.host, said.unwrap_or_default());
    let login = format!(
        "log in with `docker login {}` if it is private",
        image.registry()
    );
    let (kind, help) = match status {
        401 => (
            ErrorKind::Unauthorized,
            format!("the credentials do not suffice, or there is no such repository; {login}"),
        ),
        403 => (
            ErrorKind::Denied,
            format!("the account may not pull it; {login}"),
        ),
        404 => (
            ErrorKind::NotFound,
            format!("check repository, tag and digest; {login}"),
        ),
        429 => {
            let when = pause.map_or_else(String::new, |pause| format!(" in {} s", pause.as_secs()));
            (
                ErrorKind::RateLimited,
                format!("too many requests; try again{when}, log in, or use --cache"),
            )
        }
        408 | 500..=599 => (
            ErrorKind::Server,
            "the registry failed; try again later".to_owned(),
        ),
        _ => (
            ErrorKind::Protocol,
            "check that this is an image registry".to_owned(),
        ),
    };
    Error::new(kind, message)
        .with_status(status)
        .with_help(help)
}
