//! Groups findings by rule, most serious first, for all human-readable formats.

use super::finding::{Finding, Level};

/// The findings of one rule at one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group<'r> {
    /// Level of every finding in it.
    pub level: Level,
    /// Id of the rule.
    pub rule: &'static str,
    /// Its findings, in the order of the report.
    pub findings: Vec<&'r Finding>,
}

/// Groups `findings` by level and rule: errors first, then by the order in which rules occur.
pub fn by_rule(findings: &[Finding]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for finding in findings {
        let same =
            |group: &&mut Group<'_>| group.rule == finding.rule && group.level == finding.level;
        match groups.iter_mut().find(same) {
            Some(group) => group.findings.push(finding),
            None => groups.push(Group {
                level: finding.level,
                rule: finding.rule,
                findings: vec![finding],
            }),
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.level));
    groups
}

/// Returns the relevant part of a full name: `Message.field`, `Plugin.Rpc`, or only the last part
/// if the rest is always the same (`RUN_POD_SANDBOX`).
pub fn short(element: &str) -> &str {
    let mut dots = element.rmatch_indices('.').map(|(at, _)| at);
    let (Some(last), before) = (dots.next(), dots.next()) else {
        return element;
    };
    let start = before.map_or(0, |at| at + 1);
    let parent = &element[start..last];
    if matches!(parent, "Event" | "Plugin") {
        &element[last + 1..]
    } else {
        &element[start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(rule: &'static str, level: Level) -> Finding {
        Finding {
            location: None,
            rule,
            element: String::new(),
            nth: 0,
            message: String::new(),
            level,
            explained_by: None,
            change: String::new(),
        }
    }

    #[test]
    fn the_worst_comes_first_and_rules_stay_together() {
        let findings = [
            finding("A", Level::Note),
            finding("B", Level::Error),
            finding("A", Level::Note),
        ];
        let groups = by_rule(&findings);
        let seen: Vec<_> = groups
            .iter()
            .map(|group| (group.rule, group.findings.len()))
            .collect();
        assert_eq!(seen, [("B", 1), ("A", 2)]);
    }

    #[test]
    fn names_are_shortened_but_stay_distinct() {
        assert_eq!(
            short("nri.pkg.api.v1alpha1.Event.RUN_POD_SANDBOX"),
            "RUN_POD_SANDBOX"
        );
        assert_eq!(
            short("nri.pkg.api.v1alpha1.Plugin.RunPodSandbox"),
            "RunPodSandbox"
        );
        assert_eq!(
            short("nri.pkg.api.v1alpha1.Container.image"),
            "Container.image"
        );
        assert_eq!(
            short("nri.pkg.api.v1alpha1.Runtime.RegisterPlugin"),
            "Runtime.RegisterPlugin"
        );
        assert_eq!(short("Container"), "Container");
        assert_eq!(short("a.b"), "a.b");
    }
}
