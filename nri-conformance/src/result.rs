//! The results of a run, as plain data.

use std::fmt;

use nri::api::RegisterPluginRequest;
use serde::Serialize;

use crate::incident::Incident;

/// The results of all tests of one subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The plugin or runtime that was tested.
    pub subject: Subject,
    /// One result per test and revision, in the order in which they ran.
    pub results: Vec<TestResult>,
}

/// A plugin or a runtime under test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Subject {
    /// The kind: a plugin or a runtime.
    pub kind: SubjectKind,
    /// The name that a plugin registers with, or that a runtime reports.
    pub name: String,
    /// The index that a plugin registers with, such as `10`; empty for a runtime.
    pub index: String,
    /// The NRI version that a plugin claims, or the version that a runtime reports; empty if it
    /// reports none.
    pub version: String,
}

/// The kinds of subjects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SubjectKind {
    /// A plugin.
    Plugin,
    /// A runtime.
    Runtime,
}

/// The result of one test under one revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestResult {
    /// The id of the statement that is tested, such as `P7`.
    pub statement: &'static str,
    /// The name of the test, such as `stop-twice`.
    pub test: &'static str,
    /// The release that the other side spoke, such as `v0.11.0`; `None` if it does not matter.
    pub revision: Option<String>,
    /// Whether the statement was kept, broken, or not tested.
    pub outcome: Outcome,
}

/// The outcome of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The statement was kept.
    Pass,
    /// The statement was broken.
    Fail(Failure),
    /// The test was skipped, for this reason.
    Skip(String),
    /// The statement was broken in a way that is known for this subject.
    Known {
        /// The violation.
        failure: Failure,
        /// The link to a description of the deviation.
        link: String,
    },
}

/// The violation of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// A description of the request.
    pub sent: String,
    /// A description of the answer, or of its absence.
    pub got: String,
    /// A description of the answer that keeps the statement.
    pub expected: String,
    /// The incident that the log of a runtime would report for it, if any.
    pub incident: Option<Incident>,
}

impl Failure {
    /// Returns the violation with these descriptions.
    pub(crate) fn new(
        sent: impl Into<String>,
        got: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        let (sent, got, expected) = (sent.into(), got.into(), expected.into());
        Failure { sent, got, expected, incident: None }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sent {}; ", self.sent)?;
        write!(f, "got {}; expected {}", self.got, self.expected)
    }
}

impl Subject {
    /// Returns a runtime with the name and the version that it reports.
    #[cfg(feature = "runtime")]
    pub(crate) fn runtime(name: String, version: String) -> Self {
        Subject { kind: SubjectKind::Runtime, name, index: String::new(), version }
    }

    /// Returns a plugin with the identity that it registers with.
    pub(crate) fn plugin(registration: RegisterPluginRequest) -> Self {
        Subject {
            kind: SubjectKind::Plugin,
            name: registration.plugin_name,
            index: registration.plugin_idx,
            version: registration.nri_version,
        }
    }

    /// Returns the index and name of a plugin, such as `10-logger`, or the name of a runtime.
    pub fn label(&self) -> String {
        match self.index.as_str() {
            "" => self.name.clone(),
            index => format!("{index}-{}", self.name),
        }
    }
}

impl Report {
    /// Returns the results of tests whose statement was broken.
    pub fn failures(&self) -> impl Iterator<Item = (&TestResult, &Failure)> {
        self.results.iter().filter_map(|result| match &result.outcome {
            Outcome::Fail(failure) => Some((result, failure)),
            Outcome::Pass | Outcome::Skip(_) | Outcome::Known { .. } => None,
        })
    }

    /// Panics with a list of the failures if a statement was broken.
    ///
    /// # Panics
    ///
    /// Panics if the report has failures.
    #[track_caller]
    pub fn assert(&self) {
        let lines: Vec<String> = self
            .failures()
            .map(|(result, failure)| {
                let release = result.revision.as_ref();
                let under = release.map_or(String::new(), |release| format!(" under {release}"));
                format!("{} {}{under}: {failure}", result.statement, result.test)
            })
            .collect();
        assert!(
            lines.is_empty(),
            "{} of {} tests failed:\n{}",
            lines.len(),
            self.results.len(),
            lines.join("\n")
        );
    }
}
