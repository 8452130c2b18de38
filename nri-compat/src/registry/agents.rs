//! HTTP clients: one for each server, with its proxy and the certificates that it has to show.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Proxy};

use super::certificates;
use super::environment::Environment;
use super::error::{Error, ErrorKind};
use super::limits::Limits;
use super::location::{Location, split_port};

/// The clients, by protocol and host.
pub(super) struct Agents {
    limits: Limits,
    insecure: Vec<String>,
    pub(super) environment: Environment,
    agents: Mutex<HashMap<(bool, String), Agent>>,
}

impl Agents {
    /// Creates the clients. `insecure` lists hosts, with or without port, that need not prove their
    /// identity.
    pub(super) fn new(limits: Limits, insecure: Vec<String>, environment: Environment) -> Self {
        Self {
            limits,
            insecure,
            environment,
            agents: Mutex::default(),
        }
    }

    /// Reports whether the user accepts connections to this host that are not verified.
    pub(super) fn is_insecure(&self, host: &str) -> bool {
        let name = split_port(host).map_or(host, |(name, _)| name);
        let is_named =
            |named: &String| named.eq_ignore_ascii_case(host) || named.eq_ignore_ascii_case(name);
        self.insecure.iter().any(is_named)
    }

    /// Returns the client for a server.
    ///
    /// # Errors
    ///
    /// Returns an error if the connection would not be secure, or its certificates or proxy are
    /// not valid.
    pub(super) fn of(&self, url: &Location) -> Result<Agent, Error> {
        if !url.is_https && !self.is_insecure(&url.host) {
            let message = format!("{} is not encrypted", url.host);
            return Err(Error::new(ErrorKind::Tls, message).with_help(format!(
                "use --insecure {} if you trust the network",
                url.host
            )));
        }
        let key = (url.is_https, url.host.clone());
        let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(agent) = agents.get(&key) {
            return Ok(agent.clone());
        }
        let agent = self.build(url)?;
        agents.insert(key, agent.clone());
        Ok(agent)
    }

    fn build(&self, url: &Location) -> Result<Agent, Error> {
        let config = Agent::config_builder()
            .tls_config(self.tls(url)?)
            .proxy(proxy(url, &self.environment)?)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(self.limits.connect))
            .timeout_per_read(Some(self.limits.idle))
            .timeout_per_write(Some(self.limits.idle))
            .input_buffer_size(256 << 10)
            .user_agent(concat!("nri-compat/", env!("CARGO_PKG_VERSION")));
        Ok(config.build().into())
    }

    fn tls(&self, url: &Location) -> Result<TlsConfig, Error> {
        let own = certificates::of(&url.host, &self.environment)?;
        let roots = if own.authorities.is_empty() {
            RootCerts::PlatformVerifier
        } else {
            system().into_iter().chain(own.authorities).into()
        };
        let config = TlsConfig::builder()
            .root_certs(roots)
            .client_cert(own.client)
            .disable_verification(self.is_insecure(&url.host));
        Ok(config.build())
    }
}

/// Returns the certificates that the system trusts, or those that `SSL_CERT_FILE` and
/// `SSL_CERT_DIR` name.
fn system() -> Vec<Certificate<'static>> {
    let all = rustls_native_certs::load_native_certs().certs;
    all.iter()
        .map(|one| Certificate::from_der(one).to_owned())
        .collect()
}

/// Returns the proxy that the environment names for a server, as Go's tools choose it.
fn proxy(url: &Location, environment: &Environment) -> Result<Option<Proxy>, Error> {
    let names = if url.is_https {
        ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]
    } else {
        ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"]
    };
    let set = |name: &str| environment.text(name);
    let Some((name, value)) = names.iter().find_map(|name| Some((name, set(name)?))) else {
        return Ok(None);
    };
    let exceptions = set("NO_PROXY")
        .or_else(|| set("no_proxy"))
        .unwrap_or_default();
    if is_exempt(&url.host, &exceptions) {
        return Ok(None);
    }
    Proxy::new(&value).map(Some).map_err(|_| {
        // The value may contain a password.
        let message = format!("{name} is not the URL of a proxy");
        Error::new(ErrorKind::Configuration, message).with_help("write http://HOST:PORT")
    })
}

/// Reports whether a host is reached without a proxy: it is on this machine, or `NO_PROXY` lists
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
        .filter(|one| !one.is_empty())
        .any(|one| {
            let one = one.to_ascii_lowercase();
            if one == "*"
                || one
                    .parse::<IpAddr>()
                    .is_ok_and(|listed| Some(listed) == address)
            {
                return true;
            }
            if let (Some((network, bits)), Some(address)) = (one.split_once('/'), address) {
                return is_in(address, network, bits);
            }
            let (one, listed_port) =
                split_port(&one).map_or((one.as_str(), None), |(one, port)| (one, Some(port)));
            let domain = one.trim_start_matches("*").trim_start_matches('.');
            let is_within = name
                .strip_suffix(domain)
                .is_some_and(|rest| rest.ends_with('.'));
            let is_same = name == domain && domain == one;
            (is_same || is_within) && (listed_port.is_none() || listed_port == port)
        })
}

/// Reports whether an address is in a network: `10.0.0.0/8`.
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
    fn a_name_without_port_stands_for_all_ports() {
        let agents = Agents::new(
            Limits::default(),
            vec!["a.example".into(), "b.example:5000".into()],
            Environment::of_process(),
        );
        for (host, expected) in [
            ("a.example", true),
            ("A.example:5000", true),
            ("b.example:5000", true),
            ("b.example", false),
            ("b.example:5001", false),
            ("127.0.0.1:5000", false),
            ("xa.example", false),
        ] {
            assert_eq!(agents.is_insecure(host), expected, "{host}");
        }
        let plain = Location::parse("http://127.0.0.1:5000/").unwrap();
        assert_eq!(agents.of(&plain).unwrap_err().kind(), ErrorKind::Tls);
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
