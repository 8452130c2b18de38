//! The baseline: what was found before and does not count again.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::read;
use crate::error::{Error, ErrorKind};
use crate::report::check::{CheckReport, Outcome, Subject, Verdict};
use crate::report::fingerprint::{fingerprint, identity, series};

/// Version of the shape of a baseline file.
const SCHEMA: u32 = 1;

/// More than this is no baseline, in bytes: 100,000 entries take about 20 MB.
const LIMIT: u64 = 64 << 20;

/// Findings that are known, by fingerprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    entries: BTreeMap<String, Entry>,
}

/// What a fingerprint stands for, for whoever reads the file; only the fingerprint matters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    fingerprint: String,
    rule: String,
    target: String,
    plugin: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    schema: u32,
    findings: Vec<Entry>,
}

impl Baseline {
    /// All that was found in a report and is not ignored by the policy.
    pub fn of(report: &CheckReport) -> Self {
        let ignored = |verdict: &Verdict| {
            verdict
                .suppressed
                .as_ref()
                .is_some_and(|one| !one.by_baseline)
        };
        let found = report
            .verdicts()
            .filter(|(_, verdict)| verdict.outcome != Outcome::Ok && !ignored(verdict));
        Self::from_entries(found.map(|(subject, verdict)| entry(subject, verdict)))
    }

    fn from_entries(entries: impl Iterator<Item = Entry>) -> Self {
        Self {
            entries: entries
                .map(|entry| (entry.fingerprint.clone(), entry))
                .collect(),
        }
    }

    /// Reads a baseline that [`Baseline::to_json`] wrote; `file` is what messages call it.
    ///
    /// # Errors
    ///
    /// When the text is no baseline, or one of a version to come.
    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        let wrong = |what: String| {
            Error::new(ErrorKind::Baseline, format!("{file}: {what}"))
                .with_help("write it anew with --write-baseline")
        };
        let document: Document = serde_json::from_str(text)
            .map_err(|error| wrong(format!("not a baseline: {error}")))?;
        if document.schema != SCHEMA {
            let found = document.schema;
            return Err(wrong(format!(
                "a baseline of version {found}, not {SCHEMA}"
            )));
        }
        Ok(Self::from_entries(document.findings.into_iter()))
    }

    /// Reads a baseline from a file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is no baseline.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let text = read::text(path, LIMIT, ErrorKind::Baseline)?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// The file's text: sorted by rule, target and plugin, without dates, so that it changes when findings do and
    /// never else.
    pub fn to_json(&self) -> String {
        let mut findings: Vec<Entry> = self.entries.values().cloned().collect();
        findings.sort_by(|a, b| key(a).cmp(&key(b)));
        let document = Document {
            schema: SCHEMA,
            findings,
        };
        let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Whether it holds the fingerprint.
    pub fn contains(&self, fingerprint: &str) -> bool {
        self.entries.contains_key(fingerprint)
    }

    /// What to say where only `seen` of its entries were found again.
    pub(super) fn gone(&self, seen: usize) -> Option<String> {
        let all = self.entries.len();
        let gone = all.saturating_sub(seen);
        let verb = if gone == 1 { "matches" } else { "match" };
        (gone > 0).then(|| format!("baseline: {gone} of {all} entries {verb} nothing any more"))
    }
}

fn entry(subject: &Subject, verdict: &Verdict) -> Entry {
    Entry {
        fingerprint: fingerprint(subject, verdict),
        rule: verdict.rule.to_owned(),
        target: series(&verdict.target).to_owned(),
        plugin: identity(subject),
    }
}

fn key(entry: &Entry) -> [&str; 4] {
    [
        &entry.rule,
        &entry.target,
        &entry.plugin,
        &entry.fingerprint,
    ]
    .map(String::as_str)
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
    fn what_is_written_is_read_again_and_does_not_depend_on_order() {
        let written = Baseline::of(&report(&["b", "a", "a"]));
        let text = written.to_json();
        assert_eq!(
            Baseline::parse("b.json", &text).expect("a baseline"),
            written
        );
        assert_eq!(Baseline::of(&report(&["a", "b"])).to_json(), text);
        let (a, b) = (text.find("\"a\""), text.find("\"b\""));
        assert!(a.is_some() && a < b, "{text}");
    }

    #[test]
    fn what_is_no_baseline_is_refused() {
        for text in [
            "",
            "[]",
            "{\"schema\":1}",
            "{\"schema\":1,\"findings\":[],\"x\":1}",
        ] {
            let error = Baseline::parse("b.json", text).expect_err(text);
            assert!(error.to_string().starts_with("b.json: not a baseline: "));
        }
        let newer = Baseline::parse("b.json", "{\"schema\":2,\"findings\":[]}");
        let newer = newer.expect_err("it is of another version");
        assert_eq!(newer.to_string(), "b.json: a baseline of version 2, not 1");
    }
}
