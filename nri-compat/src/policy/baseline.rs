//! The baseline: known findings, which do not count.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::finding::{Candidate, KnownFinding};
use crate::error::{Error, ErrorKind};
use crate::report::check::{CheckReport, Outcome, Suppression};
#[cfg(feature = "conformance")]
use crate::report::conformance::ConformanceReport;
use crate::report::diff::DiffReport;
use crate::text_file;

/// The version of baseline files, including the composition of fingerprints.
const SCHEMA: u32 = 2;

/// The maximum size of a baseline in bytes: 100,000 entries take about 20 MB.
const MAX_FILE: u64 = 64 << 20;

/// Known findings, by fingerprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    findings: BTreeMap<String, KnownFinding>,
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
        let found = report.verdicts().filter(|(_, verdict)| {
            verdict.outcome != Outcome::Ok && !is_ignored(verdict.suppressed.as_ref())
        });
        Self::new(found.map(|(subject, verdict)| Candidate::verdict(subject, verdict)))
    }

    /// Returns the findings of `diff`, except suppressed ones.
    pub(crate) fn of_diff(report: &DiffReport) -> Self {
        Self::new(report.findings.iter().map(Candidate::finding))
    }

    /// Returns all violations in a report of `conformance` that the policy does not ignore.
    #[cfg(feature = "conformance")]
    pub(crate) fn of_conformance(report: &ConformanceReport) -> Self {
        let found = report.violations();
        let found = found.filter(|test| !is_ignored(test.suppressed.as_ref()));
        Self::new(found.map(|test| Candidate::test(&report.subject, test)))
    }

    fn new(found: impl Iterator<Item = Candidate>) -> Self {
        Self::from_findings(found.map(|candidate| candidate.known))
    }

    fn from_findings(findings: impl Iterator<Item = KnownFinding>) -> Self {
        let findings = findings.map(|finding| (finding.fingerprint.clone(), finding));
        Self {
            findings: findings.collect(),
        }
    }

    /// Parses a baseline that [`Baseline::to_json`] wrote; `file` is its name in messages.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a baseline, or is one of a newer version.
    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        let wrong = |what: String| {
            Error::new(ErrorKind::Baseline, format!("{file}: {what}")).with_help(
                "write it again with --write-baseline, and compare the findings in both files",
            )
        };
        let broken = |error| wrong(format!("not a baseline: {error}"));
        let version: Version = serde_json::from_str(text).map_err(broken)?;
        if version.schema != SCHEMA {
            let other = version.schema;
            return Err(wrong(format!(
                "a baseline of version {other}, not {SCHEMA}"
            )));
        }
        let document: Document = serde_json::from_str(text).map_err(broken)?;
        Ok(Self::from_findings(document.findings.into_iter()))
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

/// Returns true if the policy suppresses a finding.
fn is_ignored(suppressed: Option<&Suppression>) -> bool {
    suppressed.is_some_and(|suppression| !suppression.by_baseline)
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
    use crate::report::check::{Subject, Verdict};

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
        for version in [1, 3] {
            let text = format!("{{\"schema\":{version},\"findings\":[]}}");
            let error = Baseline::parse("b.json", &text).expect_err("another version");
            let message = format!("b.json: a baseline of version {version}, not 2");
            assert_eq!(error.to_string(), message);
            assert!(
                error
                    .help()
                    .is_some_and(|help| help.contains("--write-baseline"))
            );
        }
    }
}
