//! Requests over HTTP, through the proxies of the environment, and explanations of the errors of
//! connections.

use std::io::Read as _;
use std::net::IpAddr;
use std::sync::OnceLock;
use std::time::Duration;

use hyper_util::client::proxy::matcher::Matcher;
use rustls_native_certs::{load_certs_from_paths, load_native_certs};
use ureq::http::uri::{Authority, Scheme};
use ureq::http::{self, Request, Response, Uri};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, AsSendBody, Body, Proxy};

use super::Error;
use super::options::{Environment, Limits, RegistryOptions};
use crate::escape;
use crate::skipped::SkipKind;

/// A client of any number of servers, each with its proxy and its authorities.
pub(super) struct Http {
    agent: Agent,
    insecure: Vec<String>,
    pub(super) limits: Limits,
    pub(super) environment: Environment,
    /// The authorities of certificates, once they were needed.
    authorities: OnceLock<Result<RootCerts, Error>>,
}

impl Http {
    pub(super) fn new(options: RegistryOptions) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(options.limits.connect))
            .timeout_per_read(Some(options.limits.idle))
            .timeout_per_write(Some(options.limits.idle))
            .input_buffer_size(256 << 10)
            .user_agent(concat!("nri-compat/", env!("CARGO_PKG_VERSION")));
        Self {
            agent: config.build().into(),
            insecure: options.insecure,
            limits: options.limits,
            environment: options.environment,
            authorities: OnceLock::new(),
        }
    }

    /// Returns true if the user accepts unverified connections to this host.
    pub(super) fn is_insecure(&self, host: &str) -> bool {
        let authority: Option<Authority> = host.parse().ok();
        let names = [host, authority.as_ref().map_or(host, Authority::host)];
        self.insecure.iter().any(|named| names.iter().any(|name| named.eq_ignore_ascii_case(name)))
    }

    /// Sends a GET request. Redirects are not followed. The limit is for the time from the
    /// connection to the last byte of the answer.
    pub(super) fn get(
        &self,
        url: &Uri,
        accept: &str,
        authorization: Option<&str>,
        limit: Duration,
    ) -> Result<Response<Body>, Error> {
        let mut request = Request::get(url).header("accept", accept);
        if let Some(authorization) = authorization {
            request = request.header("authorization", authorization);
        }
        self.send(url, request.body(()), limit)
    }

    /// Sends a form.
    pub(super) fn post(
        &self,
        url: &Uri,
        form: String,
        limit: Duration,
    ) -> Result<Response<Body>, Error> {
        let kind = "application/x-www-form-urlencoded";
        let request = Request::post(url).header("content-type", kind).body(form);
        self.send(url, request, limit)
    }

    fn send(
        &self,
        url: &Uri,
        request: http::Result<Request<impl AsSendBody>>,
        limit: Duration,
    ) -> Result<Response<Body>, Error> {
        let host = host_of(url);
        let proxy = proxy_for(url, &self.environment)?;
        let request = request
            .map_err(|error| Error::new(SkipKind::Broken, format!("cannot ask {host}: {error}")))?;
        let configured = self
            .agent
            .configure_request(request)
            .tls_config(self.tls(url)?)
            .proxy(proxy.clone())
            .timeout_global(Some(limit))
            .build();
        let answer = self.agent.run(configured);
        answer.map_err(|error| explained(host, proxy.as_ref(), &error))
    }

    /// Returns how to verify a server.
    ///
    /// # Errors
    ///
    /// Returns an error if the connection would not be secure, or no authority is known.
    fn tls(&self, url: &Uri) -> Result<TlsConfig, Error> {
        let host = host_of(url);
        let config = TlsConfig::builder();
        if self.is_insecure(host) {
            return Ok(config.disable_verification(true).build());
        }
        if url.scheme() != Some(&Scheme::HTTPS) {
            let help = format!("use --insecure {host} if you trust the network");
            let message = format!("{host} is not encrypted");
            return Err(Error::new(SkipKind::Io, message).with_help(help));
        }
        let authorities = self.authorities.get_or_init(|| authorities(&self.environment));
        Ok(config.root_certs(authorities.clone()?).build())
    }
}

