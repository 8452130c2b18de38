//! A diff report as JSON: the report itself, with the values that are derived from it.

use serde::{Serialize, Serializer};

use super::{Change, DiffReport, Side, Summary, SuppressedFinding};
use crate::report::finding::{Category, Finding, Level};
use crate::report::pairing::{Outcome, Pairing, PairingItem};
use crate::rules;

/// The report of `diff`: what changed between two versions of a protocol, and what breaks.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::report) struct DiffDocument<'r> {
    /// The date of the newest release in the tables that were used, `YYYY-MM-DD`.
    data_date: &'r str,
    /// The side that the user named first.
    from: &'r Side,
    /// The side that the user named second.
    to: &'r Side,
    /// The findings of the rules, sorted.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<FindingDocument<'r>>"))]
    findings: &'r [Finding],
    /// Every element that was added, removed or changed, in declaration order.
    changes: &'r [Change],
    /// The pairings of plugins of one side with runtimes of the other.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<PairingDocument<'r>>"))]
    pairings: &'r [Pairing],
    /// Findings that do not count because of the policy or the baseline.
    suppressed: &'r [SuppressedFinding],
    /// Ignores of the policy without effect, and entries of the baseline that were not found.
    policy: &'r [String],
    /// The numbers of findings by level and of changes by kind.
    summary: Summary,
}

impl Serialize for DiffReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let document = DiffDocument {
            data_date: &self.data_date,
            from: &self.from,
            to: &self.to,
            findings: &self.findings,
            changes: &self.changes,
            pairings: &self.pairings,
            suppressed: &self.suppressed,
            policy: &self.policy,
            summary: self.summary(),
        };
        document.serialize(serializer)
    }
}

/// A violation of a rule, with the categories of the rule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::report) struct FindingDocument<'r> {
    /// The id of the rule; see `nri-compat explain`.
    rule: &'r str,
    /// The kinds of compatibility that a violation breaks.
    categories: &'r [Category],
    /// The severity, after any override.
    level: Level,
    /// The full name of the element.
    element: &'r str,
    /// The fact, in lower case, without remedy.
    message: &'r str,
    /// The location, if the file of the element exists on either side.
    location: Option<Location<'r>>,
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let location = self.location.as_ref().map(|at| Location {
            file: &at.file,
            line: at.line,
            column: at.column,
        });
        let document = FindingDocument {
            rule: self.rule,
            categories: rules::get(self.rule).map_or(&[], |rule| rule.categories),
            level: self.level,
            element: &self.element,
            message: &self.message,
            location,
        };
        document.serialize(serializer)
    }
}

/// The location of a finding. Line and column are counted from 1.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Location<'r> {
    /// The file: its name in the schema, or a path.
    file: &'r str,
    /// The line.
    line: u32,
    /// The column.
    column: u32,
}

/// A plugin version on a runtime version, with the worst outcome.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct PairingDocument<'r> {
    /// The protocol version of the plugin.
    plugin: &'r str,
    /// The protocol version of the runtime.
    runtime: &'r str,
    /// The worst outcome of any item.
    outcome: Outcome,
    /// Events, fields and steps of the protocol, each with its outcome.
    items: &'r [PairingItem],
}

impl Serialize for Pairing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let document = PairingDocument {
            plugin: &self.plugin,
            runtime: &self.runtime,
            outcome: self.outcome(),
            items: &self.items,
        };
        document.serialize(serializer)
    }
}
