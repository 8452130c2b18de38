//! The environment variables that determine credentials, proxies and certificates.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// Environment variables by name. An empty one counts as not set.
///
/// ```
/// use nri_compat::registry::Environment;
///
/// let environment = Environment::from([("DOCKER_CONFIG", "/run/secrets/docker")]);
/// assert_ne!(environment, Environment::default());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// Returns the variables of this process.
    pub(crate) fn of_process() -> Self {
        Self(std::env::vars_os().collect())
    }

    /// Returns the value of a variable as a path.
    pub(super) fn path(&self, name: &str) -> Option<PathBuf> {
        let value = self.0.get(&OsString::from(name))?;
        (!value.is_empty()).then(|| PathBuf::from(value))
    }

    /// Returns the value of a variable as text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.path(name)?.into_os_string().into_string().ok()
    }
}

impl Default for Environment {
    fn default() -> Self {
        Self::of_process()
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Environment {
    fn from(variables: [(&str, &str); N]) -> Self {
        let variables = variables
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()));
        Self(variables.collect())
    }
}
