//! Findings and pairings as JSON, with the values that are derived from them.

use serde::{Serialize, Serializer};

use crate::report::finding::{Category, Finding, Level};
use crate::report::pairing::{Outcome, Pairing, PairingItem};
use crate::rules;

/// A violation of a rule, with the categories of the rule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct FindingDocument<'r> {
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
pub(super) struct PairingDocument<'r> {
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
