//! Determines the NRI release that the runtime speaks: from what it reports, else from its version.

#[rustfmt::skip]
mod releases;

use std::fmt;

use semver::Version;

use crate::api::ConfigureRequest;

use releases::{RUNTIMES, Release};

/// The runtime at the other end of the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runtime {
    name: String,
    version: String,
    nri: Option<Version>,
    announced: bool,
}

impl Runtime {
    /// Returns the runtime that sends this Configure request. `NRI_version`, which runtimes send
    /// since NRI v0.12.0, takes precedence over a guess from name and version, because some
    /// distributions build runtimes with another NRI release.
    pub fn of(request: &ConfigureRequest) -> Self {
        Self::new(&request.runtime_name, &request.runtime_version, &request.nri_version)
    }

    /// Creates a runtime from its name, version and NRI version, as Configure has them.
    pub(crate) fn new(name: &str, version: &str, nri_version: &str) -> Self {
        let announced = announced_release(nri_version);
        Runtime {
            name: shown(name),
            version: shown(version),
            announced: announced.is_some(),
            nri: announced.or_else(|| linked_release(name, version)),
        }
    }

    /// Returns the released runtime of this name (`containerd` or `cri-o`) and version, such as
    /// `1.7.20` or `1.31`; `None` if no such runtime speaks the protocol.
    pub fn released(name: &str, version: &str) -> Option<Self> {
        linked_release(name, version)?;
        Some(Self::new(name, version, ""))
    }

    /// Returns the first released runtime that links this NRI release, such as `v0.6.1`:
    /// containerd, else CRI-O.
    pub fn linking(nri: &str) -> Option<Self> {
        let nri = parse(nri)?;
        let mut found = RUNTIMES.iter().filter_map(|(names, releases)| {
            let links = |release: &&Release| parse(release.1).is_some_and(|linked| linked == nri);
            let ((major, minor, patch), _) = releases.iter().find(links)?;
            let version = format!("{major}.{minor}.{patch}");
            Some(Self::new(names.first()?, &version, ""))
        });
        found.next()
    }

    /// Returns the name that the runtime reports, such as `containerd`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the version of the runtime, such as `v2.2.1`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the NRI release that the runtime speaks, such as `0.12.3`; `None` if neither it nor
    /// its version determines that.
    pub fn nri_version(&self) -> Option<String> {
        self.nri.as_ref().map(Version::to_string)
    }

    /// Returns true if the runtime speaks the given NRI release or a newer one; `None` if its
    /// release is unknown.
    pub(crate) fn is_at_least(&self, release: &str) -> Option<bool> {
        Some(self.nri.as_ref()? >= &parse(release)?)
    }
}

/// Formats the runtime: `containerd v2.2.1 (NRI v0.11.0)`.
impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.name.is_empty() { "a runtime without a name" } else { &self.name };
        f.write_str(name)?;
        if !self.version.is_empty() {
            write!(f, " {}", self.version)?;
        }
        match &self.nri {
            None => f.write_str(" (NRI version unknown)"),
            Some(nri) if self.announced => write!(f, " (NRI v{nri})"),
            Some(nri) => write!(f, " (NRI v{nri}, inferred from its version)"),
        }
    }
}

/// Shortens a text from the peer for messages.
fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(64).collect()
}

/// Returns the NRI release that the runtime reports. Go builds without module information report
/// `(devel)` or `0.0.0-unknown`.
fn announced_release(version: &str) -> Option<Version> {
    parse(version).filter(|version| (version.major, version.minor, version.patch) != (0, 0, 0))
}

/// Returns the NRI release that the released runtime of this name and version links.
fn linked_release(name: &str, version: &str) -> Option<Version> {
    let (_, releases) = RUNTIMES.iter().find(|(names, _)| names.contains(&name))?;
    let version = parse(version)?;
    let number = (version.major, version.minor, version.patch);
    let reached =
        |release: &&Release| release.0 < number || release.0 == number && version.pre.is_empty();
    parse(releases.iter().rev().find(reached)?.1)
}

/// Parses a version with or without `v`, with or without a patch number, with any suffix
/// (`1.7.24~ds1`).
pub(crate) fn parse(version: &str) -> Option<Version> {
    let version = version.trim().trim_start_matches('v');
    Version::parse(version).ok().or_else(|| {
        let end = version.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(version.len());
        let number = version.get(..end)?;
        Version::parse(number).or_else(|_| Version::parse(&format!("{number}.0"))).ok()
    })
}

#[cfg(test)]
mod tests;
