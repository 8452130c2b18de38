//! A finding of a rule about a pair of schemas.

use serde::{Serialize, Serializer};

use super::fingerprint::fingerprint_of;
use crate::rules;
pub use crate::rules::{Category, Level};
pub use nri_schema::Location;

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// The id of the rule, which is permanent; see `nri-compat explain`.
    pub rule: &'static str,
    /// The kinds of compatibility that a violation breaks.
    pub categories: &'static [Category],
    /// The severity, after any override.
    pub level: Level,
    /// The full name of the element.
    pub element: String,
    /// The fact, in lower case, without remedy.
    pub message: String,
    /// The location, if the file of the element exists on either side.
    #[serde(serialize_with = "place")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<JsonLocation<'static>>"))]
    pub location: Option<Location>,
    /// Its number among the findings of this rule about this element, counted from 0.
    #[serde(skip)]
    pub nth: usize,
    /// The difference between both declarations of the element, such as `type string → bytes`;
    /// empty if only one side has it.
    #[serde(skip)]
    pub change: String,
    /// The id of the rule whose finding explains this one, if it is not a real break.
    #[serde(skip)]
    pub explained_by: Option<&'static str>,
}

impl Finding {
    /// Creates a finding without a location.
    pub fn new(
        rule: &'static str,
        level: Level,
        element: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            rule,
            categories: rules::get(rule).map_or(&[], |rule| rule.categories),
            level,
            element: element.into(),
            message: message.into(),
            location: None,
            nth: 0,
            change: String::new(),
            explained_by: None,
        }
    }

    /// Returns 32 hexadecimal digits that identify the finding, regardless of its wording, level
    /// and location: derived from its rule, its element, its number among the findings of that
    /// rule about that element, and the difference of the element. Otherwise a baseline with one
    /// change would hide a later, different change of the same element.
    pub fn fingerprint(&self) -> String {
        let nth = self.nth.to_string();
        let mut parts = vec![self.rule, &self.element, &nth];
        if !self.change.is_empty() {
            parts.push(&self.change);
        }
        fingerprint_of(&parts)
    }
}

/// The location of a finding. Line and column are counted from 1.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Location"))]
struct JsonLocation<'l> {
    /// The file: its name in the schema, or a path.
    file: &'l str,
    /// The line.
    line: u32,
    /// The column.
    column: u32,
}

fn place<S: Serializer>(location: &Option<Location>, serializer: S) -> Result<S::Ok, S::Error> {
    let place = location.as_ref().map(|at| JsonLocation {
        file: &at.file,
        line: at.line,
        column: at.column,
    });
    place.serialize(serializer)
}
