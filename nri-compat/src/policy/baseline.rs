//! The baseline: known findings, which do not count.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use crate::report::check::{CheckReport, Outcome, Subject, Verdict};
#[cfg(feature = "conformance")]
use crate::report::conformance::{ConformanceReport, JudgedTest};
use crate::report::diff::DiffReport;
use crate::report::fingerprint::{events, fingerprint, identity, series};
use crate::text_file;

/// The version of baseline files, including the composition of fingerprints.
const SCHEMA: u32 = 2;

/// The version whose fingerprints contained only names.
const NAME_ONLY_SCHEMA: u32 = 1;

/// The maximum size of a baseline in bytes: 100,000 entries take about 20 MB.
const MAX_FILE: u64 = 64 << 20;

/// Known findings, by fingerprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    findings: BTreeMap<String, KnownFinding>,
}

/// A finding. Only the fingerprint matters; the rest is for readers of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownFinding {
    fingerprint: String,
    rule: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    target: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    plugin: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    element: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    program: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    events: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    schema: u32,
    findings: Vec<KnownFinding>,
}

/// The version of a baseline, whatever else it contains.
#[derive(Deserialize)]
struct Version {
    schema: u32,
}

impl Baseline {
    /// Returns all findings of a report that the policy does not ignore.
    pub fn from_report(report: &CheckReport) -> Self {
        let ignored = |verdict: &Verdict| {
            verdict
                .suppressed
                .as_ref()
                .is_some_and(|suppression| !suppression.by_baseline)
        };
        let found = report
            .verdicts()
            .filter(|(_, verdict)| verdict.outcome != Outcome::Ok && !ignored(verdict));
        Self::from_findings(found.map(|(subject, verdict)| known_finding(subject, verdict)))
    }

    /// Returns the findings of `diff`, except suppressed ones.
    pub(crate) fn of_diff(report: &DiffReport) -> Self {
        let found = report.findings.iter();
        Self::from_findings(found.map(|finding| KnownFinding {
            fingerprint: finding.fingerprint(),
            rule: finding.rule.to_owned(),
            element: Some(finding.element.clone()),
            ..KnownFinding::default()
        }))
    }

    /// Returns all violations in a report of `conformance` that the policy does not ignore.
    #[cfg(feature = "conformance")]
    pub(crate) fn of_conformance(report: &ConformanceReport) -> Self {
        let is_ignored = |test: &&JudgedTest| {
            let by = test.suppressed.as_ref();
            by.is_some_and(|suppression| !suppression.by_baseline)
        };
        let found = report.violations().filter(|test| !is_ignored(test));
        Self::from_findings(found.map(|test| KnownFinding {
            fingerprint: test.fingerprint(&report.subject),
            rule: test.result.statement.to_owned(),
            target: series(&test.target()).to_owned(),
            plugin: report.subject.label(),
            element: Some(test.result.test.to_owned()),
            ..KnownFinding::default()
        }))
    }

    fn from_findings(findings: impl Iterator<Item = KnownFinding>) -> Self {
        Self {
            findings: findings
                .map(|finding| (finding.fingerprint.clone(), finding))
                .collect(),
        }
    }

