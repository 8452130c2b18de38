//! The servers of an image: mirrors and other locations that are configured on the machine for
//! Podman and CRI-O (`registries.conf`) and for containerd (`hosts.toml`).
//!
//! Only the settings for the location of images are used. Settings for insecure connections are
//! ignored in favour of `--insecure`.

mod hosts_toml;
mod registries_conf;

use std::path::Path;

use super::environment::Environment;
use super::error::{Error, ErrorKind};
use super::reference::Reference;

/// The maximum size of a file in bytes.
const MAX_FILE: u64 = 1 << 20;

/// The maximum number of mirrors of one image.
const MAX_MIRRORS: usize = 16;

/// The path of the API of a registry.
const API: &str = "/v2";

/// A server that has the images of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Endpoint {
    /// The host, with its port if one is given.
    pub(super) host: String,
    /// The path of the API there, usually `/v2`.
    base: String,
    /// The name of the repository there.
    pub(super) repository: String,
    /// The registry whose images are requested, if a mirror serves several registries.
    namespace: Option<String>,
    /// True if it is used only for references with a digest.
    pub(super) digests_only: bool,
}

impl Endpoint {
    fn new(host: &str, repository: &str) -> Self {
        Self {
            host: host.to_owned(),
            base: API.to_owned(),
            repository: repository.to_owned(),
            namespace: None,
            digests_only: false,
        }
    }

    /// Returns the registry of an image itself.
    fn of(image: &Reference) -> Self {
        Self::new(image.host(), image.repository())
    }

    /// Returns the path of a part of the repository, such as `manifests/latest`, with the query.
    pub(super) fn path(&self, part: &str) -> String {
        let query = self.namespace.as_ref();
        let query = query.map_or_else(String::new, |registry| format!("?ns={registry}"));
        format!("{}/{}/{part}{query}", self.base, self.repository)
    }
}

/// Returns the servers to ask for an image, mirrors first.
///
/// # Errors
///
/// Returns an error if a configuration cannot be read, or blocks the registry.
pub(super) fn of(image: &Reference, environment: &Environment) -> Result<Vec<Endpoint>, Error> {
    if let Some(all) = registries_conf::servers(image, environment)? {
        return Ok(all);
    }
    let configured = hosts_toml::servers(image, environment)?;
    Ok(configured.unwrap_or_else(|| vec![Endpoint::of(image)]))
}

fn read(path: &Path) -> Result<String, Error> {
    let size = std::fs::metadata(path)
        .map_err(|error| unusable(path, &error.to_string()))?
        .len();
    if size > MAX_FILE {
        return Err(unusable(path, "it is too large"));
    }
    std::fs::read_to_string(path).map_err(|error| unusable(path, &error.to_string()))
}

fn unusable(path: &Path, why: &str) -> Error {
    let message = format!(
        "cannot use {}: {}",
        crate::escape::path(path),
        why.trim_end().replace('\n', " ")
    );
    Error::new(ErrorKind::Configuration, message)
}

/// Returns endpoints as one line each, for tests.
#[cfg(test)]
fn shown(all: &[Endpoint]) -> Vec<String> {
    let mark = |endpoint: &Endpoint| {
        if endpoint.digests_only {
            " (digests)"
        } else {
            ""
        }
    };
    all.iter()
        .map(|endpoint| format!("{}{}{}", endpoint.host, endpoint.path("x"), mark(endpoint)))
        .collect()
}
