//! The findings of `diff`: one plain value that every renderer reads.

use super::check::Suppression;
use super::finding::{Category, Finding, Level};
use super::pairing::Pairing;
use super::visible::{acts, visible};

/// The answer of `diff`: what changed between two schemas, and what that means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiffReport {
    /// The date of the newest release in the tables, `YYYY-MM-DD`.
    pub data_date: String,
    /// The older end, or whatever the user named first.
    pub from: Side,
    /// The newer end, or whatever the user named second.
    pub to: Side,
    /// The category whose protobuf rules ran.
    pub category: Category,
    /// How many rules ran, protobuf and NRI together.
    pub rules: usize,
    /// The findings of the rules, sorted.
    pub findings: Vec<Finding>,
    /// Interfaces that are deprecated at `to` and were not at `from`.
    pub deprecated: Vec<Deprecated>,
    /// Every element added, removed or changed, in order of declaration.
    pub changes: Vec<Change>,
    /// How a plugin of one side gets on with a runtime of the other.
    pub pairings: Vec<Pairing>,
    /// Findings that do not count, since the policy or the baseline says so.
    pub suppressed: Vec<SuppressedFinding>,
    /// Ignores of the policy that have no effect, and how much of the baseline was not found.
    pub policy: Vec<String>,
}

/// A finding that does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuppressedFinding {
    /// The finding.
    pub finding: Finding,
    /// Why it does not count.
    pub by: Suppression,
}

impl DiffReport {
    /// Returns the report with every name and path as [`visible`] shows it, for all formats that people read.
    #[must_use]
    pub fn visible(&self) -> Self {
        let mut report = self.clone();
        report.texts_mut().for_each(|text| {
            if text.chars().any(acts) {
                *text = visible(text);
            }
        });
        report
    }

    /// Returns every text that holds what a file, a path or the user said.
    fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let sides = [&mut self.from, &mut self.to].into_iter();
        let sides = sides.flat_map(|side| [&mut side.input, &mut side.name]);
        let suppressed = self.suppressed.iter_mut().map(|one| &mut one.finding);
        let findings = self.findings.iter_mut().chain(suppressed);
        let findings = findings.flat_map(|finding| {
            let file = finding.location.as_mut().map(|place| &mut place.file);
            [&mut finding.element, &mut finding.message]
                .into_iter()
                .chain(file)
        });
        let changes = self.changes.iter_mut();
        let changes = changes.flat_map(|change| [&mut change.element, &mut change.detail]);
        let pairings = self.pairings.iter_mut().flat_map(|pairing| {
            let items = pairing.items.iter_mut();
            let items = items.flat_map(|item| [&mut item.element, &mut item.detail]);
            [&mut pairing.plugin, &mut pairing.runtime]
                .into_iter()
                .chain(items)
        });
        sides.chain(findings).chain(changes).chain(pairings)
    }
}

/// One of the two schemas compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// As the user named it.
    pub input: String,
    /// The schema that this names: an NRI release, or the path of a file or folder.
    pub name: String,
    /// The protocol revision, when it is a known one.
    pub revision: Option<String>,
    /// When the release came out, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// All releases that carry the revision.
    pub releases: Vec<String>,
    /// Ranges of runtime releases that ship the revision, such as `containerd 2.3.0–2.3.7`.
    pub runtimes: Vec<String>,
    /// True if the schema is an NRI protocol; only then are there NRI findings and pairings.
    pub is_nri: bool,
}

/// An interface that became deprecated on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deprecated {
    /// Permanent id in the table of deprecations.
    pub id: String,
    /// One line on what it is.
    pub summary: String,
    /// First release that counts it as deprecated, such as `v0.12.0`.
    pub since: String,
    /// First runtime release that tells the operator, such as `containerd 2.3.4`.
    pub warned_by: Option<String>,
    /// When it goes: `planned for containerd 2.7`, `done in v0.12.0`.
    pub removal: String,
    /// Its replacements: event and RPC.
    pub replaced_by: Vec<(String, String)>,
    /// The step for the author of a plugin.
    pub remedy: String,
}

/// The way in which an element changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// Only `to` has it.
    Added,
    /// Only `from` has it.
    Removed,
    /// Both have it, not alike.
    Changed,
}

/// The sort of element that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum What {
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Change {
    /// Added, removed or changed.
    pub kind: ChangeKind,
    /// The sort of element.
    pub what: What,
    /// Fully qualified name.
    pub element: String,
    /// How it changed, such as `number 12 → 14`; empty unless changed.
    pub detail: String,
}

/// Counts for the last lines of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Findings of level error.
    pub errors: usize,
    /// Findings of level warning.
    pub warnings: usize,
    /// Findings of level note.
    pub notes: usize,
    /// Elements only `to` has.
    pub added: usize,
    /// Elements only `from` has.
    pub removed: usize,
    /// Elements both have, not alike.
    pub changed: usize,
    /// Rules that ran.
    pub rules: usize,
}

impl DiffReport {
    /// Counts findings by level and changes by kind.
    pub fn summary(&self) -> Summary {
        Summary {
            errors: self.count(Level::Error),
            warnings: self.count(Level::Warning),
            notes: self.count(Level::Note),
            added: self.count_changes(ChangeKind::Added),
            removed: self.count_changes(ChangeKind::Removed),
            changed: self.count_changes(ChangeKind::Changed),
            rules: self.rules,
        }
    }

    /// Returns the most serious level found, if anything was.
    pub fn worst(&self) -> Option<Level> {
        self.findings.iter().map(|finding| finding.level).max()
    }

    fn count(&self, level: Level) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.level == level)
            .count()
    }

    fn count_changes(&self, kind: ChangeKind) -> usize {
        self.changes
            .iter()
            .filter(|change| change.kind == kind)
            .count()
    }
}

impl ChangeKind {
    /// All kinds, in the order reports list them.
    pub const ALL: [Self; 3] = [Self::Added, Self::Removed, Self::Changed];

    /// Returns the name used in every format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
        }
    }
}

impl What {
    /// All sorts, in the order reports list them.
    pub const ALL: [Self; 6] = [
        Self::Service,
        Self::Rpc,
        Self::Message,
        Self::Field,
        Self::Enum,
        Self::EnumValue,
    ];

    /// Returns the name used in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Rpc => "rpc",
            Self::Message => "message",
            Self::Field => "field",
            Self::Enum => "enum",
            Self::EnumValue => "enum_value",
        }
    }

    /// Returns the name used in prose, for `count` of them.
    pub const fn noun(self, count: usize) -> &'static str {
        match (self, count) {
            (Self::Service, 1) => "service",
            (Self::Service, _) => "services",
            (Self::Rpc, 1) => "RPC",
            (Self::Rpc, _) => "RPCs",
            (Self::Message, 1) => "message",
            (Self::Message, _) => "messages",
            (Self::Field, 1) => "field",
            (Self::Field, _) => "fields",
            (Self::Enum, 1) => "enum",
            (Self::Enum, _) => "enums",
            (Self::EnumValue, 1) => "enum value",
            (Self::EnumValue, _) => "enum values",
        }
    }
}
