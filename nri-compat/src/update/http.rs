//! Reads files from a proxy, with limits on size, time and attempts.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::thread;
use std::time::Duration;

use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig};

use crate::error::{Error, ErrorKind};

/// The maximum size of a file; lists of versions and `go.mod` files have a few kilobytes.
const MAX_FILE: u64 = 4 << 20;

/// The pause before the second attempt; it doubles with each further attempt.
const PAUSE: Duration = Duration::from_millis(200);

/// The time limit and number of attempts of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The time limit for one request, from the lookup of the host to the last byte.
    pub timeout: Duration,
    /// The number of attempts if the proxy is unreachable or answers with status 429 or 5xx.
    pub attempts: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            attempts: 3,
        }
    }
}

/// The reason why a file was not read.
#[derive(Debug)]
pub(super) enum Failure {
    /// The proxy does not have the file.
    NotFound,
    Other(Error),
}

/// The outcome of a failed attempt.
enum Attempt {
    Final(Failure),
    /// Another attempt may succeed.
    Again(Error),
}

/// A client for proxies on the network and in folders.
#[derive(Debug)]
pub(super) struct Client {
    agent: Agent,
    attempts: u32,
}

impl Client {
    /// Creates a client that trusts the certificates that the system trusts, because companies run
    /// proxies with their own.
    pub(super) fn new(limits: &Limits) -> Self {
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier);
        let config = Agent::config_builder()
            .tls_config(tls.build())
            .timeout_global(Some(limits.timeout))
            .http_status_as_error(false)
            .user_agent(concat!("nri-compat/", env!("CARGO_PKG_VERSION")));
        Self {
            agent: config.build().into(),
            attempts: limits.attempts.max(1),
        }
    }

    pub(super) fn get(&self, url: &str) -> Result<Vec<u8>, Failure> {
        let mut pause = PAUSE;
        for _ in 1..self.attempts {
            match self.attempt(url) {
                Ok(bytes) => return Ok(bytes),
                Err(Attempt::Final(failure)) => return Err(failure),
                Err(Attempt::Again(_)) => thread::sleep(pause),
            }
            pause *= 2;
        }
        self.attempt(url).map_err(|attempt| match attempt {
            Attempt::Final(failure) => failure,
            Attempt::Again(error) => Failure::Other(error),
        })
    }

    fn attempt(&self, url: &str) -> Result<Vec<u8>, Attempt> {
        let failed = |error: ureq::Error| attempt(url, &error);
        let mut response = self.agent.get(url).call().map_err(failed)?;
        let error = |status| cannot(url, &format!("the proxy answered with status {status}"));
        match response.status().as_u16() {
            200 => {}
            404 | 410 => return Err(Attempt::Final(Failure::NotFound)),
            status @ (429 | 500..=599) => return Err(Attempt::Again(error(status))),
            status => return Err(Attempt::Final(Failure::Other(error(status)))),
        }
        let body = response.body_mut().with_config().limit(MAX_FILE);
        body.read_to_vec().map_err(failed)
    }

    /// Reads a file of a proxy that is a folder.
    pub(super) fn read(&self, path: &Path) -> Result<Vec<u8>, Failure> {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => Failure::NotFound,
            _ => Failure::Other(cannot(&path.display().to_string(), &error.to_string())),
        };
        let mut bytes = Vec::new();
        let file = fs::File::open(path).map_err(failed)?;
        file.take(MAX_FILE + 1)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        if bytes.len() as u64 > MAX_FILE {
            return Err(Failure::Other(cannot(
                &path.display().to_string(),
                &too_large(),
            )));
        }
        Ok(bytes)
    }
}

/// Decides whether a request that got no answer is repeated.
fn attempt(url: &str, error: &ureq::Error) -> Attempt {
    match error {
        ureq::Error::Io(_)
        | ureq::Error::Timeout(_)
        | ureq::Error::HostNotFound
        | ureq::Error::ConnectionFailed => Attempt::Again(cannot(url, &error.to_string())),
        ureq::Error::BodyExceedsLimit(_) => {
            Attempt::Final(Failure::Other(cannot(url, &too_large())))
        }
        other => Attempt::Final(Failure::Other(cannot(url, &other.to_string()))),
    }
}

fn too_large() -> String {
    format!("it has more than {} MiB", MAX_FILE >> 20)
}

fn cannot(place: &str, reason: &str) -> Error {
    let message = format!("cannot fetch {}: {reason}", without_password(place));
    Error::new(ErrorKind::Fetch, message)
        .with_help("GOPROXY names the module proxy, HTTPS_PROXY the way to it; --timeout SECONDS allows more time")
}

/// Returns a URL without user and password.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let host_end = rest.find('/').unwrap_or(rest.len());
    match rest[..host_end].rfind('@') {
        Some(at) => format!("{scheme}://{}", &rest[at + 1..]),
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_shown() {
        assert_eq!(
            without_password("https://u:p@x.example/a@v/list"),
            "https://x.example/a@v/list"
        );
        assert_eq!(
            without_password("https://x.example/a/@v/list"),
            "https://x.example/a/@v/list"
        );
    }
}
