//! The output of a scenario, as JSON.

use nri::api::{ContainerAdjustment, ContainerEviction, ContainerUpdate};
use nri_adaptation::{Deprecated, Outcome, Via};
use serde::Serialize;

use crate::event::rpc_name;

/// The result of a scenario.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    pub(crate) steps: Vec<StepReport>,
    pub(crate) deprecations: Vec<DeprecationReport>,
}

/// The result of one event.
#[derive(Debug, Serialize)]
pub(crate) struct StepReport {
    event: String,
    pub(crate) error: Option<String>,
    /// The merged adjustment; only of CreateContainer.
    pub(crate) adjustment: Option<ContainerAdjustment>,
    pub(crate) updates: Vec<ContainerUpdate>,
    pub(crate) evictions: Vec<ContainerEviction>,
    outcomes: Vec<OutcomeReport>,
}

/// The result of an event at one plugin.
#[derive(Debug, Serialize)]
struct OutcomeReport {
    plugin: String,
    /// The RPC that carried the event; `null` if nothing was sent.
    via: Option<String>,
    result: &'static str,
    error: Option<String>,
    duration_us: u64,
}

/// A deprecated interface that a plugin uses.
#[derive(Debug, Serialize)]
pub(crate) struct DeprecationReport {
    plugin: String,
    interface: &'static str,
    event: String,
    count: u64,
    nri_version: Option<String>,
    planned_removal: &'static str,
}

impl Report {
    /// Returns the report on several lines.
    pub(crate) fn to_json(&self) -> String {
        // Only a map whose keys are not strings could fail.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

impl StepReport {
    /// Returns the report of an event that has not been sent yet.
    pub(crate) fn new(event: String) -> Self {
        StepReport {
            event,
            error: None,
            adjustment: None,
            updates: Vec::new(),
            evictions: Vec::new(),
            outcomes: Vec::new(),
        }
    }

    /// Adds the outcome of the event at each plugin.
    pub(crate) fn add_outcomes(&mut self, outcomes: &[Outcome]) {
        let reports = outcomes.iter().map(|outcome| OutcomeReport {
            plugin: outcome.plugin.to_string(),
            via: outcome.via.map(|via| rpc(outcome, via)),
            result: outcome.result.as_str(),
            error: outcome.error.clone(),
            duration_us: u64::try_from(outcome.duration.as_micros()).unwrap_or(u64::MAX),
        });
        self.outcomes = reports.collect();
    }
}

/// Returns the name of the RPC that carried the event.
fn rpc(outcome: &Outcome, via: Via) -> String {
    match via {
        Via::Dedicated => rpc_name(outcome.event),
        Via::StateChange => "StateChange".to_owned(),
    }
}

impl From<&Deprecated> for DeprecationReport {
    fn from(record: &Deprecated) -> Self {
        DeprecationReport {
            plugin: record.plugin.to_string(),
            interface: record.interface,
            event: rpc_name(record.event),
            count: record.count,
            nri_version: record.nri_version.clone(),
            planned_removal: record.planned_removal,
        }
    }
}
