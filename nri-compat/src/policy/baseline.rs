//! The baseline: known findings, which do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::bounded_json;
use crate::error::{Error, ErrorKind};
use crate::text_file;

/// The version of baseline files, including the composition of fingerprints.
const SCHEMA: u32 = 2;

/// The maximum size of a baseline in bytes: 100,000 entries take about 20 MB.
const MAX_FILE: u64 = 64 << 20;

/// The bytes of memory for each value of a baseline: a finding has at least two values beside it.
const VALUE: usize = 168;

/// Known findings, by fingerprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    findings: BTreeMap<String, KnownFinding>,
    /// The fingerprints that were found again.
    seen: BTreeSet<String>,
    is_new: bool,
}

/// A finding in a baseline. Only the fingerprint matters; the rest is for readers of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KnownFinding {
    pub(super) fingerprint: String,
    pub(super) rule: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) target: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) plugin: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) element: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) program: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) events: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BaselineDocument {
    schema: u32,
    findings: Vec<KnownFinding>,
}

impl Baseline {
    /// Creates a baseline that takes in each finding that it is applied to, unless the policy
    /// ignores it.
    pub fn to_write() -> Self {
        Self { is_new: true, ..Self::default() }
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
        let document: BaselineDocument = bounded_json::read(text.as_bytes(), VALUE)
            .map_err(|error| wrong(format!("not a baseline: {error}")))?;
        if document.schema != SCHEMA {
            let other = document.schema;
            return Err(wrong(format!("a baseline of version {other}, not {SCHEMA}")));
        }
        let findings =
            document.findings.into_iter().map(|finding| (finding.fingerprint.clone(), finding));
        Ok(Self { findings: findings.collect(), ..Self::default() })
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
        let document = BaselineDocument { schema: SCHEMA, findings };
        let mut text = serde_json::to_string_pretty(&document)
            .expect("a baseline has only texts, lists and numbers");
        text.push('\n');
        text
    }

    /// Returns true if it contains a finding; a new one takes it in unless the policy ignores it.
    pub(super) fn knows(&mut self, finding: KnownFinding, is_ignored: bool) -> bool {
        let fingerprint = finding.fingerprint.clone();
        if self.is_new && !is_ignored {
            self.findings.entry(fingerprint.clone()).or_insert(finding);
        }
        let knows = self.findings.contains_key(&fingerprint);
        if knows {
            self.seen.insert(fingerprint);
        }
        knows
    }

    /// Returns a note if some entries were not found again.
    pub(super) fn gone(&self) -> Option<String> {
        let all = self.findings.len();
        let gone = all - self.seen.len();
        let verb = if gone == 1 { "matches" } else { "match" };
        (gone > 0).then(|| format!("baseline: {gone} of {all} entries no longer {verb} anything"))
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

    #[test]
    fn a_baseline_round_trips_regardless_of_order() {
        let text = written(&["b", "a", "a"]);
        assert_eq!(text, written(&["a", "b"]));
        let read = Baseline::parse("b.json", &text).expect("a baseline");
        assert_eq!(read.to_json(), text);
    }

    /// Returns a baseline with a finding about each of these plugins.
    fn written(plugins: &[&str]) -> String {
        let mut baseline = Baseline::to_write();
        for plugin in plugins {
            let finding = KnownFinding {
                fingerprint: format!("of {plugin}"),
                plugin: (*plugin).to_owned(),
                ..KnownFinding::default()
            };
            assert!(baseline.knows(finding, false));
        }
        baseline.to_json()
    }

    #[test]
    fn other_documents_are_rejected() {
        for (text, expected) in [
            ("", "not a baseline: "),
            ("{\"schema\":2,\"findings\":[],\"x\":1}", "not a baseline: "),
            ("{\"schema\":1,\"findings\":[]}", "a baseline of version 1, not 2"),
        ] {
            let error = Baseline::parse("b.json", text).expect_err(text);
            let message = error.to_string();
            let expected = format!("b.json: {expected}");
            assert!(message.starts_with(&expected), "{message}");
            let help = error.help().unwrap_or_default();
            assert!(help.contains("--write-baseline"), "{help}");
        }
    }
}
