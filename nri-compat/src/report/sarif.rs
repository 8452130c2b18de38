//! SARIF 2.1.0, for code scanning: <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>
//!
//! Every result has a level, a fingerprint that outlives the run, and, where policy or baseline say that it does not
//! count, a suppression. An answer without findings is a run without results.

mod document;
mod uri;

use std::collections::BTreeSet;

use super::check::CheckReport;
use super::diff::DiffReport;
use super::issue::{Issue, Issues};
use super::json;
use crate::rules::{self, Rule};
use document::{
    ArtifactLocation, Driver, Fingerprints, Invocation, Location, LogicalLocation, Notification,
    PhysicalLocation, Region, ReportingConfiguration, ReportingDescriptor, Run, RunResult, Sarif,
    Suppression, Text, Tool,
};

/// Renders the answer of `check` or `logs` as SARIF.
pub fn check(report: &CheckReport) -> String {
    log(&Issues::from(report))
}

/// Renders the findings of `diff` as SARIF.
pub fn diff(report: &DiffReport) -> String {
    log(&Issues::from(report))
}

fn log(all: &Issues) -> String {
    json::print(&Sarif {
        schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        version: "2.1.0",
        runs: [run(all)],
    })
}

fn run(all: &Issues) -> Run<'_> {
    let ids: BTreeSet<&'static str> = all.issues.iter().map(|issue| issue.rule).collect();
    let ids: Vec<&'static str> = ids.into_iter().collect();
    Run {
        tool: Tool {
            driver: Driver {
                name: "nri-compat",
                version: env!("CARGO_PKG_VERSION"),
                rules: ids.iter().map(|id| descriptor(id)).collect(),
            },
        },
        automation_details: document::AutomationDetails {
            id: format!("nri-compat/{}/", all.command),
        },
        invocations: [invocation(all)],
        results: all.issues.iter().map(|issue| result(issue, &ids)).collect(),
        column_kind: "unicodeCodePoints",
    }
}

fn descriptor(id: &'static str) -> ReportingDescriptor<'static> {
    let rule = rules::get(id);
    let text = |of: fn(&Rule) -> &str| rule.map(|rule| Text { text: of(rule) });
    ReportingDescriptor {
        id,
        short_description: text(|rule| &rule.summary),
        full_description: text(|rule| &rule.explanation),
        help: text(|rule| &rule.remedy),
        default_configuration: rule.map(|rule| ReportingConfiguration {
            level: rule.level.as_str(),
        }),
    }
}

/// What could not be looked at, and what is wrong with the policy.
fn invocation(all: &Issues) -> Invocation {
    let skipped = all.skipped.iter().map(|(path, reason)| Notification {
        level: "warning",
        message: Text {
            text: format!("skipped {path}: {reason}"),
        },
    });
    let policy = all.policy.iter().map(|note| Notification {
        level: "warning",
        message: Text { text: note.clone() },
    });
    Invocation {
        execution_successful: true,
        tool_execution_notifications: skipped.collect(),
        tool_configuration_notifications: policy.collect(),
    }
}

fn result<'i>(issue: &'i Issue, ids: &[&'static str]) -> RunResult<'i> {
    let suppressed = issue.suppressed.as_deref();
    RunResult {
        rule_id: issue.rule,
        rule_index: ids.iter().position(|id| *id == issue.rule).unwrap_or(0),
        level: issue.level.as_str(),
        message: Text { text: issue.text() },
        locations: issue
            .place
            .iter()
            .map(|place| location(issue, place))
            .collect(),
        partial_fingerprints: Fingerprints {
            finding: &issue.fingerprint,
        },
        suppressions: suppressed.map(suppression).into_iter().collect(),
    }
}

fn suppression(why: &str) -> Suppression<'_> {
    Suppression {
        kind: "external",
        status: "accepted",
        justification: why,
    }
}

fn location<'i>(issue: &'i Issue, place: &super::issue::Place) -> Location<'i> {
    let within = place
        .within
        .as_ref()
        .map(|within| format!("{}: {within}", place.file));
    Location {
        physical_location: PhysicalLocation {
            artifact_location: ArtifactLocation {
                uri: uri::reference(&place.file),
            },
            region: place.line.map(|(line, column)| Region {
                start_line: line.max(1),
                start_column: column.max(1),
            }),
        },
        logical_locations: [LogicalLocation {
            name: &issue.about,
            fully_qualified_name: within.unwrap_or_else(|| issue.about.clone()),
        }],
    }
}
