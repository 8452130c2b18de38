//! Reports as objects of Kubernetes, which Policy Reporter and dashboards show: `ClusterReport` of
//! [OpenReports](https://openreports.io), and `ClusterPolicyReport` of the API that it replaces,
//! `wgpolicyk8s.io/v1alpha2`. Both have the same fields.
//!
//! A report of `check` becomes one object about its node or cluster, with a result for each
//! verdict. [`document`] turns the object back into the parts of the report that `merge` reads.

mod check;
mod merge;
mod read;

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::check::{CheckReport, Outcome};
use super::finding::Level;
use super::json;
use super::merge::MergeReport;
use super::written;

pub use read::document;

/// The maximum size of the results of one object in bytes, as JSON. An API server accepts 1.5 MiB
/// by default, including the record of who owns which field, which repeats their names.
const MAX_RESULTS: usize = 600 << 10;

/// The maximum length of a text in a result, in characters.
const MAX_TEXT: usize = 1000;

/// The value of `source` and of the label by which objects are found again.
pub const SOURCE: &str = "nri-compat";

/// The label that names the tool that manages an object.
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// The annotation with the time of the scan.
const TIME: &str = "nri-compat/time";

/// The annotation with the number of results that were left out because the object would be too
/// large.
const LEFT_OUT: &str = "nri-compat/left-out";

/// An API of policy reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// `openreports.io/v1alpha1`.
    OpenReports,
    /// `wgpolicyk8s.io/v1alpha2`, which it replaces.
    PolicyReport,
}

/// The objects of an API that belong to no namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApiNames {
    /// The API group.
    pub group: &'static str,
    /// The version of the API.
    pub version: &'static str,
    /// The kind of the objects.
    pub kind: &'static str,
    /// Their name in URLs and roles.
    pub plural: &'static str,
}

impl Api {
    /// Both, the newer one first.
    pub const ALL: [Self; 2] = [Self::OpenReports, Self::PolicyReport];

    /// Returns the names of its objects.
    pub fn names(self) -> ApiNames {
        match self {
            Self::OpenReports => ApiNames {
                group: "openreports.io",
                version: "v1alpha1",
                kind: "ClusterReport",
                plural: "clusterreports",
            },
            Self::PolicyReport => ApiNames {
                group: "wgpolicyk8s.io",
                version: "v1alpha2",
                kind: "ClusterPolicyReport",
                plural: "clusterpolicyreports",
            },
        }
    }
}

/// An object with results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyReport {
    api_version: String,
    kind: String,
    metadata: ObjectMeta,
    /// The tool that made it. The older API has it in each result only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// The node that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scope: Option<ObjectReference>,
    #[serde(default)]
    summary: ResultCounts,
    #[serde(default)]
    results: Vec<PolicyResult>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct ObjectMeta {
    name: String,
    labels: BTreeMap<String, String>,
    annotations: BTreeMap<String, String>,
}

/// The numbers of results by their kind, including those that were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct ResultCounts {
    pass: usize,
    fail: usize,
    warn: usize,
    error: usize,
    skip: usize,
}

/// The outcome of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct PolicyResult {
    source: String,
    policy: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    rule: String,
    category: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<Severity>,
    result: ResultKind,
    scored: bool,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<Time>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    resources: Vec<ObjectReference>,
    properties: BTreeMap<String, String>,
}

/// The kind of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ResultKind {
    /// The plugin works, and uses nothing deprecated.
    #[default]
    Pass,
    /// The policy or the baseline suppresses the verdict.
    Skip,
    /// Whether the plugin works cannot be determined.
    Error,
    /// The plugin works through a fallback that will be removed.
    Warn,
    /// The plugin does not work.
    Fail,
}

/// The severity of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Severity {
    Info,
    Low,
    Medium,
    High,
    Critical,
}

/// A time since 1970, as the API has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Time {
    seconds: i64,
    nanos: i32,
}

/// An object that a report or a result is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ObjectReference {
    #[serde(skip_serializing_if = "Option::is_none")]
    api_version: Option<String>,
    kind: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
}

/// Renders the answer of `check` or `logs` as an object.
pub fn render_check(report: &CheckReport, api: Api) -> String {
    written(|out| write_check(report, api, out))
}

/// Writes the answer of `check` or `logs` as an object.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_check(report: &CheckReport, api: Api, out: &mut dyn Write) -> io::Result<()> {
    json::write_document(&of_check(report, api), out)
}

/// Returns the answer of `check` or `logs` as an object about its node or cluster, with a result
/// for each verdict: the worst first, as many as an API server accepts.
pub fn of_check(report: &CheckReport, api: Api) -> PolicyReport {
    let scope = report.summary.node.as_deref().map(ObjectReference::node);
    let subject = match (&report.cluster, &report.summary.node) {
        (Some(_), _) => "cluster",
        (None, Some(node)) => node,
        (None, None) => "machine",
    };
    let at = report.summary.at.as_deref();
    PolicyReport::new(api, subject, scope, at, check::results(report))
}

