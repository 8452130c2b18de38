//! The parts of a SARIF document that this tool writes, with the names of the standard.
//!
//! `serde-sarif` (0.8) covers the whole standard, but it holds the results of a run in a `Vec`, while
//! this tool writes them one by one, and its build also needs schemafy, regex, uriparse and two older
//! versions of syn.

use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Sarif<R> {
    #[serde(rename = "$schema")]
    pub(super) schema: &'static str,
    pub(super) version: &'static str,
    pub(super) runs: [Run<R>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run<R> {
    pub(super) tool: Tool,
    pub(super) automation_details: AutomationDetails,
    pub(super) invocations: [Invocation; 1],
    pub(super) results: R,
    pub(super) column_kind: &'static str,
}

#[derive(Serialize)]
pub(super) struct Tool {
    pub(super) driver: Driver,
}

#[derive(Serialize)]
pub(super) struct Driver {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    pub(super) rules: Vec<ReportingDescriptor<'static>>,
}

#[derive(Serialize)]
pub(super) struct AutomationDetails {
    pub(super) id: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReportingDescriptor<'r> {
    pub(super) id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) short_description: Option<Text<&'r str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) full_description: Option<Text<&'r str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help: Option<Text<&'r str>>,
    pub(super) help_uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) default_configuration: Option<ReportingConfiguration>,
}

#[derive(Serialize)]
pub(super) struct ReportingConfiguration {
    pub(super) level: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    pub(super) execution_successful: bool,
    pub(super) tool_execution_notifications: Vec<Notification>,
    pub(super) tool_configuration_notifications: Vec<Notification>,
}

#[derive(Serialize)]
pub(super) struct Notification {
    pub(super) level: &'static str,
    pub(super) message: Text<String>,
}

#[derive(Serialize)]
pub(super) struct Text<T> {
    pub(super) text: T,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunResult<'r> {
    pub(super) rule_id: &'static str,
    pub(super) rule_index: usize,
    pub(super) level: &'static str,
    pub(super) message: Text<String>,
    pub(super) locations: Vec<Location<'r>>,
    pub(super) partial_fingerprints: Fingerprints<'r>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) suppressions: Vec<Suppression<'r>>,
}

#[derive(Serialize)]
pub(super) struct Fingerprints<'r> {
    /// The number is a version: it increases when the fingerprint of an unchanged finding would
    /// change.
    #[serde(rename = "nriCompatFinding/v2")]
    pub(super) finding: &'r str,
}

#[derive(Serialize)]
pub(super) struct Suppression<'r> {
    pub(super) kind: &'static str,
    pub(super) status: &'static str,
    pub(super) justification: &'r str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location<'r> {
    pub(super) physical_location: PhysicalLocation,
    pub(super) logical_locations: [LogicalLocation<'r>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) region: Option<Region>,
}

#[derive(Serialize)]
pub(super) struct ArtifactLocation {
    pub(super) uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: u32,
    pub(super) start_column: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LogicalLocation<'r> {
    pub(super) name: &'r str,
    pub(super) fully_qualified_name: String,
}
