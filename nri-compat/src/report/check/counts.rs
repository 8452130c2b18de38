//! The numbers of verdicts.

use serde::Serialize;

use super::{CheckReport, Outcome, Verdict};

/// The number of verdicts that count, by outcome, and of those that do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerdictCounts {
    /// Verdicts `ok`.
    pub ok: usize,
    /// Verdicts `unknown`.
    pub unknown: usize,
    /// Verdicts `deprecated`.
    pub deprecated: usize,
    /// Verdicts `removed`.
    pub removed: usize,
    /// Verdicts `incompatible`.
    pub incompatible: usize,
    /// Verdicts that the policy or the baseline suppresses.
    pub suppressed: usize,
}

impl VerdictCounts {
    /// Returns the numbers of verdicts that count, in the order of [`Outcome::ALL`].
    pub fn by_outcome(self) -> [usize; Outcome::ALL.len()] {
        let Self {
            ok,
            unknown,
            deprecated,
            removed,
            incompatible,
            suppressed: _,
        } = self;
        [ok, unknown, deprecated, removed, incompatible]
    }

    /// Adds a verdict that counts.
    pub(in crate::report) fn add(&mut self, outcome: Outcome) {
        let count = match outcome {
            Outcome::Ok => &mut self.ok,
            Outcome::Unknown => &mut self.unknown,
            Outcome::Deprecated => &mut self.deprecated,
            Outcome::Removed => &mut self.removed,
            Outcome::Incompatible => &mut self.incompatible,
        };
        *count += 1;
    }
}

impl<'v> FromIterator<&'v Verdict> for VerdictCounts {
    fn from_iter<I: IntoIterator<Item = &'v Verdict>>(verdicts: I) -> Self {
        let mut counts = Self::default();
        for verdict in verdicts {
            match verdict.suppressed {
                Some(_) => counts.suppressed += 1,
                None => counts.add(verdict.outcome),
            }
        }
        counts
    }
}

impl CheckReport {
    /// Returns the number of verdicts under all targets.
    pub fn counts(&self) -> VerdictCounts {
        self.verdicts().map(|(_, verdict)| verdict).collect()
    }

    /// Returns the number of verdicts under a target.
    pub fn counts_under(&self, target: &str) -> VerdictCounts {
        let verdicts = self.verdicts().map(|(_, verdict)| verdict);
        verdicts
            .filter(|verdict| verdict.target == target)
            .collect()
    }
}
