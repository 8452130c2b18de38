//! The catalogue: every rule as data, one file per rule in `rules/`.
//!
//! To add a rule, write `rules/ID.toml`, and add a line to the table in `rules/table.rs`.
//!
//! ```
//! let rule = nri_compat::rules::get("FIELD_NO_DELETE").expect("a rule of buf's");
//! assert_eq!(rule.summary, "a field was deleted");
//! ```

mod file;
mod severity;
pub(crate) mod table;

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use file::RuleFile;
pub use severity::{Category, Level};
use table::{buf_rules, check_rules, nri_rules};

/// A rule: its meaning, who is affected, what to do.
///
/// An id is permanent. An obsolete rule names its successor in `replaced_by` and stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Permanent id, for example `FIELD_NO_DELETE`.
    #[serde(deserialize_with = "file::one_line")]
    pub id: &'static str,
    /// The fact in one lower-case phrase.
    #[serde(deserialize_with = "file::one_line")]
    pub summary: &'static str,
    /// The meaning, and who is affected; one paragraph.
    #[serde(deserialize_with = "file::one_line")]
    pub explanation: &'static str,
    /// The remedy; one lower-case phrase.
    #[serde(deserialize_with = "file::one_line")]
    pub remedy: &'static str,
    /// The kinds of compatibility that a violation breaks; never empty.
    #[serde(deserialize_with = "file::categories")]
    pub categories: &'static [Category],
    /// The default severity of a violation.
    pub level: Level,
    /// The rule that replaces this one, if it is obsolete.
    pub replaced_by: Option<&'static str>,
}

macro_rules! files {
    ($($id:literal => $check:expr,)*) => {
        [$(RuleFile::new($id, include_str!(concat!("../rules/", $id, ".toml")))),*]
    };
}

/// Returns the rule with this exact id, or `None`.
pub fn get(id: &str) -> Option<&'static Rule> {
    files().iter().find(|file| file.id == id)?.rule()
}

/// Returns every rule: buf's in alphabetical order, then NRI's, then those of `check`.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    files().iter().filter_map(RuleFile::rule)
}

/// Returns the id of every rule, in the order of [`all`].
pub fn ids() -> impl Iterator<Item = &'static str> {
    files().iter().map(|file| file.id)
}

/// Returns the file of every rule, in the order of [`all`].
fn files() -> &'static [RuleFile] {
    static FILES: OnceLock<Vec<RuleFile>> = OnceLock::new();
    FILES.get_or_init(|| {
        let (buf, nri) = (buf_rules!(files), nri_rules!(files));
        let all = buf.into_iter().chain(nri).chain(check_rules!(files));
        all.collect()
    })
}
