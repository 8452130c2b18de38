//! The findings of `diff`, as plain data for every renderer.

use serde::Serialize;

use super::check::Suppression;
use super::finding::{Category, Finding, Level};
use super::pairing::Pairing;
use super::short;

/// The report of `diff`: what changed between two versions of a protocol, and what breaks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffReport {
    /// The date of the newest release in the tables that were used, `YYYY-MM-DD`.
    pub data_date: String,
    /// The side that the user named first.
    pub from: Side,
    /// The side that the user named second.
    pub to: Side,
    /// The findings of the rules, sorted.
    pub findings: Vec<Finding>,
    /// Interfaces that are deprecated at `to` but not at `from`.
    #[serde(skip)]
    pub deprecated: Vec<Deprecated>,
    /// Every element that was added, removed or changed, in declaration order.
    pub changes: Vec<Change>,
    /// The pairings of plugins of one side with runtimes of the other.
    pub pairings: Vec<Pairing>,
    /// Findings that do not count because of the policy or the baseline.
    pub suppressed: Vec<SuppressedFinding>,
    /// Ignores of the policy without effect, and entries of the baseline that were not found.
    pub policy: Vec<String>,
    /// The numbers of findings by level and of changes by kind.
    pub summary: Summary,
}

/// A finding that does not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SuppressedFinding {
    /// The finding.
    pub finding: Finding,
    /// The suppression.
    #[serde(flatten)]
    pub by: Suppression,
}

/// One of the two schemas compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Side {
    /// The name as spelled by the user.
    pub input: String,
    /// The name of the schema: an NRI release, or the path of a file or folder.
    pub name: String,
    /// The protocol revision, if it is a known one.
    pub revision: Option<String>,
    /// The known revision that a schema of the user equals but for comments and the order of its
    /// elements, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equals: Option<String>,
    /// The release date, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// All releases with the revision.
    pub releases: Vec<String>,
    /// Ranges of runtime releases that ship the revision, such as `containerd 2.3.0–2.3.7`.
    pub runtimes: Vec<String>,
    /// True if the schema was compared as an NRI protocol, because it or the other side is one;
    /// only then are there NRI findings and pairings.
    #[serde(skip)]
    pub is_nri: bool,
}

/// An interface that became deprecated between the two sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Deprecated {
    /// Permanent id in the table of deprecations.
    pub id: String,
    /// A summary in one line.
    pub summary: String,
    /// The first release in which it is deprecated, such as `v0.12.0`.
    pub since: String,
    /// The first runtime release that warns the operator, such as `containerd 2.3.4`.
    pub warned_by: Option<String>,
    /// The removal: `planned for containerd 2.7`, `done in v0.12.0`.
    pub removal: String,
    /// The replacements: event and RPC.
    pub replaced_by: Vec<(String, String)>,
    /// The next step for the author of a plugin.
    pub remedy: String,
}

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// Only `to` has it.
    Added,
    /// Only `from` has it.
    Removed,
    /// Both have it, but it differs.
    Changed,
}

/// The kind of a changed element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ElementKind {
    /// A service.
    Service,
    /// A method of a service.
    Rpc,
    /// A message type.
    Message,
    /// A field of a message.
    Field,
    /// An enum type.
    Enum,
    /// A value of an enum.
    EnumValue,
}

/// One element that differs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// Added, removed or changed.
    pub kind: ChangeKind,
    /// The kind of element.
    pub what: ElementKind,
    /// Fully qualified name.
    pub element: String,
    /// The difference, such as `number 12 → 14`; empty unless changed.
    #[serde(skip)]
    pub detail: String,
}

/// The counts in the last lines of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Findings of level error.
    pub errors: usize,
    /// Findings of level warning.
    pub warnings: usize,
    /// Findings of level note.
    pub notes: usize,
    /// The number of elements only in `to`.
    pub added: usize,
    /// The number of elements only in `from`.
    pub removed: usize,
    /// The number of changed elements.
    pub changed: usize,
    /// The category whose protobuf rules ran.
    pub category: Category,
    /// The number of rules that ran, protobuf and NRI rules together.
    pub rules: usize,
}

impl DiffReport {
    /// Counts findings by level and changes by kind in the summary.
    pub(crate) fn count(&mut self) {
        let findings =
            |level| self.findings.iter().filter(|finding| finding.level == level).count();
        let changes = |kind| self.changes.iter().filter(|change| change.kind == kind).count();
        self.summary = Summary {
            errors: findings(Level::Error),
            warnings: findings(Level::Warning),
            notes: findings(Level::Note),
            added: changes(ChangeKind::Added),
            removed: changes(ChangeKind::Removed),
            changed: changes(ChangeKind::Changed),
            ..self.summary
        };
    }

    /// Returns the level of the most serious finding, if there are findings.
    pub fn worst(&self) -> Option<Level> {
        self.findings.iter().map(|finding| finding.level).max()
    }
}

impl Change {
    /// Returns the name of the element, without the package or the prefix that all elements of its
    /// kind share.
    pub fn name(&self) -> &str {
        match self.what {
            ElementKind::Service | ElementKind::Message | ElementKind::Enum => {
                self.element.rsplit('.').next().unwrap_or(&self.element)
            }
            ElementKind::Rpc | ElementKind::Field | ElementKind::EnumValue => short(&self.element),
        }
    }
}
