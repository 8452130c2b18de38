//! Verdicts as cells of a matrix: a word, and a class for its colour.

use crate::report::check::{Outcome, Verdict};
use crate::report::finding::Level;
use crate::report::pairing;

/// The class of verdicts that do not count.
pub(super) const SUPPRESSED: &str = "s";

/// A verdict in a matrix.
pub(super) struct Cell {
    /// The class.
    pub(super) class: &'static str,
    /// The name of the verdict.
    pub(super) word: &'static str,
    /// True if the policy or the baseline suppresses it.
    pub(super) suppressed: bool,
}

/// A filter of a matrix.
pub(super) struct Filter {
    /// The class of the cells that it keeps.
    pub(super) class: &'static str,
    /// The name of the verdict.
    pub(super) word: &'static str,
    /// The number of verdicts.
    pub(super) count: usize,
}

/// Returns the class of an outcome. Classes are short because large reports have many cells.
pub(super) const fn class(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "o",
        Outcome::Unknown => "u",
        Outcome::Deprecated => "d",
        Outcome::Removed => "r",
        Outcome::Incompatible => "i",
    }
}

/// Returns the class of a level.
pub(super) const fn level_class(level: Level) -> &'static str {
    match level {
        Level::Note => "h",
        Level::Warning => "d",
        Level::Error => "i",
    }
}

/// Returns the class of the outcome of a pairing.
pub(super) const fn pairing_class(outcome: pairing::Outcome) -> &'static str {
    match outcome {
        pairing::Outcome::Works => "o",
        pairing::Outcome::Fallback => "d",
        pairing::Outcome::Unknown => "u",
        pairing::Outcome::Loses | pairing::Outcome::LosesPresence | pairing::Outcome::Misreads => {
            "r"
        }
        pairing::Outcome::Fails | pairing::Outcome::Dropped => "i",
    }
}

impl From<&Verdict> for Cell {
    fn from(verdict: &Verdict) -> Self {
        let suppressed = verdict.suppressed.is_some();
        Self {
            class: if suppressed {
                SUPPRESSED
            } else {
                class(verdict.outcome)
            },
            word: verdict.outcome.as_str(),
            suppressed,
        }
    }
}