    /// Parses a baseline that [`Baseline::to_json`] wrote; `file` is its name in messages.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a baseline, or is one of a newer version.
    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        let wrong = |what: String| {
            Error::new(ErrorKind::Baseline, format!("{file}: {what}"))
                .with_help("write it again with --write-baseline")
        };
        let version: Version = serde_json::from_str(text)
            .map_err(|error| wrong(format!("not a baseline: {error}")))?;
        match version.schema {
            SCHEMA => {}
            NAME_ONLY_SCHEMA => return Err(Self::name_only(file)),
            other => {
                return Err(wrong(format!(
                    "a baseline of version {other}, not {SCHEMA}"
                )));
            }
        }
        let document: Document = serde_json::from_str(text)
            .map_err(|error| wrong(format!("not a baseline: {error}")))?;
        Ok(Self::from_findings(document.findings.into_iter()))
    }

    /// Returns the error for baselines of the first version. Their fingerprints cannot be converted,
    /// because they do not identify the program.
    fn name_only(file: &str) -> Error {
        let message = format!(
            "{file}: a baseline of version {NAME_ONLY_SCHEMA}, whose fingerprints identify plugins by name alone"
        );
        Error::new(ErrorKind::Baseline, message).with_help(
            "write it again with --write-baseline, and compare the plugins in both files: the new one distinguishes programs with the same name",
        )
    }

    /// Reads a baseline from a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or is not a baseline.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let text = text_file::read(path, MAX_FILE, ErrorKind::Baseline)?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Returns the text of the file: sorted by rule, target and plugin, without dates, so that it
    /// changes only with the findings.
    pub fn to_json(&self) -> String {
        let mut findings: Vec<KnownFinding> = self.findings.values().cloned().collect();
        findings.sort_by(|a, b| sort_key(a).cmp(&sort_key(b)));
        let document = Document {
            schema: SCHEMA,
            findings,
        };
        let mut text = serde_json::to_string_pretty(&document)
            .expect("a baseline has only texts, lists and numbers");
        text.push('\n');
        text
    }

    /// Returns true if it contains the fingerprint.
    pub fn contains(&self, fingerprint: &str) -> bool {
        self.findings.contains_key(fingerprint)
    }

    /// Returns a note if only `seen` of its entries were found again.
    pub(super) fn gone(&self, seen: usize) -> Option<String> {
        let all = self.findings.len();
        let gone = all.saturating_sub(seen);
        let verb = if gone == 1 { "matches" } else { "match" };
        (gone > 0).then(|| format!("baseline: {gone} of {all} entries no longer {verb} anything"))
    }
}

fn known_finding(subject: &Subject, verdict: &Verdict) -> KnownFinding {
    KnownFinding {
        fingerprint: fingerprint(subject, verdict),
        rule: verdict.rule.to_owned(),
        target: series(&verdict.target).to_owned(),
        plugin: identity(subject),
        element: None,
        program: subject.program.clone(),
        events: events(subject).into_iter().map(str::to_owned).collect(),
    }
}

fn sort_key(finding: &KnownFinding) -> [&str; 5] {
    [
        &finding.rule,
        &finding.target,
        &finding.plugin,
        finding.element.as_deref().unwrap_or_default(),
        &finding.fingerprint,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(names: &[&str]) -> CheckReport {
        let subject = |name: &&str| Subject {
            place: (*name).into(),
            verdicts: vec![Verdict {
                outcome: Outcome::Removed,
                rule: "CHECK_A",
                target: "t".into(),
                ..Verdict::default()
            }],
            ..Subject::default()
        };
        CheckReport {
            subjects: names.iter().map(subject).collect(),
            ..CheckReport::default()
        }
    }

    #[test]
    fn a_baseline_round_trips_regardless_of_order() {
        let written = Baseline::from_report(&report(&["b", "a", "a"]));
        let text = written.to_json();
        assert_eq!(
            Baseline::parse("b.json", &text).expect("a baseline"),
            written
        );
        assert_eq!(Baseline::from_report(&report(&["a", "b"])).to_json(), text);
        let (a, b) = (text.find("\"a\""), text.find("\"b\""));
        assert!(a.is_some() && a < b, "{text}");
    }

    #[test]
    fn other_documents_are_rejected() {
        for text in [
            "",
            "[]",
            "{\"schema\":2}",
            "{\"schema\":2,\"findings\":[],\"x\":1}",
        ] {
            let error = Baseline::parse("b.json", text).expect_err(text);
            assert!(error.to_string().starts_with("b.json: not a baseline: "));
        }
        let newer = Baseline::parse("b.json", "{\"schema\":3,\"findings\":[]}");
        let newer = newer.expect_err("it is of another version");
        assert_eq!(newer.to_string(), "b.json: a baseline of version 3, not 2");
        let older = Baseline::parse("b.json", "{\"schema\":1,\"findings\":[]}");
        let older = older.expect_err("it is of an older version");
        assert!(
            older
                .to_string()
                .ends_with("identify plugins by name alone"),
            "{older}"
        );
        assert!(
            older
                .help()
                .is_some_and(|help| help.contains("--write-baseline"))
        );
    }
}
