//! The proxy of the environment for a server.

use std::net::IpAddr;

use hyper_util::client::proxy::matcher::Matcher;
use ureq::Proxy;
use ureq::http::Uri;
use ureq::http::uri::Scheme;

use super::error::Error;
use super::options::Environment;
use crate::skipped::SkipKind;

/// Returns the proxy for a server; `None` if it is reached directly.
///
/// # Errors
///
/// Returns an error if a variable is not the URL of a proxy.
pub(super) fn proxy_for(server: &Uri, environment: &Environment) -> Result<Option<Proxy>, Error> {
    let is_https = server.scheme() == Some(&Scheme::HTTPS);
    let own = if is_https {
        "HTTPS_PROXY"
    } else {
        "HTTP_PROXY"
    };
    let set = [own, "ALL_PROXY"].into_iter();
    let mut set = set.filter_map(|name| Some((name, environment.of_any_case(name)?)));
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
