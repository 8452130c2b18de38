//! The kinds of plugins that a check did not look for.

use serde::Serialize;

use super::Summary;

/// A kind of plugins that a check did not look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NotLookedFor {
    /// Plugins that run, whatever their files are.
    Processes,
    /// Plugins that connect to the runtime by themselves, started by a systemd unit or a static pod. No
    /// folder names them.
    External,
    /// Plugins in images of a registry.
    Images,
    /// Plugins in the workloads of a cluster.
    Cluster,
}

impl NotLookedFor {
    /// Returns the kind of plugins, and how to find them.
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Processes => "processes (`nri-compat check --proc`)",
            Self::External => {
                "plugins that a systemd unit or a static pod starts and that connect by themselves (`nri-compat check --proc` on the live node)"
            }
            Self::Images => "images in registries (`nri-compat check docker://IMAGE`)",
            Self::Cluster => "workloads of a cluster (`nri-compat check --cluster`)",
        }
    }
}

impl Summary {
    /// Returns the end of a sentence about the kinds of plugins that were not looked for; nothing if there are none to
    /// mention.
    pub(super) fn not_looked_for_phrase(&self) -> String {
        let phrases: Vec<&str> = self
            .not_looked_for
            .iter()
            .map(|kind| kind.phrase())
            .collect();
        if phrases.is_empty() {
            return String::new();
        }
        format!("; not looked for: {}", phrases.join(", "))
    }
}
