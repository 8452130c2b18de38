//! The catalogue: every rule as data, one file per rule in `rules/`, embedded, and parsed on first
//! use.
//!
//! To add a rule, write `rules/ID.toml` and add a line to the table in `rules/table.rs`.
//!
//! ```
//! let rule = nri_compat::rules::get("FIELD_NO_DELETE").expect("a rule of buf's");
//! assert_eq!(rule.summary, "a field was deleted");
//! ```

mod parse;
mod severity;
pub(crate) mod table;

use std::sync::OnceLock;

pub use severity::{Category, Level};
use table::{buf_rules, check_rules, nri_rules};

/// A rule: its meaning, who is affected, what to do.
///
/// An id is permanent. An obsolete rule names its successor in `replaced_by` and stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Permanent id, for example `FIELD_NO_DELETE`.
    pub id: &'static str,
    /// The fact in one lower-case phrase.
    pub summary: String,
    /// The meaning, and who is affected; one paragraph.
    pub explanation: String,
    /// The remedy; one lower-case phrase.
    pub remedy: String,
    /// The kinds of compatibility that a violation breaks; never empty.
    pub categories: Vec<Category>,
    /// The default severity of a violation.
    pub level: Level,
    /// The rule that replaces this one, if it is obsolete.
    pub replaced_by: Option<String>,
}

/// A rule's id and text; the text is parsed once, on first use.
struct CatalogueEntry {
    id: &'static str,
    text: &'static str,
    rule: OnceLock<Option<Rule>>,
}

impl CatalogueEntry {
    fn rule(&self) -> Option<&Rule> {
        self.rule
            .get_or_init(|| parse::rule(self.id, self.text).ok())
            .as_ref()
    }
}

macro_rules! entries {
    ($($id:literal => $check:expr,)*) => {{
        const IDS: &[&str] = &[$($id),*];
        static ENTRIES: [CatalogueEntry; IDS.len()] = [$(CatalogueEntry {
            id: $id,
            text: include_str!(concat!("../rules/", $id, ".toml")),
            rule: OnceLock::new(),
        }),*];
        ENTRIES.iter()
    }};
}

/// Returns every rule: buf's, NRI's, then those of `check`.
fn entries() -> impl Iterator<Item = &'static CatalogueEntry> {
    let (buf, nri) = (buf_rules!(entries), nri_rules!(entries));
    buf.chain(nri).chain(check_rules!(entries))
}

/// Returns the rule with this exact id, or `None`.
pub fn get(id: &str) -> Option<&'static Rule> {
    entries()
        .find(|entry| entry.id == id)
        .and_then(CatalogueEntry::rule)
}

/// Returns every rule: buf's in alphabetical order, then NRI's, then those of `check`. Parses all
/// of them; [`ids`] parses none.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    entries().filter_map(CatalogueEntry::rule)
}

/// Returns the id of every rule, in the order of [`all`].
pub fn ids() -> impl Iterator<Item = &'static str> {
    entries().map(|entry| entry.id)
}

#[cfg(test)]
mod tests {
    use super::{entries, ids, parse};

    #[test]
    fn every_embedded_rule_parses() {
        for entry in entries() {
            parse::rule(entry.id, entry.text)
                .unwrap_or_else(|error| panic!("rules/{}.toml: {error}", entry.id));
        }
    }

    #[test]
    fn ids_are_unique() {
        let mut seen = std::collections::HashSet::new();
        assert!(ids().all(|id| seen.insert(id)));
    }
}
