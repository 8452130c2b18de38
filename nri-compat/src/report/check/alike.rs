//! Verdicts on one subject that say the same about several targets, put together as people read them.

use super::{Subject, Verdict};

/// Targets for which one subject fares alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alike<'r> {
    /// The verdict, as on the first of them.
    pub verdict: &'r Verdict,
    /// Names of the targets, in the order of the report.
    pub targets: Vec<&'r str>,
}

impl Subject {
    /// Returns the verdicts, alike ones together; the worst first, else in the order of the
    /// targets.
    pub fn alike(&self) -> Vec<Alike<'_>> {
        let mut groups: Vec<Alike<'_>> = Vec::new();
        for verdict in &self.verdicts {
            match groups.iter_mut().find(|group| same(group.verdict, verdict)) {
                Some(group) => group.targets.push(&verdict.target),
                None => groups.push(Alike {
                    verdict,
                    targets: vec![&verdict.target],
                }),
            }
        }
        groups.sort_by_key(|group| std::cmp::Reverse(group.verdict.outcome));
        groups
    }
}

/// Returns true if two verdicts differ in nothing but the target.
fn same(one: &Verdict, other: &Verdict) -> bool {
    let mut other = other.clone();
    other.target.clone_from(&one.target);
    *one == other
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::check::Outcome;

    #[test]
    fn alike_targets_share_one_entry_and_the_worst_comes_first() {
        let verdict = |target: &str, outcome| Verdict {
            target: target.into(),
            outcome,
            ..Verdict::default()
        };
        let subject = Subject {
            verdicts: vec![
                verdict("a", Outcome::Ok),
                verdict("b", Outcome::Removed),
                verdict("c", Outcome::Ok),
            ],
            ..Subject::default()
        };
        let seen: Vec<_> = subject
            .alike()
            .into_iter()
            .map(|group| group.targets)
            .collect();
        assert_eq!(seen, [vec!["b"], vec!["a", "c"]]);
    }
}
