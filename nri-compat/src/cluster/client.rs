//! A client that makes one request at a time, within limits of time, size and number of attempts.

use std::error::Error;
use std::time::Duration;

use http::header::{LOCATION, RETRY_AFTER};
use http::{HeaderMap, Response, StatusCode};
use http_body_util::BodyExt as _;
use kube::client::Body;
use kube::core::Status;
use kube::core::params::ListParams;
use sha2::{Digest as _, Sha256};
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};

use super::access::Access;
use super::error::{ClusterError, ClusterErrorKind, excerpt};
use super::resources::{Resource, VERB};
use super::session::Session;

/// The number of attempts for a request whose failure may be temporary.
const ATTEMPTS: u32 = 5;

/// The pause before the second attempt; each further one is twice as long.
const PAUSE: Duration = Duration::from_millis(200);

/// The longest pause that a server may ask for.
const MAX_PAUSE: Duration = Duration::from_secs(60);

/// The maximum size of an answer in bytes.
pub(super) const MAX_ANSWER: usize = 64 << 20;

/// The maximum size of the message of an error in bytes.
const MAX_ERROR: usize = 64 << 10;

/// A client of an API server.
pub(super) struct Client {
    session: Mutex<Session>,
    /// The context, as in messages.
    pub(super) name: String,
    /// The URL of the server, as in messages.
    pub(super) server: String,
    /// The identity of the cluster, if it has its own certificate authority.
    pub(super) id: Option<String>,
    timeout: Duration,
}

/// The failure of an attempt.
enum Failure {
    /// Further attempts would fail as well.
    Final(ClusterError),
    /// Another attempt may succeed, after this pause if the server names one.
    Temporary(ClusterError, Option<Duration>),
}

impl Client {
    /// Creates a client.
    ///
    /// # Errors
    ///
    /// Returns an error if certificates, keys or the proxy cannot be used.
    pub(super) fn new(access: Access, timeout: Duration) -> Result<Self, ClusterError> {
        let server = access.config.cluster_url.to_string();
        let server = server.trim_end_matches('/').to_owned();
        let name = access.name.clone();
        let authority = access.config.root_cert.as_deref();
        Ok(Self {
            id: authority.filter(|all| !all.is_empty()).map(identity),
            session: Mutex::new(Session::new(access)?),
            name,
            server,
            timeout,
        })
    }

    /// Returns a page of a list, as JSON.
    ///
    /// # Errors
    ///
    /// Returns an error if no attempt succeeds.
    pub(super) async fn list(
        &self,
        resource: &'static Resource,
        namespace: Option<&str>,
        page: &ListParams,
    ) -> Result<Vec<u8>, ClusterError> {
        let request = Request {
            client: self,
            resource,
            namespace,
        };
        let mut kube = self.session.lock().await.client().await?;
        let (mut pause, mut attempt, mut is_renewed) = (PAUSE, 1, false);
        loop {
            match request.attempt(&kube, page).await {
                Ok(bytes) => return Ok(bytes),
                // Credentials may expire while a list is read, so the request is repeated once.
                Err(Failure::Final(error)) if error.is_rejection() && !is_renewed => {
                    is_renewed = true;
                    let other = self.session.lock().await.after_rejection().await?;
                    kube = other.ok_or(error)?;
                }
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Temporary(error, _)) if attempt == ATTEMPTS => return Err(error),
                Err(Failure::Temporary(_, wanted)) => {
                    sleep(wanted.unwrap_or(pause).min(MAX_PAUSE)).await;
                    pause *= 2;
                    attempt += 1;
                }
            }
        }
    }
}

/// A request for a list.
#[derive(Clone, Copy)]
struct Request<'c> {
    client: &'c Client,
    resource: &'static Resource,
    namespace: Option<&'c str>,
}

