//! Published NRI plugins: the table `tests/zoo.toml`, and the page of documentation that it
//! becomes.

mod page;

use std::collections::BTreeMap;

use serde::Deserialize;

pub use page::page;

/// The text of the table.
pub const TOML: &str = include_str!("../../tests/zoo.toml");

/// Every published plugin that is known.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zoo {
    /// The plugins that are built.
    #[serde(rename = "plugin")]
    pub plugins: Vec<ZooPlugin>,
    /// The plugins that cannot be built here.
    pub absent: Vec<Absent>,
}

/// A plugin, in several releases.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZooPlugin {
    /// The Go module.
    pub module: String,
    /// The folder of the program in the module.
    pub package: String,
    /// The rest of a sentence that begins with the name of the plugin and says what it does.
    pub about: String,
    /// True if it is built with C.
    #[serde(default)]
    pub cgo: bool,
    /// The arguments with which it starts. `{config}` stands for a file with its configuration,
    /// `{folder}` for a temporary folder.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Its configuration.
    #[serde(default)]
    pub config: String,
    /// The annotations of the pod in a session.
    #[serde(default)]
    pub annotations: BTreeMap<String, String>,
    /// Why it is only checked, and not run.
    pub not_run: Option<String>,
    /// The releases, oldest first.
    pub releases: Vec<ZooRelease>,
    /// The statements of the contract that every release fails.
    #[serde(default)]
    pub fails: Vec<BrokenStatement>,
}

/// A release of a plugin.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZooRelease {
    /// The version of the module.
    pub version: String,
    /// The verdict under NRI v0.12.5.
    pub check: String,
    /// The verdict under containerd 2.7.
    pub planned: String,
    /// The events that arrive as StateChange.
    #[serde(default)]
    pub events: Vec<String>,
}

/// A statement that a plugin fails.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BrokenStatement {
    /// The id of the statement.
    pub statement: String,
    /// True if only some runs show it.
    #[serde(default)]
    pub sometimes: bool,
    /// Why it is true that the plugin fails it.
    pub why: String,
}

/// Plugins that are published but not built.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Absent {
    /// The Go module.
    pub module: String,
    /// The folders of the programs.
    pub packages: Vec<String>,
    /// Why they are not built.
    pub why: String,
}

impl Zoo {
    /// Reads the table.
    ///
    /// # Errors
    ///
    /// Returns an error if the table is not valid.
    pub fn read() -> Result<Self, toml::de::Error> {
        toml::from_str(TOML)
    }
}

impl ZooPlugin {
    /// Returns the name of the program.
    #[must_use]
    pub fn name(&self) -> &str {
        let last = self.package.rsplit('/').next();
        last.unwrap_or(&self.package)
    }
}
