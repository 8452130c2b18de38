//! SARIF 2.1.0, for code scanning:
//! <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>
//!
//! Every result has a level, a fingerprint that is stable across runs, and a suppression if the
//! policy or baseline suppresses it. A report without findings is a run without results. Results
//! are written one after the other, so that many of them take little memory.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::check::CheckReport;
use super::diff::DiffReport;
use super::issue::{Issue, IssuePlace};
use super::json::write_document;
use super::written;
use crate::book;
use crate::rules;

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
    let skipped: Vec<String> =
        report.skipped.iter().map(|one| format!("skipped {}: {}", one.place, one.reason)).collect();
    write("check", &skipped, &report.policy, report.issues(), out)
}

/// Renders the findings of `diff` as SARIF.
pub fn diff(report: &DiffReport) -> String {
    written(|out| write("diff", &[], &report.policy, report.issues(), out))
}

/// Returns the rules of the issues that are written, and the positions of the least serious ones if
/// there are too many: those that are suppressed are left out first, then notes.
fn limited(issues: impl Iterator<Item = Issue>) -> (BTreeSet<&'static str>, BTreeSet<usize>) {
    let ranked = issues.zip(0..).map(|(issue, at)| {
        let rank = (issue.suppressed.is_some(), Reverse(issue.level));
        (rank, at, issue.rule)
    });
    let mut written: Vec<_> = ranked.collect();
    written.sort_unstable();
    let others = written.split_off(written.len().min(MAX_RESULTS));
    let rules = written.into_iter().map(|(.., rule)| rule);
    let left_out = others.into_iter().map(|(_, at, _)| at);
    (rules.collect(), left_out.collect())
}

/// Writes the results of a command, the places that it skipped, with reasons, and problems with the
/// policy.
fn write<I: Iterator<Item = Issue> + Clone>(
    command: &str,
    skipped: &[String],
    policy: &[String],
    issues: I,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (used, left_out) = limited(issues.clone());
    let mut policy = policy.to_vec();
    if !left_out.is_empty() {
        policy.push(format!(
            "omitted the {} least serious results: GitHub rejects more than {MAX_RESULTS}; --format json has all of them",
            left_out.len()
        ));
    }
    let issues =
        issues.zip(0..).filter(move |(_, at)| !left_out.contains(at)).map(|(issue, _)| issue);
    let ids: Vec<&'static str> = used.into_iter().collect();
    let rules: Vec<Value> = ids.iter().map(|id| descriptor(id)).collect();
    let version = env!("CARGO_PKG_VERSION");
    let run = Run {
        tool: json!({ "driver": { "name": "nri-compat", "version": version, "rules": rules } }),
        automation_details: json!({ "id": format!("nri-compat/{command}/") }),
        invocations: [json!({
            "executionSuccessful": true,
            "toolExecutionNotifications": warnings(skipped),
            "toolConfigurationNotifications": warnings(&policy),
        })],
        results: Results { issues, ids },
        column_kind: "unicodeCodePoints",
    };
    let sarif = Sarif {
        schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        version: "2.1.0",
        runs: [run],
    };
    write_document(&sarif, out)
}

/// A document with its results, which are created when they are written. `serde-sarif` (0.8) holds
/// them in a `Vec`, and its build needs schemafy, regex, uriparse and two older versions of syn.
#[derive(Serialize)]
struct Sarif<R> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<R>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<R> {
    tool: Value,
    automation_details: Value,
    invocations: [Value; 1],
    results: R,
    column_kind: &'static str,
}

fn warnings(texts: &[String]) -> Vec<Value> {
    let warning = |text: &String| json!({ "level": "warning", "message": message(text) });
    texts.iter().map(warning).collect()
}

fn message(text: &str) -> Value {
    json!({ "text": text })
}

fn descriptor(id: &str) -> Value {
    let mut descriptor = json!({ "id": id, "helpUri": book::page(id) });
    if let Some(rule) = rules::get(id) {
        descriptor["shortDescription"] = message(rule.summary);
        descriptor["fullDescription"] = message(rule.explanation);
        descriptor["help"] = message(rule.remedy);
        descriptor["defaultConfiguration"] = json!({ "level": rule.level });
    }
    descriptor
}