impl Request<'_> {
    async fn attempt(self, kube: &kube::Client, page: &ListParams) -> Result<Vec<u8>, Failure> {
        timeout(self.client.timeout, self.answer(kube, page))
            .await
            .unwrap_or_else(|_| Err(Failure::Final(self.too_slow())))
    }

    async fn answer(self, kube: &kube::Client, page: &ListParams) -> Result<Vec<u8>, Failure> {
        let path = self.resource.path(self.namespace);
        let request = kube::core::Request::new(path).list(page).map_err(|error| {
            let message = format!("cannot request {}", self.resource.name());
            Failure::Final(ClusterError::new(ClusterErrorKind::Response, message).caused_by(error))
        })?;
        let response = kube.send(request.map(Body::from)).await;
        let response = response.map_err(|error| self.broken(error))?;
        if response.status() == StatusCode::OK {
            return self.body(response).await;
        }
        Err(self.refused(response).await)
    }

    async fn body(self, response: Response<Body>) -> Result<Vec<u8>, Failure> {
        let read = read(response.into_body(), MAX_ANSWER).await;
        match read.map_err(|error| self.broken(error))? {
            Some(bytes) => Ok(bytes),
            None => Err(Failure::Final(self.too_large())),
        }
    }

    fn too_large(self) -> ClusterError {
        let message = format!(
            "a page of {} is larger than {} MiB",
            self.resource.name(),
            MAX_ANSWER >> 20
        );
        ClusterError::new(ClusterErrorKind::Limit, message)
    }

    fn too_slow(self) -> ClusterError {
        let (server, timeout) = (&self.client.server, self.client.timeout);
        let message = format!(
            "{server} did not answer the request for {} within {timeout:?}",
            self.resource.name()
        );
        ClusterError::new(ClusterErrorKind::Timeout, message)
            .with_help("allow more time with --request-timeout")
    }

    /// Returns the failure for a server that cannot be reached, or a connection that broke.
    fn broken(self, error: kube::Error) -> Failure {
        let message = format!(
            "cannot read {} from {}",
            self.resource.name(),
            self.client.server
        );
        let error =
            ClusterError::new(ClusterErrorKind::Connection, message).caused_by(cause(error));
        match certificates(&error.to_string()) {
            Some(help) => Failure::Final(error.with_help(self.in_context(help))),
            None => {
                let help = "check the address, the certificates and the proxy";
                Failure::Temporary(error.with_help(self.in_context(help)), None)
            }
        }
    }

    fn in_context(self, help: &str) -> String {
        format!("{help} of the context `{}`", self.client.name)
    }

    /// Returns the failure for a status other than success.
    async fn refused(self, response: Response<Body>) -> Failure {
        let (status, headers) = (response.status(), response.headers().clone());
        let body = read(response.into_body(), MAX_ERROR).await;
        let body = body.ok().flatten().unwrap_or_default();
        let body = serde_json::from_slice::<Status>(&body).unwrap_or_default();
        match status.as_u16() {
            300..=399 => Failure::Final(self.redirected(status, &headers)),
            401 => Failure::Final(self.unauthorized()),
            403 => Failure::Final(self.forbidden(&body.message)),
            404 => Failure::Final(self.not_found()),
            410 => Failure::Final(self.other(ClusterErrorKind::Expired, status, &body.message)),
            429 => {
                let error = self.other(ClusterErrorKind::Throttled, status, &body.message);
                Failure::Temporary(error, pause(&headers, &body))
            }
            500..=599 => {
                let error = self.other(ClusterErrorKind::Status, status, &body.message);
                Failure::Temporary(error, pause(&headers, &body))
            }
            _ => Failure::Final(self.other(ClusterErrorKind::Status, status, &body.message)),
        }
    }

    fn redirected(self, status: StatusCode, headers: &HeaderMap) -> ClusterError {
        let to = headers.get(LOCATION).and_then(|to| to.to_str().ok());
        let message = format!(
            "{} answers the request for {} with a redirect ({}) to {}",
            self.client.server,
            self.resource.name(),
            status.as_u16(),
            excerpt(to.unwrap_or("nowhere"))
        );
        ClusterError::new(ClusterErrorKind::Status, message)
            .with_help("set the address of the API server itself in the kubeconfig; redirects are not followed, because they would receive the credentials")
    }

    fn unauthorized(self) -> ClusterError {
        let (server, name) = (&self.client.server, &self.client.name);
        let message = format!("{server} does not accept the credentials of the context `{name}`");
        ClusterError::new(ClusterErrorKind::Unauthorized, message)
            .with_help("log in again; `kubectl auth whoami` shows what kubectl uses")
    }

    fn forbidden(self, detail: &str) -> ClusterError {
        let name = self.resource.name();
        let scope = match self.namespace.filter(|_| self.resource.is_namespaced) {
            Some(namespace) => format!("in the namespace {namespace}"),
            None => "in the whole cluster".to_owned(),
        };
        let message = format!("not permitted to {VERB} {name} {scope}{}", appended(detail));
        ClusterError::new(ClusterErrorKind::Forbidden, message).with_help(format!(
            "bind the ClusterRole in deploy/kubernetes/cluster-reader.yaml, which grants {VERB} on {name}"
        ))
    }

    fn not_found(self) -> ClusterError {
        let (server, name) = (&self.client.server, self.resource.name());
        let message = format!(
            "{server} does not have {name} at {}",
            self.resource.path(self.namespace)
        );
        ClusterError::new(ClusterErrorKind::NotFound, message)
            .with_help("check that the address of the context is that of a Kubernetes API server")
    }

    fn other(self, kind: ClusterErrorKind, status: StatusCode, detail: &str) -> ClusterError {
        let message = format!(
            "{} answers the request for {} with status {}{}",
            self.client.server,
            self.resource.name(),
            status.as_u16(),
            appended(detail)
        );
        ClusterError::new(kind, message)
    }
}

