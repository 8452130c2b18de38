//! The proxies in the environment, chosen in the same way as by Go's tools.

use std::net::IpAddr;

use ureq::Proxy;

use super::environment::Environment;
use super::error::{Error, ErrorKind};
use super::location::{Location, split_port};

/// A proxy, and the variable that names it.
pub(super) struct ChosenProxy {
    pub(super) proxy: Proxy,
    variable: &'static str,
}

impl ChosenProxy {
    /// Returns the host, the port and the variable, without user and password.
    pub(super) fn shown(&self) -> String {
        format!(
            "the proxy {}:{} ({})",
            self.proxy.host(),
            self.proxy.port(),
            self.variable
        )
    }
}

/// Returns the proxy for a server; `None` if it is reached directly.
///
/// # Errors
///
/// Returns an error if the variable is not the URL of a proxy.
pub(super) fn proxy_for(
    url: &Location,
    environment: &Environment,
) -> Result<Option<ChosenProxy>, Error> {
    let names = if url.is_https {
        ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]
    } else {
        ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"]
    };
    let set = |name: &str| environment.text(name);
    let Some((variable, value)) = names.into_iter().find_map(|name| Some((name, set(name)?)))
    else {
        return Ok(None);
    };
    let exceptions = set("NO_PROXY")
        .or_else(|| set("no_proxy"))
        .unwrap_or_default();
    if is_exempt(&url.host, &exceptions) {
        return Ok(None);
    }
    let parsed = Proxy::new(&value).ok().filter(|proxy| {
        // Other kinds of proxies need a feature of the library.
        matches!(
            proxy.protocol(),
            ureq::ProxyProtocol::Http | ureq::ProxyProtocol::Https
        )
    });
    let proxy = parsed.ok_or_else(|| {
        // The value may contain a password.
        let message = format!("{variable} is not the URL of an HTTP proxy");
        Error::new(ErrorKind::Configuration, message).with_help("write http://HOST:PORT")
    })?;
    Ok(Some(ChosenProxy { proxy, variable }))
}

/// Returns true if a host is reached without a proxy: it is on this machine, or `NO_PROXY` lists
/// it, its domain, or its network.
fn is_exempt(host: &str, exceptions: &str) -> bool {
    let (name, port) = split_port(host).map_or((host, None), |(name, port)| (name, Some(port)));
    let name = name
        .trim_start_matches('[')
        .trim_end_matches(']')
        .to_ascii_lowercase();
    let address = name.parse::<IpAddr>().ok();
    if name == "localhost" || address.is_some_and(|address| address.is_loopback()) {
        return true;
    }
    exceptions
        .split([',', ' '])
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
        .any(|entry| {
            let entry = entry.to_ascii_lowercase();
            if entry == "*"
                || entry
                    .parse::<IpAddr>()
                    .is_ok_and(|listed| Some(listed) == address)
            {
                return true;
            }
            if let (Some((network, bits)), Some(address)) = (entry.split_once('/'), address) {
                return is_in(address, network, bits);
            }
            let (host, listed_port) = split_port(&entry)
                .map_or((entry.as_str(), None), |(host, port)| (host, Some(port)));
            let domain = host.trim_start_matches("*").trim_start_matches('.');
            let is_within = name
                .strip_suffix(domain)
                .is_some_and(|rest| rest.ends_with('.'));
            let is_same = name == domain && domain == host;
            (is_same || is_within) && (listed_port.is_none() || listed_port == port)
        })
}

/// Returns true if an address is in a network: `10.0.0.0/8`.
fn is_in(address: IpAddr, network: &str, bits: &str) -> bool {
    let (Ok(network), Ok(bits)) = (network.parse::<IpAddr>(), bits.parse::<u32>()) else {
        return false;
    };
    let (address, network, size) = match (address, network) {
        (IpAddr::V4(a), IpAddr::V4(b)) => (u128::from(a.to_bits()), u128::from(b.to_bits()), 32),
        (IpAddr::V6(a), IpAddr::V6(b)) => (a.to_bits(), b.to_bits(), 128),
        (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => return false,
    };
    let differing = address ^ network;
    bits <= size && differing.checked_shr(size - bits).unwrap_or(0) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_depends_on_the_protocol() {
        let shown = |url: &str, variables: [(&str, &str); 2]| {
            let url = Location::parse(url).unwrap();
            let found = proxy_for(&url, &Environment::from(variables));
            found.map(|found| found.map(|found| found.shown()))
        };
        let both = [
            ("HTTPS_PROXY", "http://u:secret@p:1"),
            ("http_proxy", "q:2"),
        ];
        let at = |url: &str| shown(url, both).unwrap();
        assert_eq!(
            at("https://r.example/").as_deref(),
            Some("the proxy p:1 (HTTPS_PROXY)")
        );
        assert_eq!(
            at("http://r.example/").as_deref(),
            Some("the proxy q:2 (http_proxy)")
        );
        assert_eq!(at("https://127.0.0.1/"), None);
        let all = [("ALL_PROXY", "http://p"), ("NO_PROXY", "x.example")];
        let at = |url: &str| shown(url, all).unwrap();
        assert_eq!(
            at("https://r.example/").as_deref(),
            Some("the proxy p:80 (ALL_PROXY)")
        );
        assert_eq!(at("https://x.example/"), None);
        for wrong in ["http://u:secret@", "socks5://p:1", "ftp://p"] {
            let error = shown("https://r.example/", [("HTTPS_PROXY", wrong), ("x", "y")]);
            let error = error.unwrap_err().to_string();
            assert!(error.contains("HTTPS_PROXY is not"), "{wrong}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn exceptions_are_hosts_domains_and_networks() {
        for (host, exceptions, exempt) in [
            ("127.0.0.1:5000", "", true),
            ("localhost:1", "", true),
            ("[::1]:80", "", true),
            ("r.example", "", false),
            ("r.example", "*", true),
            ("r.example:5000", "other, r.example", true),
            ("a.r.example", "r.example", true),
            ("a.r.example", ".r.example", true),
            ("r.example", ".r.example", false),
            ("xr.example", "r.example", false),
            ("r.example:5000", "r.example:5000", true),
            ("r.example:5001", "r.example:5000", false),
            ("10.1.2.3:5000", "10.0.0.0/8", true),
            ("11.1.2.3", "10.0.0.0/8", false),
            ("10.1.2.3", "10.1.2.3", true),
            ("[fd00::1]:5000", "fd00::/8", true),
            ("10.1.2.3", "0.0.0.0/0", true),
            ("10.1.2.3", "10.0.0.0/99", false),
        ] {
            assert_eq!(is_exempt(host, exceptions), exempt, "{host} {exceptions}");
        }
    }
}
