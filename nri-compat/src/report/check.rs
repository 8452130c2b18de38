//! The findings of `check` and `logs`, as plain data for every renderer.

mod cluster;
mod document;
mod incident;
mod terms;

pub use crate::skipped::{SkipKind, Skipped};
pub use cluster::{CLUSTER_READER, ClusterView, NodePool};
pub(in crate::report) use document::SubjectDocument;
#[cfg(feature = "schema")]
use document::SummaryDocument;
pub use incident::Incident;
pub(crate) use terms::Pool;
pub use terms::VerdictCounts;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::place::Place;
use crate::report::finding::Level;
use crate::sighting::{Built, Evidence, FileKind, Occurrences, Role};

/// The report of `check` or `logs`: the plugins that were found, and the verdicts on each under
/// each target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckReport {
    /// The date of the newest release in the tables that were used, `YYYY-MM-DD`.
    pub data_date: String,
    /// The targets, in the order requested.
    pub targets: Vec<CheckTarget>,
    /// The planned removals in the tables, with their expected dates.
    #[serde(skip)]
    pub removals: Vec<PlannedRemoval>,
    /// Everything that was found, sorted by path, name and kind.
    #[serde(serialize_with = "document::subjects")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<SubjectDocument<'_>>"))]
    pub subjects: Vec<Subject>,
    /// Places that could not be checked.
    pub skipped: Vec<Skipped>,
    /// Findings about the policy itself, such as an ignore that matches nothing or has expired.
    pub policy: Vec<String>,
    /// The cluster whose plugins were checked, if any.
    pub cluster: Option<ClusterView>,
    /// The places that were checked, and the number of verdicts that count by outcome.
    #[serde(serialize_with = "document::summary")]
    #[cfg_attr(feature = "schema", schemars(with = "SummaryDocument<'_>"))]
    pub summary: Summary,
}

/// A planned removal of something that plugins use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlannedRemoval {
    /// The releases, as in [`Verdict::planned_removal`]: `containerd 2.7`.
    pub when: String,
    /// The date of the first of these releases, `YYYY-MM-DD`: estimated unless it is in the tables.
    pub expected: String,
}

/// A release that plugins are checked against.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckTarget {
    /// The release in its canonical spelling, such as `containerd@2.7`.
    pub name: String,
    /// The name as given, if reported by a machine: `containerd://2.2.1-k3s1`.
    pub given: Option<String>,
    /// The NRI release that it links; for a planned release, the newest known one.
    pub nri: String,
    /// The substitute if the tables do not have the release: `2.4.2`, `k0s@v1.36.3+k0s.2`, or
    /// `nri@0.12.5` with `--assume`.
    pub assumed: Option<String>,
    /// The date of the tables, if the release is newer than they are: `2026-10-23`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newer_than_data: Option<String>,
    /// True if the release is only planned.
    pub planned: bool,
    /// True if it is a default: the newest known release, or that of the machine's runtime and the
    /// next planned removal.
    pub by_default: bool,
    /// The source of the release, if it is the default on a machine: `from the build information of
    /// /usr/bin/containerd`, or `the next planned removal`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found_by: Option<String>,
}

/// A subject, and its verdicts. A document that is read must have a place, a role and verdicts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Subject {
    /// The location.
    pub place: Place,
    /// The kind of file.
    #[serde(default)]
    pub kind: FileKind,
    /// The role.
    pub role: Role,
    /// The name of the plugin.
    #[serde(default)]
    pub name: Option<String>,
    /// The index of the plugin.
    #[serde(default)]
    pub index: Option<String>,
    /// The identity of the program, from its build.
    #[serde(default)]
    pub program: Option<String>,
    /// The NRI that it was built with.
    #[serde(default)]
    pub nri: Built,
    /// RPC names of the events that it handles.
    #[serde(default)]
    pub events: Vec<String>,
    /// One verdict per target, in the order of the targets; empty for anything except plugins.
    pub verdicts: Vec<Verdict>,
    /// The incidents that the log of a runtime reports about it, beside the verdicts.
    #[serde(default, deserialize_with = "incident::read", skip_serializing_if = "Vec::is_empty")]
    pub incidents: Vec<Incident>,
    /// The observations behind the verdicts.
    #[serde(skip_deserializing)]
    pub evidence: Vec<Evidence>,
    /// Mentions in logs.
    #[serde(default, rename = "seen")]
    pub occurrences: Option<Occurrences>,
    /// The names of the nodes on which a cluster runs it, sorted; empty if there are none, or if it
    /// is not from a cluster.
    #[serde(default)]
    pub nodes: Vec<String>,
}

/// The outcome for a plugin under a target, from good to bad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Works, and uses nothing deprecated.
    #[default]
    Ok,
    /// Cannot be determined.
    Unknown,
    /// Works through a fallback.
    Deprecated,
    /// Uses something that was removed.
    Removed,
    /// Would be dropped or refused.
    Incompatible,
}

/// The confidence in a verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// A guess with a reason.
    #[default]
    Low,
    /// Based on names or versions.
    Medium,
    /// Based on code, types, a manifest, or messages of a runtime.
    High,
}

