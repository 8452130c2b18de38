//! The facts about the workspace, read from `cargo metadata` and git.

use std::path::Path;

use serde::Deserialize;

use crate::error::TaskError;
use crate::tool::Tool;

/// The crate of the command.
pub(crate) const COMMAND: &str = "nri-compat";

/// The crate of the bridge, whose program is released beside the command.
pub(crate) const BRIDGE: &str = "nri-bridge";

/// The facts about a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// The version of the workspace.
    pub version: String,
    /// The address of the repository, of the book and of releases. Everything that needs an address
    /// takes it from here.
    pub address: String,
    /// The registry and the folder in it that has the image and the charts.
    pub registry: String,
    /// The person or group that packages name as their maintainer.
    pub maintainer: String,
    /// The version of Rust that builds releases.
    pub toolchain: String,
    /// The licence, as an SPDX expression.
    pub license: String,
    /// The description of the command.
    pub description: String,
    /// The time of the last commit, in seconds since 1970.
    pub time: u64,
}

#[derive(Deserialize)]
struct Workspace {
    packages: Vec<Package>,
    metadata: Option<WorkspaceMetadata>,
}

#[derive(Deserialize)]
struct WorkspaceMetadata {
    release: ReleaseTable,
}

/// `[workspace.metadata.release]`.
#[derive(Deserialize)]
struct ReleaseTable {
    registry: String,
    maintainer: String,
    toolchain: String,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    description: Option<String>,
    homepage: Option<String>,
    /// Empty if the crate is not published.
    publish: Option<Vec<String>>,
}

impl Package {
    fn is_published(&self) -> bool {
        self.publish.as_ref().is_none_or(|to| !to.is_empty())
    }
}

impl Metadata {
    /// Returns the address of the folder with the artifacts.
    pub(crate) fn downloads(&self) -> String {
        format!("{}/releases/download/v{}", self.address, self.version)
    }

    /// Returns the time of the last commit as RFC 3339 writes it.
    pub(crate) fn timestamp(&self) -> String {
        let seconds = i64::try_from(self.time).unwrap_or_default();
        let time = jiff::Timestamp::from_second(seconds).unwrap_or_default();
        time.to_string()
    }

    /// Reads the facts about the repository at `root`.
    ///
    /// # Errors
    ///
    /// Returns an error if cargo or git fail, or something is missing.
    pub fn read(root: &Path) -> Result<Self, TaskError> {
        let workspace = workspace(root)?;
        let missing = |what: &str| TaskError::Metadata(what.to_owned());
        let command = workspace
            .packages
            .into_iter()
            .find(|package| package.name == COMMAND)
            .ok_or_else(|| missing("the workspace has no crate nri-compat"))?;
        let table = workspace
            .metadata
            .ok_or_else(|| missing("the workspace does not describe releases"))?;
        let ReleaseTable { registry, maintainer, toolchain } = table.release;
        Ok(Self {
            version: command.version,
            address: command.homepage.ok_or_else(|| missing("nri-compat has no homepage"))?,
            registry,
            maintainer,
            toolchain,
            license: command.license.unwrap_or_default(),
            description: command.description.unwrap_or_default(),
            time: time(root)?,
        })
    }
}

fn workspace(root: &Path) -> Result<Workspace, TaskError> {
    let arguments = ["metadata", "--format-version=1", "--no-deps", "--locked"];
    let json = Tool::new("cargo", "install Rust")
        .with(|cargo| {
            cargo.args(arguments).current_dir(root);
        })
        .output()?;
    serde_json::from_slice(&json)
        .map_err(|source| TaskError::Output { program: "cargo metadata".to_owned(), source })
}

/// Returns the names of the published crates of the repository at `root`.
///
/// # Errors
///
/// Returns an error if cargo fails.
pub(crate) fn published(root: &Path) -> Result<Vec<String>, TaskError> {
    let published = workspace(root)?.packages.into_iter().filter(Package::is_published);
    Ok(published.map(|package| package.name).collect())
}

/// Returns `SOURCE_DATE_EPOCH`, else the time of the last commit.
fn time(root: &Path) -> Result<u64, TaskError> {
    let text = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(time) => time,
        Err(_) => last_commit(root)?,
    };
    let unreadable = |_| TaskError::Metadata(format!("not a time in seconds: {text}"));
    text.trim().parse().map_err(unreadable)
}

fn last_commit(root: &Path) -> Result<String, TaskError> {
    let help = "install git, or set SOURCE_DATE_EPOCH to the time of the release in seconds";
    let time = Tool::new("git", help)
        .with(|git| {
            git.args(["log", "-1", "--format=%ct"]).current_dir(root);
        })
        .output()?;
    Ok(String::from_utf8_lossy(&time).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_that_may_go_to_no_registry_is_not_published() {
        let read = |publish: &str| {
            let json = format!(r#"{{"name": "a", "version": "0.1.0", "publish": {publish}}}"#);
            serde_json::from_str::<Package>(&json).unwrap()
        };
        assert!(read("null").is_published());
        assert!(read(r#"["crates-io"]"#).is_published());
        assert!(!read("[]").is_published());
    }

    #[test]
    fn the_command_is_published_and_the_tests_are_not() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let names = published(&root).unwrap();
        let has = |name: &str| names.iter().any(|it| it == name);
        assert!(has(COMMAND) && !has("nri-tests"), "{names:?}");
    }
}