/// Returns the proxy for a server; `None` if it is reached directly.
///
/// # Errors
///
/// Returns an error if a variable is not the URL of a proxy.
fn proxy_for(server: &Uri, environment: &Environment) -> Result<Option<Proxy>, Error> {
    let names = match server.scheme_str() {
        Some("https") => ["HTTPS_PROXY", "ALL_PROXY"],
        Some(_) | None => ["HTTP_PROXY", "ALL_PROXY"],
    };
    let mut set = names.into_iter().filter_map(|name| Some((name, environment.of_any_case(name)?)));
    let Some((name, value)) = set.next().filter(|_| !is_exempt(server, environment)) else {
        return Ok(None);
    };
    Proxy::new(&value).map(Some).map_err(|_| {
        // The value may contain a password.
        let message = format!("{name} is not the URL of a proxy");
        Error::new(SkipKind::Io, message).with_help("write http://HOST:PORT")
    })
}

/// Returns true if a server is reached without a proxy: it is this machine, or `NO_PROXY` lists it.
fn is_exempt(server: &Uri, environment: &Environment) -> bool {
    let host = server.host().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    let is_this_machine = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
    let exempt = environment.of_any_case("NO_PROXY").unwrap_or_default();
    let matcher = Matcher::builder().all("http://proxy").no(exempt).build();
    is_this_machine || matcher.intercept(server).is_none()
}

/// Returns the authorities that are trusted: those of `SSL_CERT_FILE` and `SSL_CERT_DIR`, or those
/// of the system if neither is set.
fn authorities(environment: &Environment) -> Result<RootCerts, Error> {
    let [file, folder] = ["SSL_CERT_FILE", "SSL_CERT_DIR"].map(|name| environment.path(name));
    let loaded = if file.is_none() && folder.is_none() {
        load_native_certs()
    } else {
        load_certs_from_paths(file.as_deref(), folder.as_deref())
    };
    if loaded.certs.is_empty() {
        let reason = loaded.errors.first().map(|error| format!(": {error}"));
        let why = escape::short(&reason.unwrap_or_default());
        let message = format!("no certificate authority is known{why}");
        return Err(Error::new(SkipKind::Io, message)
            .with_help("name a file of certificates in PEM format with SSL_CERT_FILE"));
    }
    let certs = loaded.certs.iter().map(|der| Certificate::from_der(der).to_owned());
    Ok(certs.collect::<Vec<_>>().into())
}

/// Returns the host of a URL, with its port if one is given.
pub(super) fn host_of(url: &Uri) -> &str {
    url.authority().map_or("", |authority| authority.as_str())
}

/// Parses the URL of a server: `http` or `https` with a host, without a user.
pub(super) fn parse_url(text: &str) -> Option<Uri> {
    let url: Uri = text.parse().ok()?;
    let is_web = [Some("http"), Some("https")].contains(&url.scheme_str());
    (is_web && !host_of(&url).contains('@')).then_some(url)
}

/// Returns the target of a `Location` header, which is a URL or a path at the same server.
pub(super) fn redirected(from: &Uri, location: &str) -> Option<Uri> {
    if !location.starts_with('/') {
        return parse_url(location);
    }
    let mut parts = from.clone().into_parts();
    parts.path_and_query = Some(location.parse().ok()?);
    Uri::from_parts(parts).ok()
}

/// Reads an answer of at most `most` bytes.
pub(super) fn small(host: &str, answer: Response<Body>, most: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let reader = answer.into_body().into_reader();
    let read = reader.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|error| broken_off(host, &error))?;
    if bytes.len() as u64 > most {
        let message = format!("{host} sent an answer larger than {} KiB", most >> 10);
        return Err(Error::new(SkipKind::TooLarge, message));
    }
    Ok(bytes)
}

/// Returns the value of a header; empty if it is missing or not text.
pub(super) fn header<'r>(answer: &'r Response<Body>, name: &str) -> &'r str {
    let value = answer.headers().get(name);
    value.map_or("", |value| value.to_str().unwrap_or_default())
}

/// Returns an error after which the same request may succeed.
pub(super) fn temporary(message: impl Into<String>) -> Error {
    Error { retry_after: Some(Duration::ZERO), ..Error::new(SkipKind::Io, message) }
}