/// Returns the SHA-256 of certificates, in hexadecimal.
fn identity(certificates: &[Vec<u8>]) -> String {
    let mut hash = Sha256::new();
    certificates.iter().for_each(|bytes| hash.update(bytes));
    let bytes = hash.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the remedy for an error about certificates, recognised by the message of the TLS library.
fn certificates(message: &str) -> Option<&'static str> {
    let remedies = [
        (
            "not valid for name",
            "set `tls-server-name` to a name in the certificate, in the cluster",
        ),
        (
            "invalid peer certificate",
            "set `certificate-authority` to the authority of the server, in the cluster",
        ),
        (
            "CertificateRequired",
            "set `client-certificate` and `client-key` for the user",
        ),
    ];
    let mut remedies = remedies.into_iter();
    let found = remedies.find(|(words, _)| message.contains(words));
    found.map(|(_, help)| help)
}

/// Returns the cause of an error of `kube`, which itself adds only its name.
fn cause(error: kube::Error) -> Box<dyn Error + Send + Sync> {
    match error {
        kube::Error::Service(cause) => cause,
        error => error.into(),
    }
}

/// Reads a body to its end; `None` if it is longer than the limit.
async fn read(mut body: Body, limit: usize) -> Result<Option<Vec<u8>>, kube::Error> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else {
            continue;
        };
        if bytes.len() + data.len() > limit {
            return Ok(None);
        }
        bytes.extend_from_slice(&data);
    }
    Ok(Some(bytes))
}

/// Returns the pause that the server asks for, in its header or its message.
fn pause(headers: &HeaderMap, body: &Status) -> Option<Duration> {
    let header = headers
        .get(RETRY_AFTER)
        .and_then(|header| header.to_str().ok());
    let header = header.and_then(|seconds| seconds.trim().parse().ok());
    let details = body.details.as_ref();
    let in_body = || details.map(|details| u64::from(details.retry_after_seconds));
    let seconds = header.or_else(in_body);
    seconds.map(Duration::from_secs)
}

/// Returns the message of the server in the form in which it is appended to an error.
fn appended(detail: &str) -> String {
    match excerpt(detail).as_str() {
        "" => String::new(),
        detail => format!(": {detail}"),
    }
}
