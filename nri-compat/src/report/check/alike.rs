//! Groups equal verdicts on one subject for several targets, for readable output.

use super::{Subject, Verdict};

impl Subject {
    /// Returns the verdicts, each with the targets for which it is the same: the worst first, otherwise in the order of the
    /// targets.
    pub fn alike(&self) -> Vec<(&Verdict, Vec<&str>)> {
        let mut groups: Vec<(&Verdict, Vec<&str>)> = Vec::new();
        for verdict in &self.verdicts {
            let same = |first: &Verdict| {
                let target = first.target.clone();
                *first
                    == Verdict {
                        target,
                        ..verdict.clone()
                    }
            };
            match groups.iter_mut().find(|(first, _)| same(first)) {
                Some((_, targets)) => targets.push(&verdict.target),
                None => groups.push((verdict, vec![&verdict.target])),
            }
        }
        groups.sort_by_key(|(verdict, _)| std::cmp::Reverse(verdict.outcome));
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::check::Outcome;

    #[test]
    fn alike_targets_share_one_entry_and_the_worst_comes_first() {
        let verdict = |(target, outcome): (&str, _)| Verdict {
            target: target.into(),
            outcome,
            ..Verdict::default()
        };
        let verdicts = [
            ("a", Outcome::Ok),
            ("b", Outcome::Removed),
            ("c", Outcome::Ok),
        ];
        let subject = Subject {
            verdicts: verdicts.map(verdict).to_vec(),
            ..Subject::default()
        };
        let groups = subject.alike().into_iter();
        let seen: Vec<_> = groups.map(|(_, targets)| targets).collect();
        assert_eq!(seen, [vec!["b"], vec!["a", "c"]]);
    }
}
