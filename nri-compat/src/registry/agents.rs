//! HTTP clients: one for each server, with its proxy and its authorities.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use ureq::Agent;
use ureq::tls::TlsConfig;

use super::certificates;
use super::environment::Environment;
use super::error::{Error, ErrorKind};
use super::limits::Limits;
use super::location::{Location, split_port};
use super::proxies;

/// The clients, by protocol and host.
pub(super) struct Agents {
    limits: Limits,
    insecure: Vec<String>,
    pub(super) environment: Environment,
    agents: Mutex<HashMap<(bool, String), Agent>>,
}

impl Agents {
    /// Creates the clients. `insecure` lists hosts, with or without port, whose identity is not
    /// verified.
    pub(super) fn new(limits: Limits, insecure: Vec<String>, environment: Environment) -> Self {
        Self {
            limits,
            insecure,
            environment,
            agents: Mutex::default(),
        }
    }

    /// Returns true if the user accepts unverified connections to this host.
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
    pub(super) fn agent(&self, url: &Location) -> Result<Agent, Error> {
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

    /// Returns the proxy for a server according to the environment.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not a URL.
    pub(super) fn proxy(&self, url: &Location) -> Result<Option<proxies::ChosenProxy>, Error> {
        proxies::proxy_for(url, &self.environment)
    }

    fn build(&self, url: &Location) -> Result<Agent, Error> {
        let config = Agent::config_builder()
            .tls_config(self.tls(url)?)
            .proxy(self.proxy(url)?.map(|found| found.proxy))
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
        let config = TlsConfig::builder()
            .root_certs(certificates::authorities(&self.environment)?)
            .disable_verification(self.is_insecure(&url.host));
        Ok(config.build())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_port_matches_all_ports() {
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
        assert_eq!(agents.agent(&plain).unwrap_err().kind(), ErrorKind::Tls);
    }
}
