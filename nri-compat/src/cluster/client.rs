//! A client that reads lists page by page, within limits of time and size. `kube` sends the
//! credentials, renews them, and repeats a request that a busy server refuses.

use std::error::Error;
use std::time::Duration;

use http::StatusCode;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use kube::client::{AuthError, Body};
use kube::core::Status;
use kube::core::params::ListParams;
use sha2::{Digest as _, Sha256};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::ClusterOptions;
use super::access::Access;
use super::error::{ClusterError, excerpt};
use super::inventory::Inventory;
use super::resources::{Resource, VERB};
use crate::report::check::ClusterView;
use crate::skipped::SkipKind;

/// The maximum size of an answer in bytes.
const MAX_ANSWER: usize = 64 << 20;

/// The number of objects that are requested per page, as by `kubectl`.
const PAGE_OBJECTS: u32 = 500;

/// The maximum number of pages of a list, which is enough for half a million objects.
const MAX_PAGES: u32 = 1000;

/// A client of an API server.
pub(super) struct ApiClient {
    kube: kube::Client,
    /// The cluster, without its contents.
    pub(super) view: ClusterView,
    timeout: Duration,
}

impl ApiClient {
    /// Creates a client, for which a credential plugin of the kubeconfig may run.
    ///
    /// # Errors
    ///
    /// Returns an error if certificates, credentials or the proxy cannot be used, or if the plugin
    /// does not end in time.
    pub(super) async fn new(
        access: Access,
        options: &ClusterOptions,
    ) -> Result<Self, ClusterError> {
        let Access { name, config } = access;
        let limit = options.request_timeout;
        let server = config.cluster_url.to_string();
        let id = config.root_cert.as_deref().filter(|all| !all.is_empty()).map(identity);
        // A plugin blocks its thread.
        let connecting = spawn_blocking(|| kube::Client::try_from(config));
        let Ok(Ok(connected)) = timeout(limit, connecting).await else {
            return Err(ClusterError::unusable(format!(
                "the credential plugin of the context `{name}` did not end within {limit:?}"
            ))
            .with_help(
                "log in first if it asks for something, or allow more time with --request-timeout",
            ));
        };
        Ok(Self {
            kube: connected.map_err(|error| unusable(&name, error))?,
            view: ClusterView {
                server: server.trim_end_matches('/').to_owned(),
                name,
                id,
                namespace: options.namespace.clone(),
                ..ClusterView::default()
            },
            timeout: limit,
        })
    }

    /// Adds the objects of a list to `inventory`: all, or those before an error.
    ///
    /// # Errors
    ///
    /// Returns an error if the server cannot be reached, refuses, answers too slowly, sends more
    /// than the limit, or sends something else.
    pub(super) async fn list(
        &self,
        resource: &Resource,
        inventory: &mut Inventory,
    ) -> Result<(), ClusterError> {
        let mut page = ListParams::default().limit(PAGE_OBJECTS);
        for _ in 0..MAX_PAGES {
            let path = resource.path(self.view.namespace.as_deref());
            let request = kube::core::Request::new(path).list(&page);
            let body = self.request(VERB, resource, request).await?;
            let next = inventory.add_page(resource, &body);
            page.continue_token = next.map_err(|error| self.not_a_list(resource, error))?;
            if page.continue_token.is_none() {
                return Ok(());
            }
        }
        let name = resource.name();
        let message = format!("the list of {name} has no end after {MAX_PAGES} pages");
        Err(ClusterError::new(SkipKind::Limit, message))
    }

    /// Sends a request about objects of a resource, and returns the body of a successful answer;
    /// `verb` is the permission that it needs.
    ///
    /// # Errors
    ///
    /// As [`ApiClient::list`].
    pub(super) async fn request(
        &self,
        verb: &str,
        resource: &Resource,
        request: Result<http::Request<Vec<u8>>, kube::core::request::Error>,
    ) -> Result<Vec<u8>, ClusterError> {
        let request = request.map_err(|error| self.broken(resource, error))?;
        let answer = timeout(self.timeout, self.answer(resource, request)).await;
        let (status, body) = answer.map_err(|_| self.too_slow(resource))??;
        if status.is_success() {
            return Ok(body);
        }
        Err(self.refused(verb, resource, status, &body))
    }

    async fn answer(
        &self,
        resource: &Resource,
        request: http::Request<Vec<u8>>,
    ) -> Result<(StatusCode, Vec<u8>), ClusterError> {
        let response =
            self.kube.send(request.map(Body::from)).await.map_err(|error| match error {
                kube::Error::Service(cause) => self.broken(resource, cause),
                error => self.broken(resource, error),
            })?;
        let status = response.status();
        let body = Limited::new(response.into_body(), MAX_ANSWER);
        match body.collect().await {
            Ok(body) => Ok((status, body.to_bytes().into())),
            Err(error) if error.is::<LengthLimitError>() => {
                let (name, limit) = (resource.name(), MAX_ANSWER >> 20);
                let message = format!("a page of {name} is larger than {limit} MiB");
                Err(ClusterError::new(SkipKind::Limit, message))
            }
            Err(error) => Err(self.broken(resource, error)),
        }
    }

