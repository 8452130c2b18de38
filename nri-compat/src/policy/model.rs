//! The decisions of a policy.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::fail::FailOn;
use super::ignore::Ignore;
use crate::report::finding::Level;

/// A policy: `nri-compat.toml`. The default decides nothing.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// The file, as shown in messages.
    pub(crate) file: String,
    /// The targets if the command line names none.
    pub(crate) targets: Vec<String>,
    /// The conditions for exit code 100 if the command line gives none.
    pub fail_on: Vec<FailOn>,
    /// The levels of rules, by id.
    pub(crate) rules: BTreeMap<String, RuleLevel>,
    /// Verdicts that do not count, in the order of the file.
    pub(crate) ignores: Vec<Ignore>,
}

/// The level that the policy gives to a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "LevelWord")]
pub(crate) enum RuleLevel {
    /// A level. Verdicts with `error` always count, whatever `--fail-on` names; verdicts with `note`
    /// never count.
    Level(Level),
    /// The verdicts are suppressed.
    Off,
}

/// The word for a level.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum LevelWord {
    Error,
    Warning,
    Note,
    Off,
}

impl From<LevelWord> for RuleLevel {
    fn from(word: LevelWord) -> Self {
        match word {
            LevelWord::Error => Self::Level(Level::Error),
            LevelWord::Warning => Self::Level(Level::Warning),
            LevelWord::Note => Self::Level(Level::Note),
            LevelWord::Off => Self::Off,
        }
    }
}
