//! The numbers of plugins and of verdicts.

use serde::Serialize;

use super::{CheckReport, Outcome, Verdict};
use crate::report::count::counted;
use crate::sighting::Role;

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
    /// Returns the number of verdicts that count and have this outcome.
    pub fn count(&self, outcome: Outcome) -> usize {
        match outcome {
            Outcome::Ok => self.ok,
            Outcome::Unknown => self.unknown,
            Outcome::Deprecated => self.deprecated,
            Outcome::Removed => self.removed,
            Outcome::Incompatible => self.incompatible,
        }
    }

    fn add(&mut self, outcome: Outcome) {
        let count = match outcome {
            Outcome::Ok => &mut self.ok,
            Outcome::Unknown => &mut self.unknown,
            Outcome::Deprecated => &mut self.deprecated,
            Outcome::Removed => &mut self.removed,
            Outcome::Incompatible => &mut self.incompatible,
        };
        *count += 1;
    }

    /// Returns the counts other than zero: `1 ok, 2 deprecated, 1 suppressed`.
    fn phrase(&self) -> String {
        let outcomes = Outcome::ALL.map(|outcome| (self.count(outcome), outcome.as_str()));
        let all = outcomes
            .into_iter()
            .chain([(self.suppressed, "suppressed")]);
        let some = all.filter(|(count, _)| *count > 0);
        let some: Vec<String> = some
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        if some.is_empty() {
            return "no verdicts".to_owned();
        }
        some.join(", ")
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

impl FromIterator<Outcome> for VerdictCounts {
    fn from_iter<I: IntoIterator<Item = Outcome>>(outcomes: I) -> Self {
        let mut counts = Self::default();
        outcomes.into_iter().for_each(|outcome| counts.add(outcome));
        counts
    }
}

/// Returns the number of plugins, then that of their verdicts by target: `3 plugins: 1 ok, 2 deprecated`.
pub(in crate::report) fn headline(plugins: &str, verdicts: &[(&str, VerdictCounts)]) -> String {
    let verdicts = match verdicts {
        [] => return plugins.to_owned(),
        [(_, counts)] => counts.phrase(),
        targets => {
            let each = targets.iter();
            let each = each.map(|(target, counts)| format!("{} under {target}", counts.phrase()));
            each.collect::<Vec<_>>().join("; ")
        }
    };
    format!("{plugins}: {verdicts}")
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

    /// Returns the number of plugins, then that of their verdicts under each target: `3 plugins: 1 ok,
    /// 2 deprecated`; `None` if nothing was judged.
    pub fn headline(&self) -> Option<String> {
        let judged = self.subjects.iter();
        let judged = judged.filter(|subject| !subject.verdicts.is_empty());
        let (plugins, others): (Vec<_>, Vec<_>) =
            judged.partition(|subject| subject.role == Role::Plugin);
        let subjects = match (plugins.len(), others.len()) {
            (0, 0) => return None,
            (plugins, 0) => counted(plugins, "plugin"),
            (0, others) => counted(others, "file"),
            (plugins, others) => format!(
                "{} and {}",
                counted(plugins, "plugin"),
                counted(others, "other file")
            ),
        };
        let targets = self.targets.iter().map(|target| target.name.as_str());
        let verdicts: Vec<_> = targets
            .map(|target| (target, self.counts_under(target)))
            .collect();
        Some(headline(&subjects, &verdicts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::check::{CheckTarget, Subject};

    #[test]
    fn the_headline_counts_plugins_and_then_verdicts_under_each_target() {
        let verdict = |target: &str, outcome| Verdict {
            target: target.into(),
            outcome,
            ..Verdict::default()
        };
        let plugin = |outcomes: [Outcome; 2]| Subject {
            role: Role::Plugin,
            verdicts: vec![verdict("a", outcomes[0]), verdict("b", outcomes[1])],
            ..Subject::default()
        };
        let target = |name: &str| CheckTarget {
            name: name.into(),
            ..CheckTarget::default()
        };
        let mut report = CheckReport {
            targets: vec![target("a"), target("b")],
            subjects: vec![
                plugin([Outcome::Ok, Outcome::Ok]),
                plugin([Outcome::Deprecated, Outcome::Removed]),
            ],
            ..CheckReport::default()
        };
        assert_eq!(
            report.headline().as_deref(),
            Some("2 plugins: 1 ok, 1 deprecated under a; 1 ok, 1 removed under b")
        );
        report.targets.pop();
        report.subjects[0].role = Role::None;
        assert_eq!(
            report.headline().as_deref(),
            Some("1 plugin and 1 other file: 1 ok, 1 deprecated")
        );
        assert_eq!(CheckReport::default().headline(), None);
    }
}
