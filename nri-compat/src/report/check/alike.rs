//! Groups equal verdicts on one subject for several targets, for readable output.

use super::{Subject, Verdict};

/// Targets with the same verdict for one subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alike<'r> {
    /// The verdict for the first of them.
    pub verdict: &'r Verdict,
    /// The names of the targets, in the order of the report.
    pub targets: Vec<&'r str>,
}

impl Subject {
    /// Returns the verdicts, equal ones grouped: the worst first, otherwise in the order of the
    /// targets.
    pub fn alike(&self) -> Vec<Alike<'_>> {
        let mut groups: Vec<Alike<'_>> = Vec::new();
        for verdict in &self.verdicts {
            match groups
                .iter_mut()
                .find(|group| differ_only_in_target(group.verdict, verdict))
            {
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

/// Returns true if two verdicts differ only in the target.
fn differ_only_in_target(left: &Verdict, right: &Verdict) -> bool {
    let mut right = right.clone();
    right.target.clone_from(&left.target);
    *left == right
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
