//! Facts of a merged report as short phrases, for every human-readable format.

use super::{MergeReport, MergedCluster, MergedPlugin, MergedPool};
use crate::report::check::{Outcome, VerdictCounts, headline};
use crate::report::count::counted;

/// The title of [`MergeReport::without_host`].
pub const WITHOUT_HOST: &str =
    "Nodes of a cluster without their own report: plugins on these hosts are unknown";

/// The title of [`MergeReport::without_cluster`].
pub const WITHOUT_CLUSTER: &str =
    "Nodes that are in no report of a cluster: plugins in their pods may be unknown";

impl MergeReport {
    /// Returns the number of plugins, then that of their worst verdicts on any node under each target.
    pub fn headline(&self) -> String {
        let targets = self.targets().into_iter();
        let verdicts: Vec<_> = targets
            .map(|target| (target, self.counts_under(target)))
            .collect();
        headline(&counted(self.plugins.len(), "plugin"), &verdicts)
    }

    /// Returns the number of plugins by their worst verdict on any node under a target.
    pub fn counts_under(&self, target: &str) -> VerdictCounts {
        let plugins = self.plugins.iter();
        let outcomes = plugins.map(|plugin| plugin.outcomes_under(target));
        outcomes
            .filter_map(|outcomes| outcomes.first().map(|(outcome, _)| *outcome))
            .collect()
    }

    /// Returns the numbers of reports, nodes, plugins and skipped inputs.
    pub fn phrase(&self) -> String {
        let counts = &self.summary;
        let expected = counted(counts.expected, "expected node");
        let optional = [
            (
                counts.superseded,
                format!("{} superseded", counts.superseded),
            ),
            (counts.clusters, counted(counts.clusters, "cluster")),
            (
                counts.unnamed,
                format!("{} without the name of a node", counts.unnamed),
            ),
            (
                counts.expected,
                format!("{} of {expected} silent", counts.silent),
            ),
            (
                counts.beyond,
                format!("{} findings beyond the limits", counts.beyond),
            ),
        ];
        let reports = counted(counts.reports, "report");
        let mut facts = vec![
            format!("{reports} of {}", counted(counts.nodes, "node")),
            counted(counts.plugins, "plugin"),
        ];
        let optional = optional.into_iter().filter(|(count, _)| *count > 0);
        facts.extend(optional.map(|(_, fact)| fact));
        facts.push(format!("{} skipped", counts.skipped));
        facts.join(", ")
    }

    /// Returns the number of skipped inputs that are not listed: `and 12 more`.
    pub fn more_skipped(&self) -> Option<String> {
        let more = self.summary.skipped.saturating_sub(self.skipped.len());
        (more > 0).then(|| format!("and {more} more"))
    }
}

impl MergedCluster {
    /// Returns the name and the API server: `cluster prod (https://api.example.org)`.
    pub fn phrase(&self) -> String {
        format!("cluster {} ({})", self.name, self.server)
    }
}

impl MergedPool {
    /// Returns the number of nodes whose hosts were checked: `10 of 12 with their own report`.
    pub fn hosts(&self) -> String {
        let all = self.pool.nodes.len();
        format!("{} of {all} with their own report", self.reported)
    }
}

impl MergedPlugin {
    /// Returns the outcomes under a target, each with its number of nodes, the worst first.
    pub fn outcomes_under(&self, target: &str) -> Vec<(Outcome, usize)> {
        let mut verdicts = self.verdicts.iter();
        let verdict = verdicts.find(|verdict| verdict.target == target);
        let outcomes = verdict.into_iter().flat_map(|verdict| verdict.outcomes());
        let mut outcomes: Vec<_> = outcomes.collect();
        outcomes.reverse();
        outcomes
    }

    /// Returns `deprecated 40, ok 2`, the worst first; without a number if all nodes agree, and `-` if
    /// there is no verdict.
    pub fn outcomes_phrase(&self, target: &str) -> String {
        let all = self.outcomes_under(target);
        match all.as_slice() {
            [] => "-".to_owned(),
            [(outcome, count)] if *count == self.nodes => outcome.as_str().to_owned(),
            all => {
                let each = all
                    .iter()
                    .map(|(outcome, count)| format!("{} {count}", outcome.as_str()));
                each.collect::<Vec<_>>().join(", ")
            }
        }
    }
}