/// Writes merged reports as one object about all nodes.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_merge(report: &MergeReport, api: Api, out: &mut dyn Write) -> io::Result<()> {
    let object = PolicyReport::new(api, "fleet", None, None, merge::results(report));
    json::write_document(&object, out)
}

impl PolicyReport {
    fn new(
        api: Api,
        subject: &str,
        scope: Option<ObjectReference>,
        at: Option<&str>,
        mut results: Vec<PolicyResult>,
    ) -> Self {
        let names = api.names();
        let summary = ResultCounts::of(&results);
        results.sort_by_key(|result| std::cmp::Reverse(result.result));
        let left_out = fit(&mut results);
        let annotations = [
            at.map(|at| (TIME.to_owned(), at.to_owned())),
            (left_out > 0).then(|| (LEFT_OUT.to_owned(), left_out.to_string())),
        ];
        Self {
            api_version: format!("{}/{}", names.group, names.version),
            kind: names.kind.to_owned(),
            metadata: ObjectMeta {
                name: object_name(subject),
                labels: [(MANAGED_BY.to_owned(), SOURCE.to_owned())].into(),
                annotations: annotations.into_iter().flatten().collect(),
            },
            source: (api == Api::OpenReports).then(|| SOURCE.to_owned()),
            scope,
            summary,
            results,
        }
    }

    /// Returns the name of the object.
    pub fn name(&self) -> &str {
        &self.metadata.name
    }
}

impl ObjectReference {
    fn node(name: &str) -> Self {
        let api_version = Some("v1".to_owned());
        Self { api_version, kind: "Node".to_owned(), name: name.to_owned(), namespace: None }
    }
}

impl ResultCounts {
    fn of(results: &[PolicyResult]) -> Self {
        let mut counts = Self::default();
        for result in results {
            let count = match result.result {
                ResultKind::Pass => &mut counts.pass,
                ResultKind::Fail => &mut counts.fail,
                ResultKind::Warn => &mut counts.warn,
                ResultKind::Error => &mut counts.error,
                ResultKind::Skip => &mut counts.skip,
            };
            *count += 1;
        }
        counts
    }
}

impl ResultKind {
    fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Ok => Self::Pass,
            Outcome::Unknown => Self::Error,
            Outcome::Deprecated => Self::Warn,
            Outcome::Removed | Outcome::Incompatible => Self::Fail,
        }
    }

    /// Returns the kind of an incident, which counts like a verdict of its level.
    fn of_level(level: Level) -> Self {
        match level {
            Level::Note => Self::Pass,
            Level::Warning => Self::Warn,
            Level::Error => Self::Fail,
        }
    }
}

impl Severity {
    fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Ok => Self::Info,
            Outcome::Unknown => Self::Low,
            Outcome::Deprecated => Self::Medium,
            Outcome::Removed => Self::High,
            Outcome::Incompatible => Self::Critical,
        }
    }

    fn of_level(level: Level) -> Self {
        match level {
            Level::Note => Self::Info,
            Level::Warning => Self::Medium,
            Level::Error => Self::Critical,
        }
    }
}

impl Time {
    /// Parses a time as in RFC 3339.
    fn of(at: &str) -> Option<Self> {
        let at = at.parse::<jiff::Timestamp>().ok()?;
        Some(Self { seconds: at.as_second(), nanos: at.subsec_nanosecond() })
    }
}

/// Removes the results beyond the maximum size, and returns their number.
fn fit(results: &mut Vec<PolicyResult>) -> usize {
    let mut size = 0;
    let fitting = results
        .iter()
        .take_while(|result| {
            size += serde_json::to_vec(result).map_or(MAX_RESULTS, |json| json.len() + 1);
            size <= MAX_RESULTS
        })
        .count();
    let left_out = results.len() - fitting;
    results.truncate(fitting);
    left_out
}

/// Returns the properties of a result, without empty ones.
fn filled<const N: usize>(properties: [(&str, String); N]) -> BTreeMap<String, String> {
    let filled = properties.into_iter().filter(|(_, value)| !value.is_empty());
    filled.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Returns the beginning of a text that may be long.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the name of the object about a node or cluster: a DNS subdomain. Nodes of a cluster have
/// such names; the names of other machines may have other characters.
fn object_name(subject: &str) -> String {
    const MAX_NAME: usize = 253;
    let whole = format!("{SOURCE}-{}", subject.to_ascii_lowercase());
    let permitted = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let name: String = whole.chars().map(permitted).take(MAX_NAME).collect();
    name.trim_end_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests;
