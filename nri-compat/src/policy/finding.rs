//! A finding of any command, as the policy and the baseline see it.

use serde::{Deserialize, Serialize};

use crate::report::check::{Subject, Verdict};
#[cfg(feature = "conformance")]
use crate::report::conformance::JudgedTest;
use crate::report::finding::Finding;
use crate::report::fingerprint::{events, fingerprint, identity, series};

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

/// A finding that a policy may ignore and a baseline may contain.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidate {
    /// The names by which a policy may name the plugin: its name, its index and name, its path.
    pub(super) names: Vec<String>,
    /// The target with its complete version.
    pub(super) target: String,
    /// The finding, if the baseline contains it.
    pub(super) known: KnownFinding,
}

impl Candidate {
    /// Returns the verdict on a subject.
    pub(super) fn verdict(subject: &Subject, verdict: &Verdict) -> Self {
        let path = subject.place.whole_file().to_string();
        let names = subject.name.iter().cloned();
        Self {
            names: names.chain([subject.label(), path]).collect(),
            target: verdict.target.clone(),
            known: KnownFinding {
                fingerprint: fingerprint(subject, verdict),
                rule: verdict.rule.to_owned(),
                target: series(&verdict.target).to_owned(),
                plugin: identity(subject),
                element: None,
                program: subject.program.clone(),
                events: events(subject).into_iter().map(str::to_owned).collect(),
            },
        }
    }

    /// Returns a finding of `diff`.
    pub(super) fn finding(finding: &Finding) -> Self {
        Self {
            known: KnownFinding {
                fingerprint: finding.fingerprint(),
                rule: finding.rule.to_owned(),
                element: Some(finding.element.clone()),
                ..KnownFinding::default()
            },
            ..Self::default()
        }
    }

    /// Returns the violation of a statement, with the name of the test as its element.
    #[cfg(feature = "conformance")]
    pub(super) fn test(subject: &nri_conformance::result::Subject, test: &JudgedTest) -> Self {
        let target = test.target();
        Self {
            names: vec![subject.name.clone(), subject.label()],
            known: KnownFinding {
                fingerprint: test.fingerprint(subject),
                rule: test.statement.to_owned(),
                target: series(&target).to_owned(),
                plugin: subject.label(),
                element: Some(test.test.to_owned()),
                ..KnownFinding::default()
            },
            target,
        }
    }
}
