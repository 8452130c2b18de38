//! SARIF 2.1.0, for code scanning: <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>
//!
//! Every result has a level, a fingerprint that is stable across runs, and a suppression if the
//! policy or baseline suppresses it. A report without findings is a run without results. Results
//! are written one after the other, so that many of them take little memory.

mod document;
mod uri;

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde::{Serialize, Serializer};

use super::check::CheckReport;
use super::diff::DiffReport;
use super::finding::Level;
use super::issue::{Issue, IssuePlace, Problem};
use super::{json, written};
use crate::book;
use crate::rules::{self, Rule};
use document::{
    ArtifactLocation, Driver, Fingerprints, Invocation, Location, LogicalLocation, Notification,
    PhysicalLocation, Region, ReportingConfiguration, ReportingDescriptor, Run, RunResult, Sarif,
    Suppression, Text, Tool,
};

/// The maximum number of results of a run; GitHub rejects a file with more.
/// <https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning#validating-your-sarif-file>
const MAX_RESULTS: usize = 25_000;

/// Renders the answer of `check` or `logs` as SARIF.
pub fn check(report: &CheckReport) -> String {
    written(|out| write_check(report, out))
}

/// Writes the answer of `check` or `logs` as SARIF.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_check(report: &CheckReport, out: &mut dyn Write) -> io::Result<()> {
    let skipped = report.skipped.iter();
    let skipped = skipped.map(|one| format!("skipped {}: {}", one.place, one.reason));
    let notes = Notes {
        command: "check",
        skipped: skipped.collect(),
        policy: report.policy.clone(),
    };
    write(notes, report.problems().collect(), out)
}

/// Renders the findings of `diff` as SARIF.
pub fn diff(report: &DiffReport) -> String {
    let notes = Notes {
        command: "diff",
        skipped: Vec::new(),
        policy: report.policy.clone(),
    };
    written(|out| write(notes, report.problems().collect(), out))
}

/// The contents of a run except its results.
struct Notes {
    /// The subcommand: `check`, `diff`.
    command: &'static str,
    /// Places that could not be checked, with reasons.
    skipped: Vec<String>,
    /// Problems with the policy.
    policy: Vec<String>,
}

/// Returns the priority with which results are kept if there are too many: those that count first, errors before others.
fn rank(problem: &Problem<'_>) -> u8 {
    match (problem.suppression(), problem.level()) {
        (None, Level::Error) => 0,
        (None, Level::Warning) => 1,
        (None, Level::Note) => 2,
        (Some(_), _) => 3,
    }
}

/// Removes the least serious problems if there are too many, keeps the order, and returns the number
/// of removed ones.
fn limit(problems: &mut Vec<Problem<'_>>) -> usize {
    let left_out = problems.len().saturating_sub(MAX_RESULTS);
    if left_out > 0 {
        let mut ranked: Vec<(u8, usize)> = problems.iter().map(rank).zip(0..).collect();
        ranked.sort_unstable();
        let mut kept: Vec<usize> = ranked
            .into_iter()
            .take(MAX_RESULTS)
            .map(|(_, at)| at)
            .collect();
        kept.sort_unstable();
        let kept = kept.iter().filter_map(|at| problems.get(*at).copied());
        *problems = kept.collect();
    }
    left_out
}

fn write(mut notes: Notes, mut problems: Vec<Problem<'_>>, out: &mut dyn Write) -> io::Result<()> {
    let left_out = limit(&mut problems);
    if left_out > 0 {
        notes.policy.push(format!(
            "omitted the {left_out} least serious results: GitHub rejects more than \
                 {MAX_RESULTS}; --format json has all of them"
        ));
    }
    let ids: BTreeSet<&'static str> = problems.iter().map(Problem::rule).collect();
    let sarif = Sarif {
        schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        version: "2.1.0",
        runs: [run(&notes, problems, ids.into_iter().collect())],
    };
    json::write_document(&sarif, out)
}

fn run<'r>(notes: &Notes, problems: Vec<Problem<'r>>, ids: Vec<&'static str>) -> Run<Results<'r>> {
    Run {
        tool: Tool {
            driver: Driver {
                name: "nri-compat",
                version: env!("CARGO_PKG_VERSION"),
                rules: ids.iter().map(|id| descriptor(id)).collect(),
            },
        },
        automation_details: document::AutomationDetails {
            id: format!("nri-compat/{}/", notes.command),
        },
        invocations: [invocation(notes)],
        results: Results { problems, ids },
        column_kind: "unicodeCodePoints",
    }
}

/// The results of a run.
struct Results<'r> {
    problems: Vec<Problem<'r>>,
    ids: Vec<&'static str>,
}

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(
            self.problems
                .iter()
                .map(|problem| ResultOf(problem, &self.ids)),
        )
    }
}

/// The result of one problem.
struct ResultOf<'p, 'r>(&'p Problem<'r>, &'p [&'static str]);

impl Serialize for ResultOf<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        result(&self.0.issue(), self.1).serialize(serializer)
    }
}

fn descriptor(id: &'static str) -> ReportingDescriptor<'static> {
    let rule = rules::get(id);
    let text = |of: fn(&Rule) -> &str| rule.map(|rule| Text { text: of(rule) });
    ReportingDescriptor {
        id,
        short_description: text(|rule| rule.summary),
        full_description: text(|rule| rule.explanation),
        help: text(|rule| rule.remedy),
        help_uri: book::page(id),
        default_configuration: rule.map(|rule| ReportingConfiguration {
            level: rule.level.as_str(),
        }),
    }
}

/// Returns skipped places and problems with the policy, as notifications.
fn invocation(notes: &Notes) -> Invocation {
    let warnings = |texts: &[String]| {
        let texts = texts.iter().cloned();
        let warning = |text| Notification {
            level: "warning",
            message: Text { text },
        };
        texts.map(warning).collect()
    };
    Invocation {
        execution_successful: true,
        tool_execution_notifications: warnings(&notes.skipped),
        tool_configuration_notifications: warnings(&notes.policy),
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

fn location<'i>(issue: &'i Issue, place: &IssuePlace) -> Location<'i> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::check::{Outcome, Subject, Verdict};

    #[test]
    fn results_beyond_the_limit_are_the_least_serious_and_are_counted() {
        let subject = |nth: usize| Subject {
            place: format!("/opt/p{nth}").as_str().into(),
            verdicts: vec![Verdict {
                // The worst come last, where truncation would lose them.
                outcome: if nth < MAX_RESULTS {
                    Outcome::Unknown
                } else {
                    Outcome::Incompatible
                },
                rule: "CHECK_STATE_CHANGE",
                ..Verdict::default()
            }],
            ..Subject::default()
        };
        let report = CheckReport {
            subjects: (0..MAX_RESULTS + 10).map(subject).collect(),
            ..CheckReport::default()
        };
        let sarif: serde_json::Value = serde_json::from_str(&check(&report)).expect("JSON");
        let run = &sarif["runs"][0];
        let results = run["results"].as_array().expect("an array");
        assert_eq!(results.len(), MAX_RESULTS);
        assert_eq!(
            results
                .iter()
                .filter(|result| result["level"] == "error")
                .count(),
            10
        );
        let notes = &run["invocations"][0]["toolConfigurationNotifications"];
        let note = notes[0]["message"]["text"].as_str().expect("text");
        assert!(
            note.starts_with("omitted the 10 least serious results"),
            "{note}"
        );
    }
}
