//! The catalogue: every rule as data, one file per rule in `rules/`, from which `catalogue.rs` is
//! generated.
//!
//! To add a rule, write `rules/ID.toml`, add a line to the table in `rules/table.rs`, and run
//! `cargo run -p xtask -- generate`.
//!
//! ```
//! let rule = nri_compat::rules::get("FIELD_NO_DELETE").expect("a rule of buf's");
//! assert_eq!(rule.summary, "a field was deleted");
//! ```

mod catalogue;
mod severity;
pub(crate) mod table;

use catalogue::RULES;
pub use severity::{Category, Level};
use table::{buf_rules, check_rules, nri_rules};

/// A rule: its meaning, who is affected, what to do.
///
/// An id is permanent. An obsolete rule names its successor in `replaced_by` and stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Permanent id, for example `FIELD_NO_DELETE`.
    pub id: &'static str,
    /// The fact in one lower-case phrase.
    pub summary: &'static str,
    /// The meaning, and who is affected; one paragraph.
    pub explanation: &'static str,
    /// The remedy; one lower-case phrase.
    pub remedy: &'static str,
    /// The kinds of compatibility that a violation breaks; never empty.
    pub categories: &'static [Category],
    /// The default severity of a violation.
    pub level: Level,
    /// The rule that replaces this one, if it is obsolete.
    pub replaced_by: Option<&'static str>,
}

macro_rules! collect_ids {
    ($($id:literal => $check:expr,)*) => {
        [$($id),*].into_iter()
    };
}

/// Returns the rule with this exact id, or `None`.
pub fn get(id: &str) -> Option<&'static Rule> {
    let place = RULES.binary_search_by_key(&id, |rule| rule.id).ok()?;
    RULES.get(place)
}

/// Returns every rule: buf's in alphabetical order, then NRI's, then those of `check`.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    ids().filter_map(get)
}

/// Returns the id of every rule, in the order of [`all`].
pub fn ids() -> impl Iterator<Item = &'static str> {
    let (buf, nri) = (buf_rules!(collect_ids), nri_rules!(collect_ids));
    buf.chain(nri).chain(check_rules!(collect_ids))
}

#[cfg(test)]
mod tests {
    use super::{RULES, ids};

    #[test]
    fn the_table_and_the_catalogue_have_the_same_rules() {
        let mut listed: Vec<&str> = ids().collect();
        listed.sort_unstable();
        let catalogue: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
        assert_eq!(listed, catalogue);
        assert!(listed.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
