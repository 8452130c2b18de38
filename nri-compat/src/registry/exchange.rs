//! A request and its answer, with explanations of connection errors.

use std::io::Read as _;
use std::time::Duration;

use ureq::Body;
use ureq::http::{Request, Response};

use super::agents::Agents;
use super::error::{Error, ErrorKind};
use super::location::Location;

/// A request to a registry or token server.
pub(super) struct Call<'c> {
    pub(super) url: &'c Location,
    pub(super) headers: &'c [(&'static str, String)],
    /// The time limit, from the connection to the last byte of the answer.
    pub(super) timeout: Duration,
}

/// Sends a GET request. Redirects are not followed.
pub(super) fn get(agents: &Agents, call: &Call<'_>) -> Result<Response<Body>, Error> {
    send(agents, call, "GET", ())
}

/// Sends a form.
pub(super) fn post(agents: &Agents, call: &Call<'_>, form: &str) -> Result<Response<Body>, Error> {
    send(agents, call, "POST", form)
}

fn send(
    agents: &Agents,
    call: &Call<'_>,
    method: &str,
    body: impl ureq::AsSendBody,
) -> Result<Response<Body>, Error> {
    let agent = agents.agent(call.url)?;
    let mut request = Request::builder().method(method).uri(call.url.to_string());
    for (name, value) in call.headers {
        request = request.header(*name, value);
    }
    let request = request.body(body).map_err(|_| {
        let message = format!("{} is not a valid URL", call.url.host);
        Error::new(ErrorKind::Protocol, message)
    })?;
    let request = agent
        .configure_request(request)
        .timeout_global(Some(call.timeout))
        .build();
    agent.run(request).map_err(|error| {
        let proxy = agents.proxy(call.url).ok().flatten();
        let proxy = proxy.map(|found| found.shown());
        explained(&call.url.host, proxy.as_deref(), &error)
    })
}

/// Reads a small answer.
pub(super) fn small(host: &str, answer: Response<Body>, most: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let reader = answer.into_body().into_reader();
    let read = reader.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|error| broken_off(host, &error))?;
    if bytes.len() as u64 > most {
        let message = format!("{host} sent an answer larger than {} KiB", most >> 10);
        return Err(Error::new(ErrorKind::TooLarge, message));
    }
    Ok(bytes)
}

/// Returns the value of a header; empty if it is missing or not text.
pub(super) fn header<'r>(answer: &'r Response<Body>, name: &str) -> &'r str {
    let value = answer.headers().get(name);
    value
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

/// Explains an error while an answer is read.
pub(super) fn broken_off(host: &str, error: &std::io::Error) -> Error {
    let inner = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<ureq::Error>());
    match inner {
        Some(inner) => explained(host, None, inner),
        None => unreachable(host, None, &error.to_string()),
    }
}

/// Returns the error for a step that took too long. A server that does not speak TLS may treat the
/// handshake as an incomplete request and wait for the rest.
fn too_slow(host: &str) -> Error {
    let message = format!("{host} took too long to answer");
    Error::new(ErrorKind::Timeout, message).with_help(format!(
        "check the network, try again later, or use --insecure {host} if it serves plain HTTP"
    ))
}

/// Explains an error of a connection to a host, which may have gone through a proxy.
fn explained(host: &str, proxy: Option<&str>, error: &ureq::Error) -> Error {
    let inner = match error {
        ureq::Error::Io(error) => error.get_ref().and_then(|inner| inner.downcast_ref()),
        _ => None,
    };
    match (error, inner) {
        (ureq::Error::Timeout(_), _) => too_slow(host),
        (ureq::Error::Rustls(error), _) | (_, Some(error)) => handshake(host, error),
        (ureq::Error::Tls(why), _) => tls(host, why),
        (ureq::Error::Pem(error), _) => tls(host, &error.to_string()),
        (ureq::Error::HostNotFound, _) => unreachable(host, proxy, "unknown host name"),
        (ureq::Error::ConnectProxyFailed(why), _) => refused_by_proxy(host, proxy, why),
        (
            ureq::Error::Io(_)
            | ureq::Error::ConnectionFailed
            | ureq::Error::Protocol(_)
            | ureq::Error::BodyStalled,
            _,
        ) => unreachable(host, proxy, &error.to_string()),
        (other, _) => {
            let shown = crate::escape::short(&other.to_string());
            Error::new(ErrorKind::Protocol, format!("{host}: {shown}"))
        }
    }
}

/// Returns the error for a proxy that does not connect to a host. The library states the status as
/// the last word: `proxy server responded 407/407`.
fn refused_by_proxy(host: &str, proxy: Option<&str>, why: &str) -> Error {
    let proxy = proxy.unwrap_or("the proxy");
    let status = why
        .rsplit(['/', ' '])
        .next()
        .and_then(|word| word.parse().ok());
    let Some(status) = status else {
        return unreachable(host, Some(proxy), why);
    };
    let message = format!("cannot reach {host}: {proxy} answered {status}");
    let help = if status == 407 {
        "add the user and the password to its URL".to_owned()
    } else {
        format!("allow {host} in the proxy, or exempt it with NO_PROXY")
    };
    let kind = match status {
        500..=599 => ErrorKind::Unreachable,
        _ => ErrorKind::Denied,
    };
    Error::new(kind, message)
        .with_status(status)
        .with_help(help)
}

/// Returns the error for a failed TLS handshake.
fn handshake(host: &str, error: &rustls::Error) -> Error {
    if let rustls::Error::InvalidMessage(_) = error {
        return Error::new(ErrorKind::Tls, format!("{host} does not answer with TLS"))
            .with_help(format!("use --insecure {host} if it serves plain HTTP"));
    }
    tls(host, &error.to_string())
}

fn tls(host: &str, why: &str) -> Error {
    let message = format!("cannot verify {host}: {}", crate::escape::short(why));
    Error::new(ErrorKind::Tls, message).with_help(format!(
        "name its certificate authority with SSL_CERT_FILE, or use --insecure {host}"
    ))
}

fn unreachable(host: &str, proxy: Option<&str>, why: &str) -> Error {
    let through = proxy.map_or_else(String::new, |proxy| format!(" through {proxy}"));
    let message = format!(
        "cannot reach {host}{through}: {}",
        crate::escape::short(why)
    );
    let help = if proxy.is_some() {
        format!("check the proxy, or exempt {host} with NO_PROXY")
    } else {
        format!(
            "check the name and the network (HTTPS_PROXY names a proxy), or use --insecure {host} if it serves plain HTTP"
        )
    };
    Error::new(ErrorKind::Unreachable, message).with_help(help)
}