/// Returns the error for an answer with this status, whose server asks for this pause.
pub(super) fn of_status(status: u16, message: String, pause: Option<Duration>) -> Error {
    match status {
        401 | 403 => Error::new(SkipKind::Permission, message),
        404 => Error::new(SkipKind::NotFound, message),
        408 | 429 | 500..=599 => Error {
            retry_after: Some(pause.unwrap_or_default()),
            ..Error::new(SkipKind::Io, message)
        },
        _ => Error::new(SkipKind::Broken, message),
    }
}

/// Explains an error while an answer is read.
pub(super) fn broken_off(host: &str, error: &std::io::Error) -> Error {
    match error.get_ref().and_then(|inner| inner.downcast_ref()) {
        Some(inner) => explained(host, None, inner),
        None => temporary(unreachable(host, None, error)),
    }
}

/// Explains an error of a connection to a host, which may have gone through a proxy.
fn explained(host: &str, proxy: Option<&Proxy>, error: &ureq::Error) -> Error {
    use ureq::Error::{BodyStalled, ConnectionFailed, HostNotFound, Io, Protocol, Rustls, Timeout};
    let tls = match error {
        Rustls(error) => Some(error),
        Io(error) => error.get_ref().and_then(|inner| inner.downcast_ref()),
        _ => None,
    };
    let insecure = format!("use --insecure {host}");
    let failed = |message: String, help: String| Error::new(SkipKind::Io, message).with_help(help);
    match (error, tls) {
        // A server that does not speak TLS may take the handshake for an incomplete request, and
        // wait for the rest.
        (Timeout(_), _) => temporary(format!("{host} took too long to answer")).with_help(format!(
            "check the network, try again later, or {insecure} if it serves plain HTTP"
        )),
        (_, Some(rustls::Error::InvalidMessage(_))) => failed(
            format!("{host} does not answer with TLS"),
            format!("{insecure} if it serves plain HTTP"),
        ),
        (_, Some(why)) => failed(
            format!("cannot verify {host}: {}", escape::short(&why.to_string())),
            format!("name its certificate authority with SSL_CERT_FILE, or {insecure}"),
        ),
        (Io(_) | HostNotFound | ConnectionFailed | Protocol(_) | BodyStalled, None) => {
            temporary(unreachable(host, proxy, error))
        }
        (_, None) => Error::new(SkipKind::Io, unreachable(host, proxy, error)),
    }
}

/// Returns the message for a host that cannot be reached, with the next step.
fn unreachable(host: &str, proxy: Option<&Proxy>, why: &dyn std::error::Error) -> String {
    let why = escape::short(&why.to_string());
    match proxy.map(|proxy| (proxy.host(), proxy.port())) {
        Some((name, port)) => format!(
            "cannot reach {host} through the proxy {name}:{port}: {why}; check the proxy, with user and password if it demands them, or exempt {host} with NO_PROXY"
        ),
        None => format!(
            "cannot reach {host}: {why}; check the name and the network (HTTPS_PROXY names a proxy), or use --insecure {host} if it serves plain HTTP"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_are_absolute_or_at_the_same_server() {
        let here = Uri::from_static("https://r.example:5000/v2/a/blobs/x?y");
        for (location, there) in [
            ("/other?q#f", Some("https://r.example:5000/other?q")),
            ("HTTPS://cdn.example?x", Some("https://cdn.example/?x")),
            ("other", None),
            ("ftp://a/b", None),
            ("https://u:p@a/b", None),
        ] {
            let found = redirected(&here, location).map(|url| url.to_string());
            assert_eq!(found.as_deref(), there, "{location}");
        }
    }

    #[test]
    fn a_name_without_port_matches_all_ports() {
        let insecure = vec!["a.example".to_owned(), "b.example:5000".to_owned()];
        let http = Http::new(RegistryOptions { insecure, ..RegistryOptions::default() });
        for host in ["a.example", "A.example:5000", "b.example:5000"] {
            assert!(http.is_insecure(host), "{host}");
        }
        for host in "b.example b.example:5001 127.0.0.1:5000 xa.example".split(' ') {
            assert!(!http.is_insecure(host), "{host}");
        }
    }
}
