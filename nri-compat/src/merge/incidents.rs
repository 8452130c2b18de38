//! The incidents in reports, and the number of nodes of each.

use std::cmp::Reverse;

use serde::Serialize;

use crate::report::check::Incident;
use crate::report::finding::Level;
use crate::report::merge::MergedIncident;

/// An incident in a report, without what differs from node to node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(super) struct FoundIncident {
    rule: &'static str,
    level: Level,
    setting: Option<String>,
}

impl FoundIncident {
    pub(super) fn new(incident: &Incident) -> Self {
        let setting = incident.setting.clone();
        Self { rule: incident.rule, level: incident.level(), setting }
    }

    /// Returns the incident of a plugin, or of a configuration, on a number of nodes.
    pub(super) fn on(&self, label: &str, path: &str, nodes: usize) -> MergedIncident {
        MergedIncident {
            rule: self.rule,
            level: self.level,
            label: label.to_owned(),
            path: path.to_owned(),
            setting: self.setting.clone(),
            nodes,
        }
    }
}

/// Returns incidents in the order of the report: the most serious on the most nodes first.
pub(super) fn in_order_of_level(mut incidents: Vec<MergedIncident>) -> Vec<MergedIncident> {
    incidents.sort_by_cached_key(|one| {
        let badness = Reverse((one.level, one.nodes));
        (badness, one.rule, one.label.clone(), one.path.clone(), one.setting.clone())
    });
    incidents
}
