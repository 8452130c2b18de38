//! Container runtimes, and the NRI that each of their releases links: `runtimes.toml`.

use semver::Version;

pub(super) const FILE: &str = "runtimes.toml";

/// A container runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runtime {
    /// `containerd` or `cri-o`, the part before the `@`.
    pub id: String,
    /// The name of the runtime in prose, such as `CRI-O`.
    pub title: String,
    /// The names in its `ConfigureRequest.runtime_name`.
    pub reports_as: Vec<String>,
    /// The default path of its socket for plugins.
    pub socket: String,
    /// The default folder of the plugins that it launches.
    pub plugin_dir: String,
    /// The default folder of their configuration.
    pub config_dir: String,
    /// Paths of its Go modules, one per major version, under which a module proxy has its releases.
    pub modules: Vec<String>,
    /// Its final releases, ascending by version.
    pub releases: Vec<RuntimeRelease>,
}

/// A release of a container runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeRelease {
    /// `2.2.1`, as a version.
    pub version: Version,
    /// `v2.2.1`, as tagged.
    pub name: String,
    /// Name of the NRI release it links: one in `versions.toml`.
    pub nri: String,
    /// Day of the release, `YYYY-MM-DD`.
    pub date: String,
}

/// A runtime and one of its releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuntimeAt<'h> {
    /// The runtime that shipped the release.
    pub runtime: &'h Runtime,
    /// The release of the runtime.
    pub release: &'h RuntimeRelease,
}
