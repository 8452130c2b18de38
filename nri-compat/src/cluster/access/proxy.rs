//! The proxy that the environment names for an API server.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Uri;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};

use crate::cluster::error::{ClusterError, ClusterErrorKind};

/// The scheme of SOCKS proxies that resolve names, as all of them do here and in kubectl.
const SOCKS_WITH_NAMES: &str = "socks5h";

/// The schemes of proxies that the client can use.
const SCHEMES: [&str; 2] = ["http", "socks5"];

/// Returns the proxy of `HTTPS_PROXY`, `HTTP_PROXY` or `ALL_PROXY` for this server, with its user
/// and password. Like Go, uses no proxy for this machine, and none for the hosts in `NO_PROXY`.
pub(super) fn of_environment(server: &Uri) -> Option<Uri> {
    if server.host().is_some_and(is_this_machine) {
        return None;
    }
    Matcher::from_env().intercept(server).map(with_user)
}

/// Returns the URL of a proxy as the client expects it.
///
/// # Errors
///
/// Returns an error if the client cannot use the proxy. The message does not show the URL, which may
/// contain a password.
pub(super) fn usable(proxy: Uri) -> Result<Uri, ClusterError> {
    let scheme = proxy.scheme_str().unwrap_or_default().to_owned();
    if SCHEMES.contains(&scheme.as_str()) {
        return Ok(proxy);
    }
    let message = format!("proxies with the scheme `{scheme}` are not supported");
    let unsupported = || {
        ClusterError::new(ClusterErrorKind::Kubeconfig, message).with_help(
        "name a proxy with http:// or socks5:// in `proxy-url` of the kubeconfig or in HTTPS_PROXY, or add the API server to NO_PROXY",
    )
    };
    if scheme != SOCKS_WITH_NAMES {
        return Err(unsupported());
    }
    let mut parts = proxy.into_parts();
    parts.scheme = "socks5".parse().ok();
    Uri::from_parts(parts).map_err(|_| unsupported())
}

/// Returns true for `localhost` and loopback addresses.
fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let address = address.parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Returns the URL of a proxy with user and password in it, where the client looks for them.
fn with_user(proxy: Intercept) -> Uri {
    let uri = proxy.uri().clone();
    user(&proxy)
        .and_then(|user| {
            let authority = format!("{user}@{}", uri.authority()?);
            let builder = Uri::builder().scheme(uri.scheme_str()?);
            builder
                .authority(authority)
                .path_and_query("/")
                .build()
                .ok()
        })
        .unwrap_or(uri)
}

/// Returns `USER:PASSWORD`.
fn user(proxy: &Intercept) -> Option<String> {
    let header = proxy.basic_auth()?.to_str().ok()?;
    let user = STANDARD.decode(header.strip_prefix("Basic ")?).ok()?;
    String::from_utf8(user).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intercepted(matcher: &Matcher, server: &str) -> Option<String> {
        let server = server.parse().expect("a URL");
        let uri = matcher.intercept(&server).map(with_user);
        uri.map(|uri| uri.to_string())
    }

    #[test]
    fn a_proxy_keeps_its_user() {
        let matcher = Matcher::builder().https("http://me:secret@proxy:3128");
        let matcher = matcher.no("internal.example.org").build();
        assert_eq!(
            intercepted(&matcher, "https://api.example.org:6443").as_deref(),
            Some("http://me:secret@proxy:3128/")
        );
        assert_eq!(
            intercepted(&matcher, "https://a.internal.example.org"),
            None
        );
    }

    #[test]
    fn a_proxy_speaks_http_or_socks() {
        let usable = |proxy: &str| usable(proxy.parse().expect("a URL"));
        for (proxy, expected) in [
            ("http://proxy:3128", "http://proxy:3128/"),
            ("socks5://proxy:1080", "socks5://proxy:1080/"),
            ("socks5h://proxy:1080", "socks5://proxy:1080/"),
        ] {
            let proxy = usable(proxy).expect("a proxy");
            assert_eq!(proxy.to_string(), expected);
        }
        for proxy in [
            "https://me:secret@proxy",
            "ftp://me:secret@proxy",
            "proxy:80",
        ] {
            let error = usable(proxy).expect_err(proxy).to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn loopback_needs_no_proxy() {
        for host in ["localhost", "127.0.0.1", "127.1.2.3", "[::1]"] {
            assert!(is_this_machine(host), "{host}");
        }
        assert!(!is_this_machine("10.0.0.1"));
    }
}
