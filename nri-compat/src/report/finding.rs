//! A finding of a rule about a pair of schemas.

use super::hash::fingerprint_of;
pub use crate::rules::{Category, Level};
pub use nri_schema::Location;

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Finding {
    /// The location; `None` if the file of the element exists on neither side.
    pub location: Option<Location>,
    /// Permanent id of the rule, for example `FIELD_NO_DELETE`.
    pub rule: &'static str,
    /// The full name of the element.
    pub element: String,
    /// Its number among the findings of this rule about this element, counted from 0.
    pub nth: usize,
    /// The difference between both declarations of the element, such as `type string → bytes`; empty
    /// if only one side has it.
    pub change: String,
    /// The fact, in lower case, without remedy.
    pub message: String,
    /// The severity, after any override.
    pub level: Level,
    /// The id of the rule whose finding explains this one, if it is not a real break.
    pub explained_by: Option<&'static str>,
}

impl Finding {
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
