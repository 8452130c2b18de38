//! The findings of `check` and `logs`: one plain value that every renderer reads.

mod alike;
mod name;
mod phrase;

pub use crate::check::skipped::{SkipKind, Skipped};
pub use alike::Alike;
pub(crate) use phrase::NO_CONFIGURATION;
pub use phrase::bytes;

use crate::check::place::Place;
use crate::check::sighting::{Built, Evidence, FileKind, Occurrences, Role};
use crate::report::finding::Level;

/// The answer of `check` and `logs`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// The date of the newest release in the tables, `YYYY-MM-DD`.
    pub data_date: String,
    /// The targets, in the order asked for.
    pub targets: Vec<CheckTarget>,
    /// The plugins and other things found, sorted by path, name and kind.
    pub subjects: Vec<Subject>,
    /// Places that could not be looked at.
    pub skipped: Vec<Skipped>,
    /// Findings about the policy itself: an ignore that matches nothing or has expired.
    pub policy: Vec<String>,
    /// The places that were looked at, with counts.
    pub summary: Summary,
}

/// A release that plugins are judged against.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckTarget {
    /// The release in its canonical spelling, such as `containerd@2.7`.
    pub name: String,
    /// The name as given, if a machine gave it: `containerd://2.2.1-k3s1`.
    pub given: Option<String>,
    /// The NRI release it links; of a release that is only planned, the newest known.
    pub nri: String,
    /// The release that stands in for it if the tables do not have it: `2.4.2`, or `nri@0.12.5` by `--assume`.
    pub assumed: Option<String>,
    /// True if the release is only planned.
    pub planned: bool,
    /// True if it is the newest known release because the user named none.
    pub by_default: bool,
}

/// One thing found, and its verdicts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// The path.
    pub place: Place,
    /// The sort of file it is.
    pub kind: FileKind,
    /// The part it plays.
    pub role: Role,
    /// Name of the plugin.
    pub name: Option<String>,
    /// Its index.
    pub index: Option<String>,
    /// The program that it is, by the name that its build gives it.
    pub program: Option<String>,
    /// Which NRI it was built with.
    pub nri: Built,
    /// RPC names of the events it handles.
    pub events: Vec<String>,
    /// One verdict per target, in the order of the targets; none for anything that is not a plugin.
    pub verdicts: Vec<Verdict>,
    /// The observations that led to them.
    pub evidence: Vec<Evidence>,
    /// Occasions in logs.
    pub occurrences: Option<Occurrences>,
}

/// The outcome for a plugin under a target. Ordered from good to bad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Works, and uses nothing deprecated.
    #[default]
    Ok,
    /// Cannot be determined.
    Unknown,
    /// Works through a fallback.
    Deprecated,
    /// Uses something that is gone.
    Removed,
    /// Would be dropped or refused.
    Incompatible,
}

/// How sure a verdict is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// A guess with a reason.
    #[default]
    Low,
    /// Names, versions.
    Medium,
    /// Code, types, a manifest, a runtime's own word.
    High,
}

/// A judgement on one subject for one target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Name of the target.
    pub target: String,
    /// The outcome for the plugin.
    pub outcome: Outcome,
    /// Id of the rule that says so, empty for `ok`: `CHECK_STATE_CHANGE`, …; see `nri-compat explain`.
    pub rule: &'static str,
    /// Events concerned, by RPC name.
    pub events: Vec<String>,
    /// Since when it is so: `v0.12.0`.
    pub since: Option<String>,
    /// When it goes: `containerd 2.7`.
    pub planned_removal: Option<String>,
    /// Why: one line, lower case.
    pub reason: String,
    /// The exact next step; empty for `ok`.
    pub remedy: String,
    /// How sure.
    pub confidence: Confidence,
    /// The level that the policy gives its rule, if it gives one; see [`Verdict::level`].
    pub level: Option<Level>,
    /// Why it does not count, where a baseline or the policy says so.
    pub suppressed: Option<Suppression>,
}

/// Why a verdict does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// True if it is in the baseline; else the policy says so.
    pub by_baseline: bool,
    /// The reason given there.
    pub reason: String,
}

/// The places that were looked at, with counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The places asked for, or found by default.
    pub looked_at: Vec<String>,
    /// Files that were met: the sum of [`Summary::inputs`].
    pub files: u64,
    /// The counts of these files by outcome.
    pub inputs: Inputs,
    /// Bytes in them.
    pub bytes: u64,
    /// Plugins among the subjects.
    pub plugins: u64,
    /// Subjects skipped.
    pub skipped: u64,
    /// Time taken, in milliseconds.
    pub millis: u64,
    /// When the report was made, RFC 3339; `merge` tells by it since when a plugin is there.
    pub at: Option<String>,
    /// Name of the node on which it was made.
    pub node: Option<String>,
    /// Id of the scan: no two reports have the same.
    pub scan: Option<String>,
}

/// The files that were met, by outcome. Each is counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// Files with evidence, or of which it is unknown whether they are plugins: they are among the subjects.
    pub evidence: u64,
    /// No plugins: programs, modules, sources and logs without a trace of NRI.
    pub without_nri: u64,
    /// No plugins: files of no kind that could hold one.
    pub other_files: u64,
    /// No plugins: files without a byte.
    pub empty: u64,
    /// Further names of files that are counted already.
    pub other_names: u64,
    /// Archives, whose files are counted themselves.
    pub archives: u64,
    /// Files that could not be read: they are skipped.
    pub unreadable: u64,
}

impl Inputs {
    /// Returns each count with its name, in the order of declaration.
    pub fn named(&self) -> [(&'static str, u64); 7] {
        [
            ("evidence", self.evidence),
            ("without_nri", self.without_nri),
            ("other_files", self.other_files),
            ("empty", self.empty),
            ("other_names", self.other_names),
            ("archives", self.archives),
            ("unreadable", self.unreadable),
        ]
    }

    /// Returns the number of files.
    pub fn total(&self) -> u64 {
        self.named().iter().map(|(_, count)| count).sum()
    }
}
