//! The client: sends a request for a manifest or blob until it is answered, with attempts,
//! credentials, redirects, and the choice between HTTPS and HTTP. Blobs are verified before they
//! are read.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use ureq::Body;
use ureq::http::{Response, Uri};

use super::Error;
use super::auth::{Refused, challenges};
use super::http::{self, Http, broken_off, header};
use super::options::RegistryOptions;
use super::reference::{Digest, Reference};
use crate::escape;
use crate::skipped::SkipKind;

/// The maximum size of a manifest in bytes; the distribution specification requires at least 4 MiB.
const MAX_MANIFEST: u64 = 4 << 20;

/// The maximum size of a blob in bytes.
const MAX_BLOB: u64 = 4 << 30;

/// The minimum speed of a blob in bytes per second.
const SLOWEST: u64 = 64 << 10;

/// The size of the pieces in which a blob is copied, in bytes.
const PIECE: usize = 64 << 10;

/// The maximum size of the body of an error in bytes.
const MAX_ERROR: u64 = 64 << 10;

/// The maximum number of redirects of one request.
const MAX_REDIRECTS: usize = 5;

/// The supported formats of manifests.
const MANIFESTS: &str = "application/vnd.oci.image.index.v1+json, \
    application/vnd.oci.image.manifest.v1+json, \
    application/vnd.docker.distribution.manifest.list.v2+json, \
    application/vnd.docker.distribution.manifest.v2+json";

/// A client for any number of registries. Connections and tokens are reused.
pub struct Client {
    http: Http,
    /// The values of `Authorization` headers that were sent last, by host and repository.
    headers: Mutex<HashMap<(String, String), String>>,
    /// True if an insecure host uses TLS.
    protocols: Mutex<HashMap<String, bool>>,
}

/// A request to a registry.
struct RegistryRequest<'w> {
    image: &'w Reference,
    /// The path after the name of the repository: `manifests/latest`.
    path: String,
    /// The formats that are understood.
    accept: &'static str,
    timeout: Duration,
}

impl Client {
    /// Creates a client.
    pub fn new(options: RegistryOptions) -> Self {
        Self { http: Http::new(options), headers: Mutex::default(), protocols: Mutex::default() }
    }

    /// Fetches the manifest or index of an image.
    ///
    /// # Errors
    ///
    /// Returns an error if the registry does not have it, or if its content does not match its
    /// digest.
    pub fn manifest(&self, image: &Reference) -> Result<Vec<u8>, Error> {
        let digest = image.digest.as_ref();
        let selector = digest.map_or_else(|| image.tag().to_owned(), Digest::to_string);
        let wanted = RegistryRequest {
            image,
            path: format!("manifests/{selector}"),
            accept: MANIFESTS,
            timeout: self.http.limits.total,
        };
        self.fetch(&wanted, |answer| read_manifest(image.host(), answer, digest))
    }

    /// Fetches a blob of this size to an unnamed file, which is deleted when it is closed. It is
    /// read from its start.
    ///
    /// # Errors
    ///
    /// Returns an error if the registry does not have it, if it is too large, or if its size or its
    /// content are not those that were asked for.
    pub fn blob(&self, image: &Reference, digest: &Digest, size: u64) -> Result<File, Error> {
        if size > MAX_BLOB {
            let message = format!("{digest} is larger than {} GiB", MAX_BLOB >> 30);
            return Err(Error::new(SkipKind::TooLarge, message));
        }
        let wanted = RegistryRequest {
            image,
            path: format!("blobs/{digest}"),
            accept: "*/*",
            timeout: self.http.limits.total + Duration::from_secs(size / SLOWEST),
        };
        self.fetch(&wanted, |answer| stored(image.host(), answer, digest, size))
    }

