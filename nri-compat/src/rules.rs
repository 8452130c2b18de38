//! The catalogue: every rule as data, one file per rule in `rules/`.
//!
//! To add a rule, write `rules/ID.toml`, and add a line to the table in `rules/table.rs`. Incidents
//! in logs are rules, too; see [`incident`].
//!
//! ```
//! let rule = nri_compat::rules::get("FIELD_NO_DELETE").expect("a rule of buf's");
//! assert_eq!(rule.summary, "a field was deleted");
//! ```

pub mod incident;
pub(crate) mod outcomes;
pub(crate) mod table;

use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize};

use crate::names::names;
pub(crate) use table::ids;
use table::{buf_rules, check_rules, config_rules, incidents, nri_rules};

/// A rule: its meaning, who is affected, what to do.
///
/// An id is permanent. An obsolete rule names its successor in `replaced_by` and stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Permanent id, for example `FIELD_NO_DELETE`.
    #[serde(deserialize_with = "one_line")]
    pub id: &'static str,
    /// The fact in one lower-case phrase.
    #[serde(deserialize_with = "one_line")]
    pub summary: &'static str,
    /// The meaning, and who is affected; one paragraph.
    #[serde(deserialize_with = "one_line")]
    pub explanation: &'static str,
    /// The remedy; one lower-case phrase.
    #[serde(deserialize_with = "one_line")]
    pub remedy: &'static str,
    /// The kinds of compatibility that a violation breaks; never empty.
    #[serde(deserialize_with = "categories")]
    pub categories: &'static [Category],
    /// The default severity of a violation.
    pub level: Level,
    /// The rule that replaces this one, if it is obsolete.
    pub replaced_by: Option<&'static str>,
}

/// A kind of compatibility that a violation breaks: buf's four categories, `NRI` for rules of this
/// protocol, `CHECK` for findings about plugins, `INCIDENT` for what the log of a runtime says
/// about one, and `CONFIG` for what its configuration says.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Category {
    /// Generated source code breaks, per file.
    #[default]
    File,
    /// Generated source code breaks, per package.
    Package,
    /// The binary or the JSON encoding breaks.
    WireJson,
    /// The binary encoding breaks.
    Wire,
    /// Plugins or runtimes break although their encodings agree.
    Nri,
    /// A plugin breaks, or will break.
    Check,
    /// The log of a runtime says what happened to a plugin.
    Incident,
    /// The configuration of a runtime decides what a plugin meets, or has no effect.
    Config,
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Worth knowing; nothing breaks.
    Note,
    /// Something breaks for some peers, or will break.
    Warning,
    /// Something breaks.
    Error,
}

names! {
    Category {
        File = "FILE",
        Package = "PACKAGE",
        WireJson = "WIRE_JSON",
        Wire = "WIRE",
        Nri = "NRI",
        Check = "CHECK",
        Incident = "INCIDENT",
        Config = "CONFIG",
    }
    Level {
        Note = "note",
        Warning = "warning",
        Error = "error",
    }
}

impl Category {
    /// Returns a phrase that describes what breaks.
    pub const fn about(self) -> &'static str {
        match self {
            Self::File => "generated source code breaks, compared per file",
            Self::Package => "generated source code breaks, compared per package",
            Self::WireJson => "the binary or the JSON encoding breaks",
            Self::Wire => "the binary encoding breaks",
            Self::Nri => "NRI plugins or runtimes break, although their encodings agree",
            Self::Check => "findings of `check` and `logs` about plugins",
            Self::Incident => "what the log of a runtime says about a plugin, beside the verdict",
            Self::Config => {
                "what the configuration of a runtime means for plugins, and what it ignores"
            }
        }
    }
}

macro_rules! files {
    ($($id:ident => $check:expr,)*) => {
        [$(RuleFile {
            id: ids::$id,
            // A test excludes a malformed file.
            rule: LazyLock::new(|| toml::from_str(include_str!(concat!("../rules/", stringify!($id), ".toml"))).ok()),
        }),*]
    };
}

/// Returns the rule with this exact id, or `None`.
pub fn get(id: &str) -> Option<&'static Rule> {
    FILES.iter().find(|file| file.id == id)?.rule.as_ref()
}

/// The same for incidents, whose files have more than a rule.
macro_rules! incident_files {
    ($($id:literal,)*) => {
        [$(RuleFile {
            id: $id,
            rule: LazyLock::new(|| incident::get($id).map(|incident| incident.rule)),
        }),*]
    };
}

/// Returns every rule: buf's in alphabetical order, then NRI's, then those of `check`, then
/// incidents, then those about the configuration of runtimes.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    FILES.iter().filter_map(|file| file.rule.as_ref())
}

/// Returns the id of every rule, in the order of [`all`].
pub fn ids() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|file| file.id)
}

/// The file of a rule, which is parsed when the rule is needed: most commands need a few of them.
struct RuleFile {
    id: &'static str,
    rule: LazyLock<Option<Rule>>,
}

/// The file of every rule, in the order of [`all`].
static FILES: LazyLock<Vec<RuleFile>> = LazyLock::new(|| {
    let (buf, nri) = (buf_rules!(files), nri_rules!(files));
    let all = buf.into_iter().chain(nri).chain(check_rules!(files));
    all.chain(incidents!(incident_files)).chain(config_rules!(files)).collect()
});

/// Reads a text, and joins its lines. The texts of a rule live as long as the program, like the
/// table.
fn one_line<'de, D: Deserializer<'de>>(text: D) -> Result<&'static str, D::Error> {
    let text = String::deserialize(text)?;
    let words: Vec<&str> = text.split_whitespace().collect();
    Ok(words.join(" ").leak())
}

/// Reads the categories, which live as long as the program, too.
fn categories<'de, D: Deserializer<'de>>(categories: D) -> Result<&'static [Category], D::Error> {
    Ok(Vec::deserialize(categories)?.leak())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_complete() {
        for file in FILES.iter() {
            let rule = file.rule.as_ref().expect(file.id);
            assert_eq!(rule.id, file.id);
            assert!(!rule.categories.is_empty(), "{rule:?}");
            let texts = [rule.summary, rule.explanation, rule.remedy];
            assert!(texts.iter().all(|text| !text.is_empty()), "{rule:?}");
        }
    }
}