    pub(super) fn not_a_list(&self, resource: &Resource, error: serde_json::Error) -> ClusterError {
        let (server, name) = (&self.view.server, resource.name());
        let message = format!("{server} answers the request for {name} with something else");
        ClusterError::new(SkipKind::Broken, message).caused_by(error).with_help(IS_API_SERVER)
    }

    fn too_slow(&self, resource: &Resource) -> ClusterError {
        let message = format!(
            "{} did not answer the request for {} within {:?}",
            self.view.server,
            resource.name(),
            self.timeout
        );
        ClusterError::unusable(message).with_help("allow more time with --request-timeout")
    }

    /// Returns the error for a server that cannot be reached, or a connection that broke.
    fn broken(
        &self,
        resource: &Resource,
        cause: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> ClusterError {
        let message = format!("cannot read {} from {}", resource.name(), self.view.server);
        ClusterError::unusable(message)
            .caused_by(cause)
            .with_help(format!(
                "check the address, the certificates (`certificate-authority`, `tls-server-name`, `client-certificate`) and the proxy of the context `{}`",
                self.view.name
            ))
    }

    /// Returns the error for a status other than success.
    fn refused(
        &self,
        verb: &str,
        resource: &Resource,
        status: StatusCode,
        body: &[u8],
    ) -> ClusterError {
        let ClusterView { server, name, .. } = &self.view;
        let namespace = self.view.namespace.as_ref();
        let scope = match namespace.filter(|_| resource.is_namespaced) {
            Some(namespace) => format!("in the namespace {namespace}"),
            None => "in the whole cluster".to_owned(),
        };
        let list = format!("{} {scope}", resource.name());
        let code = status.as_u16();
        let answered = format!("{server} answers the request for {list} with status {code}");
        let (kind, message, help) = match code {
            401 => (
                SkipKind::Permission,
                format!("{server} does not accept the credentials of the context `{name}`"),
                Some("log in again; `kubectl auth whoami` shows what kubectl uses"),
            ),
            403 => (
                SkipKind::Permission,
                format!("not permitted to {verb} {list}"),
                Some("bind the ClusterRole in deploy/kubernetes/cluster-reader.yaml"),
            ),
            404 => {
                (SkipKind::NotFound, format!("{server} does not have {list}"), Some(IS_API_SERVER))
            }
            410 => (SkipKind::Changed, answered, Some(EXPIRED)),
            300..=399 => (SkipKind::Io, answered, Some(REDIRECTED)),
            _ => (SkipKind::Io, answered, None),
        };
        let explained = serde_json::from_slice::<Status>(body).unwrap_or_default();
        let detail = excerpt(&explained.message);
        let colon = if detail.is_empty() { "" } else { ": " };
        ClusterError {
            help: help.map(str::to_owned),
            is_final: status == StatusCode::UNAUTHORIZED,
            ..ClusterError::new(kind, format!("{message}{colon}{detail}"))
        }
    }
}

/// The remedy for a list of which the server no longer has all pages.
const EXPIRED: &str = "the list expired while it was read: run the command again";

/// The remedy for a server that redirects requests.
const REDIRECTED: &str = "set the address of the API server itself in the kubeconfig; redirects are not followed, because they would receive the credentials";

/// The remedy for a server that is something else.
const IS_API_SERVER: &str =
    "check that the address of the context is that of a Kubernetes API server";

/// Returns the error for a client that cannot be created. Its message shows neither the URL of a
/// proxy nor the output of a credential plugin, which may contain secrets.
fn unusable(context: &str, error: kube::Error) -> ClusterError {
    let cause = match error {
        kube::Error::ProxyProtocolUnsupported { proxy_url } => {
            let scheme = proxy_url.scheme_str().unwrap_or_default();
            format!(
                "proxies with the scheme `{scheme}` are not supported, only `http` and `socks5`"
            )
            .into()
        }
        kube::Error::Auth(AuthError::AuthExecRun { status, out, .. }) => {
            let output = excerpt(&String::from_utf8_lossy(&out.stderr));
            format!("its credential plugin failed with {status}: {output}").into()
        }
        kube::Error::Auth(error) => Box::<dyn Error + Send + Sync>::from(error),
        error => error.into(),
    };
    ClusterError::unusable(format!("cannot use the context `{context}`"))
        .caused_by(cause)
        .with_help(format!("see whether kubectl can use it: kubectl --context {context} get nodes"))
}

/// Returns the SHA-256 of certificates, in hexadecimal.
fn identity(certificates: &[Vec<u8>]) -> String {
    let mut hash = Sha256::new();
    certificates.iter().for_each(|bytes| hash.update(bytes));
    let bytes = hash.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