/// A verdict on one subject for one target. Of a document, only the target and the outcome are
/// read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// The name of the target.
    pub target: String,
    /// The outcome for the plugin.
    #[serde(rename = "verdict")]
    pub outcome: Outcome,
    /// The id of the rule behind it, empty for `ok`: `CHECK_STATE_CHANGE`, …; see `nri-compat
    /// explain`.
    #[serde(skip_deserializing)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub rule: &'static str,
    /// The events concerned, by RPC name.
    #[serde(skip_deserializing)]
    pub events: Arc<[String]>,
    /// The release since which it applies: `v0.12.0`.
    #[serde(skip_deserializing)]
    pub since: Option<String>,
    /// The planned removal: `containerd 2.7`.
    #[serde(skip_deserializing)]
    pub planned_removal: Option<String>,
    /// The reason: one line, in lower case.
    #[serde(skip_deserializing)]
    pub reason: Arc<str>,
    /// The exact next step; empty for `ok`.
    #[serde(skip_deserializing)]
    pub remedy: Arc<str>,
    /// The confidence.
    #[serde(skip_deserializing)]
    pub confidence: Confidence,
    /// The level that the policy sets for its rule, if any; see [`Verdict::level`].
    #[serde(skip_deserializing)]
    #[cfg_attr(feature = "schema", schemars(with = "Level"))]
    pub level: Option<Level>,
    /// The suppression by a baseline or the policy, if any.
    #[serde(skip_deserializing)]
    pub suppressed: Option<Suppression>,
}

/// The suppression of a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Suppression {
    /// The entry that suppresses it.
    pub by: SuppressedBy,
    /// The reason given there.
    pub reason: String,
}

/// The source of a suppression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SuppressedBy {
    /// The baseline.
    Baseline,
    /// The policy.
    Policy,
}

/// A kind of plugins that a check did not look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NotLookedFor {
    /// Running plugins, regardless of their files.
    Processes,
    /// Plugins that connect to the runtime by themselves, started by a systemd unit or a static
    /// pod. No folder names them.
    External,
    /// Plugins in images of a registry.
    Images,
    /// Plugins in the workloads of a cluster.
    Cluster,
}

/// The places that were checked, with counts. Of a document, only its origin is read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Summary {
    /// The places that were requested, or found by default.
    #[serde(skip)]
    pub looked_at: Vec<String>,
    /// The usual places of configurations that have none.
    #[serde(skip)]
    pub without_configuration: Vec<String>,
    /// The time of the report as RFC 3339, which `merge` uses as the time when plugins were seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The name of the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The id of the scan, unique for each report.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub scan: Option<String>,
    /// The kinds of plugins that were not looked for, as far as that matters for the result.
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    pub not_looked_for: Vec<NotLookedFor>,
    /// The number of files: the sum of [`Summary::inputs`].
    #[serde(skip_deserializing)]
    pub files: u64,
    /// The number of files by outcome.
    #[serde(skip_deserializing)]
    pub inputs: Inputs,
    /// The number of bytes in them.
    #[serde(skip_deserializing)]
    pub bytes: u64,
    /// The Kubernetes workloads among them; `None` if no manifests and no cluster were read.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub workloads: Option<WorkloadCount>,
    /// The number of plugins among the subjects.
    #[serde(skip_deserializing)]
    pub plugins: u64,
    /// The number of skipped places.
    #[serde(skip_deserializing)]
    pub skipped: u64,
    /// Time taken, in milliseconds.
    #[serde(skip_deserializing)]
    pub millis: u64,
    /// The verdicts, as [`CheckReport::count`] counts them.
    #[serde(flatten, skip_deserializing)]
    pub verdicts: VerdictCounts,
}

impl Summary {
    /// Adds the places and counts of another source of the same report.
    pub(crate) fn join(&mut self, other: Self) {
        self.looked_at.extend(other.looked_at);
        self.without_configuration.extend(other.without_configuration);
        self.inputs.join(other.inputs);
        self.files = self.inputs.total();
        self.bytes += other.bytes;
        if let Some(count) = other.workloads {
            let own = self.workloads.get_or_insert_default();
            own.examined += count.examined;
            own.candidates += count.candidates;
        }
        self.millis += other.millis;
    }
}

/// The numbers of Kubernetes workloads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkloadCount {
    /// The workloads whose pods were examined.
    pub examined: u64,
    /// Those with a container that may be an NRI plugin.
    pub candidates: u64,
}

/// The numbers of files by outcome. Each file is counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Inputs {
    /// Archives, whose files are counted separately.
    pub archives: u64,
    /// Not plugins: empty files.
    pub empty: u64,
    /// Files with evidence, and files that may be plugins: they are among the subjects.
    pub evidence: u64,
    /// Not plugins: files of other kinds.
    pub other_files: u64,
    /// Further names of files that have already been counted.
    pub other_names: u64,
    /// Files that could not be read, which are skipped.
    pub unreadable: u64,
    /// Not plugins: programs, modules, sources and logs without a trace of NRI.
    pub without_nri: u64,
}

impl Inputs {
    /// Adds the numbers of another source.
    fn join(&mut self, other: Self) {
        self.archives += other.archives;
        self.empty += other.empty;
        self.evidence += other.evidence;
        self.other_files += other.other_files;
        self.other_names += other.other_names;
        self.unreadable += other.unreadable;
        self.without_nri += other.without_nri;
    }

    /// Returns the number of files.
    pub fn total(&self) -> u64 {
        let Self { archives, empty, evidence, other_files, other_names, unreadable, without_nri } =
            self;
        archives + empty + evidence + other_files + other_names + unreadable + without_nri
    }
}