/// The results of a run.
struct Results<I> {
    issues: I,
    ids: Vec<&'static str>,
}

impl<I: Iterator<Item = Issue> + Clone> Serialize for Results<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let issues = self.issues.clone();
        serializer.collect_seq(issues.map(|issue| result(&issue, &self.ids)))
    }
}

fn result(issue: &Issue, ids: &[&'static str]) -> Value {
    let place = issue.place.as_ref();
    let locations: Vec<Value> = place.map(|place| location(issue, place)).into_iter().collect();
    let mut result = json!({
        "ruleId": issue.rule,
        "ruleIndex": ids.iter().position(|id| *id == issue.rule).unwrap_or(0),
        "level": issue.level,
        "message": message(&issue.text()),
        "locations": locations,
        // The number is a version: it increases when the fingerprint of an unchanged finding would
        // change.
        "partialFingerprints": { "nriCompatFinding/v2": issue.fingerprint },
    });
    if let Some(why) = &issue.suppressed {
        let suppression = json!({ "kind": "external", "status": "accepted", "justification": why });
        result["suppressions"] = json!([suppression]);
    }
    result
}

fn location(issue: &Issue, place: &IssuePlace) -> Value {
    let within = place.within.as_ref();
    let full_name = within.map(|within| format!("{}: {within}", place.file));
    let mut physical = json!({ "artifactLocation": { "uri": reference(&place.file) } });
    if let Some((line, column)) = place.line {
        physical["region"] = json!({ "startLine": line.max(1), "startColumn": column.max(1) });
    }
    json!({
        "physicalLocation": physical,
        "logicalLocations": [{
            "name": issue.about,
            "fullyQualifiedName": full_name.unwrap_or_else(|| issue.about.clone()),
        }],
    })
}

/// Returns a path as a URI: an absolute path becomes a `file:` URI, any other stays relative. All
/// special characters are percent-encoded. <https://www.rfc-editor.org/rfc/rfc3986#section-2>
fn reference(path: &str) -> String {
    let encoded: String = path.bytes().map(encoded).collect();
    match (path.starts_with('/'), path.is_empty()) {
        (true, _) => format!("file://{encoded}"),
        (false, true) => ".".to_owned(),
        (false, false) => encoded,
    }
}

fn encoded(byte: u8) -> String {
    match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::check::{Outcome, Subject, Verdict};

    #[test]
    fn paths_are_distinguished_from_schemes() {
        assert_eq!(reference("/opt/a b"), "file:///opt/a%20b");
        assert_eq!(reference("go.mod"), "go.mod");
        assert_eq!(reference("javascript:x"), "javascript%3Ax");
        assert_eq!(reference("ä%"), "%C3%A4%25");
    }

    #[test]
    fn results_beyond_the_limit_are_the_least_serious_and_are_counted() {
        let report = CheckReport {
            subjects: (0..MAX_RESULTS + 10).map(subject).collect(),
            ..CheckReport::default()
        };
        let sarif: Value = serde_json::from_str(&check(&report)).expect("JSON");
        let run = &sarif["runs"][0];
        let results = run["results"].as_array().expect("an array");
        let errors = results.iter().filter(|result| result["level"] == "error");
        assert_eq!((results.len(), errors.count()), (MAX_RESULTS, 10));
        let notes = &run["invocations"][0]["toolConfigurationNotifications"];
        let note = notes[0]["message"]["text"].as_str().expect("text");
        assert!(note.starts_with("omitted the 10 least serious"), "{note}");
    }

    fn subject(nth: usize) -> Subject {
        // The worst come last, where truncation would lose them.
        let outcome = match nth {
            ..MAX_RESULTS => Outcome::Unknown,
            MAX_RESULTS.. => Outcome::Incompatible,
        };
        let verdict = Verdict { outcome, rule: "CHECK_STATE_CHANGE", ..Verdict::default() };
        Subject { verdicts: vec![verdict], ..Subject::default() }
    }
}