    /// Sends a request, and repeats it if it may succeed later. `read` returns the result from the
    /// answer.
    fn fetch<T>(
        &self,
        wanted: &RegistryRequest<'_>,
        read: impl Fn(Response<Body>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let limits = &self.http.limits;
        let (mut attempts, mut usual) = (1, limits.pause);
        loop {
            let error = match self.attempt(wanted).and_then(&read) {
                Ok(found) => return Ok(found),
                Err(error) => error,
            };
            let pause = error.retry_after.map(|asked| asked.max(usual));
            match pause.filter(|pause| *pause <= limits.longest_pause) {
                Some(pause) if attempts < limits.attempts => thread::sleep(pause),
                Some(_) | None => return Err(error),
            }
            attempts += 1;
            usual = (usual * 2).min(limits.longest_pause);
        }
    }

    /// Sends a request once, with credentials if the server requires them.
    fn attempt(&self, wanted: &RegistryRequest<'_>) -> Result<Response<Body>, Error> {
        let (host, repository) = (wanted.image.host(), wanted.image.repository());
        let url = self.url(host, &format!("/v2/{repository}/{}", wanted.path))?;
        let key = (host.to_owned(), repository.to_owned());
        let known = lock(&self.headers).get(&key).cloned();
        let answer = self.follow(&url, wanted, known.as_deref())?;
        if answer.status().as_u16() != 401 {
            return checked(wanted.image, answer);
        }
        let refused = Refused { http: &self.http, image: wanted.image, url: &url };
        let asked = answer
            .headers()
            .get_all("www-authenticate")
            .iter()
            .filter_map(|header| header.to_str().ok());
        let new = refused.answer(&asked.flat_map(challenges).collect::<Vec<_>>())?;
        lock(&self.headers).insert(key, new.clone());
        checked(wanted.image, self.follow(&url, wanted, Some(&new))?)
    }

    /// Sends a request and follows redirects. Credentials are not sent to other servers.
    fn follow(
        &self,
        start: &Uri,
        wanted: &RegistryRequest<'_>,
        authorization: Option<&str>,
    ) -> Result<Response<Body>, Error> {
        let broken = |why: &str| {
            let message = format!("{} {why}", http::host_of(start));
            Err(Error::new(SkipKind::Broken, message))
        };
        let mut url = start.clone();
        for _ in 0..=MAX_REDIRECTS {
            let is_same = url.scheme() == start.scheme() && url.authority() == start.authority();
            let authorization = authorization.filter(|_| is_same);
            let answer = self.http.get(&url, wanted.accept, authorization, wanted.timeout)?;
            if !matches!(answer.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
                return Ok(answer);
            }
            match http::redirected(&url, header(&answer, "location")) {
                Some(next) => url = next,
                None => return broken("redirects to an invalid URL"),
            }
        }
        broken("redirects too often")
    }

    /// Returns the URL of a path at a host.
    fn url(&self, host: &str, path: &str) -> Result<Uri, Error> {
        let scheme = if self.uses_tls(host) { "https" } else { "http" };
        http::parse_url(&format!("{scheme}://{host}{path}")).ok_or_else(|| {
            let message = format!("{host} is not a host with a port");
            Error::new(SkipKind::Io, message).with_help("check the reference")
        })
    }

    /// Returns true if a host is accessed over TLS. Hosts that the user declares insecure are tried
    /// with plain HTTP first: a server that expects TLS answers that at once, but not vice versa.
    fn uses_tls(&self, host: &str) -> bool {
        if !self.http.is_insecure(host) {
            return true;
        }
        let ping = |scheme: &str| {
            let url = http::parse_url(&format!("{scheme}://{host}/v2/"))?;
            let limit = self.http.limits.connect;
            self.http.get(&url, "*/*", None, limit).ok()
        };
        let is_plain = |answer: Response<Body>| {
            answer.status().as_u16() != 400 && !header(&answer, "location").starts_with("https:")
        };
        if let Some(known) = lock(&self.protocols).get(host) {
            return *known;
        }
        let found = if ping("http").is_some_and(is_plain) {
            Some(false)
        } else {
            ping("https").map(|_| true)
        };
        // A host that does not answer now may answer the next attempt.
        if let Some(uses_tls) = found {
            lock(&self.protocols).insert(host.to_owned(), uses_tls);
        }
        found.unwrap_or_default()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read_manifest(
    host: &str,
    answer: Response<Body>,
    expected: Option<&Digest>,
) -> Result<Vec<u8>, Error> {
    let kind = escape::short(header(&answer, "content-type"));
    let stated = Digest::parse(header(&answer, "docker-content-digest"));
    let bytes = http::small(host, answer, MAX_MANIFEST)?;
    let mut hasher = Digest::hasher();
    hasher.update(&bytes);
    let expected = expected.or(stated.as_ref());
    if expected.is_some_and(|digest| !digest.is_of(hasher)) {
        let message = format!("{host} sent a manifest that does not match its digest");
        return Err(Error::new(SkipKind::Broken, message).with_help("do not trust this registry"));
    }
    if !serde_json::from_slice::<Value>(&bytes).is_ok_and(|value| value.is_object()) {
        let message = format!("{host} sent `{kind}` instead of a manifest");
        return Err(Error::new(SkipKind::Broken, message).with_help("check the host and the port"));
    }
    Ok(bytes)
}

/// Returns an answer that has what was asked for.
///
/// # Errors
///
/// Returns an error with a remedy if the request was refused.
fn checked(image: &Reference, answer: Response<Body>) -> Result<Response<Body>, Error> {
    let status = answer.status().as_u16();
    if status == 200 {
        return Ok(answer);
    }
    // Some servers state a date, for which the usual pause has to do.
    let pause = header(&answer, "retry-after").trim().parse().ok().map(Duration::from_secs);
    let body = http::small(image.host(), answer, MAX_ERROR).unwrap_or_default();
    let said = server_message(&body);
    let message = format!("{} answered {status}{said}", image.host());
    Err(http::of_status(status, message, pause).with_help(help(image, status, pause)))
}

/// Returns the code and the message in the body of an error, in parentheses.
fn server_message(body: &[u8]) -> String {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let text = |key: &str| body["errors"][0][key].as_str().unwrap_or_default();
    let both = format!("{}: {}", text("code"), text("message"));
    match escape::short(both.trim_matches([':', ' '])) {
        none if none.is_empty() => none,
        some => format!(" ({some})"),
    }
}

/// Returns the next step after a refused request.
fn help(image: &Reference, status: u16, pause: Option<Duration>) -> String {
    let registry = image.registry();
    let login = format!("log in with `docker login {registry}` if it is private");
    match (status, pause) {
        (401, _) => {
            format!("the credentials are not sufficient, or the repository does not exist; {login}")
        }
        (403, _) => format!("the account is not allowed to pull it; {login}"),
        (404, _) => format!("check repository, tag and digest; {login}"),
        (429, None) => "too many requests; try again, or log in".to_owned(),
        (429, Some(pause)) => {
            format!("too many requests; try again in {} s, or log in", pause.as_secs())
        }
        (408 | 500..=599, _) => "the registry failed; try again later".to_owned(),
        _ => "check that this is an image registry".to_owned(),
    }
}

/// Copies an answer to a file, and verifies it.
fn stored(host: &str, answer: Response<Body>, digest: &Digest, size: u64) -> Result<File, Error> {
    let wrong = |why: String| {
        let message = format!("{host} sent a wrong {digest}: {why}");
        Err(Error::new(SkipKind::Broken, message).with_help("do not trust this registry"))
    };
    if let Some(length) = answer.body().content_length().filter(|length| *length != size) {
        return wrong(format!("it has {length} bytes instead of {size}"));
    }
    let mut file = tempfile::tempfile().map_err(|error| unwritable(&error))?;
    let (mut hasher, mut piece, mut copied) = (Digest::hasher(), vec![0; PIECE], 0);
    // One byte more shows that there is more.
    let mut body = answer.into_body().into_reader().take(size + 1);
    loop {
        let length = body.read(&mut piece).map_err(|error| broken_off(host, &error))?;
        let (read, _) = piece.split_at(length);
        if read.is_empty() {
            break;
        }
        hasher.update(read);
        file.write_all(read).map_err(|error| unwritable(&error))?;
        copied += read.len() as u64;
    }
    if copied < size {
        let message = format!("{host} closed the connection after {copied} of {size} bytes");
        return Err(http::temporary(message).with_help("try again later"));
    }
    if copied > size {
        return wrong(format!("it has more than {size} bytes"));
    }
    if !digest.is_of(hasher) {
        return wrong("its content differs".to_owned());
    }
    file.rewind().map_err(|error| unwritable(&error))?;
    Ok(file)
}

fn unwritable(error: &io::Error) -> Error {
    let message = format!("cannot be copied to a temporary file: {error}");
    Error::new(SkipKind::Io, message).with_help("set TMPDIR to a folder with enough space")
}
