//! The options of a client: insecure hosts, limits on time and attempts, and the environment
//! variables that determine credentials, proxies and certificates.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The options of a client.
#[derive(Clone, Debug, Default)]
pub struct RegistryOptions {
    /// Hosts, with or without port, that are accessed over plain HTTP or without verification of
    /// their certificates.
    pub insecure: Vec<String>,
    /// The limits on time and attempts.
    pub limits: Limits,
    /// The environment variables that name credentials, proxies and certificates.
    pub environment: Environment,
}

/// The limits of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The time limit for a connection, including TLS.
    pub connect: Duration,
    /// The time limit for receiving further bytes, and for the answer of a credential helper.
    pub idle: Duration,
    /// The time limit for a request with a small answer, and the constant part of the time limit
    /// for a blob.
    pub total: Duration,
    /// The maximum number of attempts per request.
    pub attempts: u32,
    /// The pause before the second attempt; it doubles with each further attempt.
    pub pause: Duration,
    /// The longest pause; a longer `Retry-After` is an error.
    pub longest_pause: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(30),
            total: Duration::from_secs(60),
            attempts: 5,
            pause: Duration::from_millis(250),
            longest_pause: Duration::from_secs(60),
        }
    }
}

/// Environment variables by name. An empty one counts as not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// Returns the value of a variable as a path.
    pub(super) fn path(&self, name: &str) -> Option<PathBuf> {
        let value = self.0.get(&OsString::from(name))?;
        (!value.is_empty()).then(|| PathBuf::from(value))
    }

    /// Returns the value of a variable whose name may also be in lower case.
    pub(super) fn of_any_case(&self, name: &str) -> Option<String> {
        let lower = || self.path(&name.to_ascii_lowercase());
        let value = self.path(name).or_else(lower)?;
        value.into_os_string().into_string().ok()
    }
}

impl Default for Environment {
    /// Returns the variables of this process.
    fn default() -> Self {
        Self(std::env::vars_os().collect())
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Environment {
    fn from(variables: [(&str, &str); N]) -> Self {
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        Self(variables.into())
    }
}
