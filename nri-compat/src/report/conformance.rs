//! The results of `conformance`, and the statements that it lists, as plain data for every format.

use nri_conformance::contract::{self, Statement};
use nri_conformance::result::{Failure, Outcome, Report, Subject, SubjectKind, TestResult};
use serde::{Serialize, Serializer};

use super::check::Suppression;
use super::finding::Level;
use super::fingerprint::{fingerprint_of, series};

/// The results of all tests of a plugin or runtime, after policy and baseline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConformanceReport {
    /// The plugin or runtime that was tested.
    pub subject: Subject,
    /// The file or socket that was named on the command line.
    #[serde(skip)]
    pub place: String,
    /// One result per test and revision, in the order in which they ran.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<TestDocument<'static>>"))]
    pub results: Vec<JudgedTest>,
    /// The numbers of results.
    pub summary: ConformanceSummary,
}

/// The numbers of results.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConformanceSummary {
    /// Tests whose statement was kept.
    pub pass: usize,
    /// Tests whose statement was broken.
    pub fail: usize,
    /// Tests that were skipped.
    pub skip: usize,
    /// Tests whose statement was broken in a known way.
    pub known: usize,
    /// Violations that the policy or the baseline suppresses. They are counted by their outcome, too.
    pub suppressed: usize,
    /// Violations of level `note`, such as those of ambiguous statements.
    pub ambiguous: usize,
    /// The seed of the random choices, with which the run can be repeated.
    pub seed: Option<u64>,
    /// Time taken, in milliseconds.
    pub millis: u64,
    /// Findings about the policy itself, such as an ignore that matches nothing or has expired.
    pub policy: Vec<String>,
}

/// The result of a test, with its level and suppression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedTest {
    /// The result.
    pub result: TestResult,
    /// The level of a violation: `error`, or `note` if the statement is ambiguous, unless the policy
    /// sets another one.
    pub level: Level,
    /// The suppression of a violation, if any.
    pub suppressed: Option<Suppression>,
}

impl ConformanceReport {
    /// Creates a report about the plugin or runtime at `place`, before policy and baseline are applied.
    pub fn new(place: impl Into<String>, report: Report) -> Self {
        let judged = |result: TestResult| JudgedTest {
            level: level(result.statement),
            result,
            suppressed: None,
        };
        let mut report = Self {
            subject: report.subject,
            place: place.into(),
            results: report.results.into_iter().map(judged).collect(),
            summary: ConformanceSummary::default(),
        };
        report.count();
        report
    }

    /// Counts the results in the summary.
    pub fn count(&mut self) {
        let results = &self.results;
        let count = |is: &dyn Fn(&&JudgedTest) -> bool| results.iter().filter(is).count();
        let of = |outcome| count(&|test| test.outcome() == outcome);
        self.summary = ConformanceSummary {
            pass: of("pass"),
            fail: of("fail"),
            skip: of("skip"),
            known: of("known"),
            suppressed: count(&|test| test.suppressed.is_some()),
            ambiguous: count(&|test| test.violation().is_some() && test.level == Level::Note),
            ..std::mem::take(&mut self.summary)
        };
    }

    /// Returns every violation: failures and known deviations.
    pub fn violations(&self) -> impl Iterator<Item = &JudgedTest> {
        self.results
            .iter()
            .filter(|test| test.violation().is_some())
    }
}

impl JudgedTest {
    /// Returns the name of the outcome in JSON.
    pub fn outcome(&self) -> &'static str {
        match &self.result.outcome {
            Outcome::Pass => "pass",
            Outcome::Fail(_) => "fail",
            Outcome::Skip(_) => "skip",
            Outcome::Known { .. } => "known",
        }
    }

    /// Returns the violation of the statement, if there is one.
    pub fn violation(&self) -> Option<&Failure> {
        match &self.result.outcome {
            Outcome::Fail(failure) | Outcome::Known { failure, .. } => Some(failure),
            Outcome::Pass | Outcome::Skip(_) => None,
        }
    }

    /// Returns how the statement was broken, or why the test was skipped; empty for `pass`.
    pub fn detail(&self) -> String {
        match &self.result.outcome {
            Outcome::Pass => String::new(),
            Outcome::Skip(reason) => reason.clone(),
            Outcome::Fail(failure) | Outcome::Known { failure, .. } => failure.to_string(),
        }
    }

    /// Returns the link to the description of a known deviation, else to that of the statement.
    pub fn source(&self) -> &str {
        match &self.result.outcome {
            Outcome::Known { link, .. } => link,
            Outcome::Pass | Outcome::Fail(_) | Outcome::Skip(_) => {
                let statement = contract::get(self.result.statement);
                statement.map_or("", |statement| &statement.source)
            }
        }
    }

    /// Returns 32 hexadecimal digits that identify a violation by this subject, regardless of its
    /// wording and of patch releases of the protocol.
    pub fn fingerprint(&self, subject: &Subject) -> String {
        let target = self.target();
        fingerprint_of(&[
            self.result.statement,
            self.result.test,
            series(&target),
            kind_name(subject.kind),
            &subject.index,
            &subject.name,
        ])
    }

    /// Returns the revision in the spelling of a target: `nri@0.11.0`; empty if none matters.
    pub(crate) fn target(&self) -> String {
        let revision = self.result.revision.as_deref();
        revision.map_or_else(String::new, |revision| {
            format!("nri@{}", revision.strip_prefix('v').unwrap_or(revision))
        })
    }
}

/// Returns the level of violations of a statement.
fn level(statement: &str) -> Level {
    match contract::get(statement) {
        Some(statement) if !statement.is_firm() => Level::Note,
        Some(_) | None => Level::Error,
    }
}

/// Returns the name of a kind of subject, as on the command line and in JSON.
pub(crate) fn kind_name(kind: SubjectKind) -> &'static str {
    match kind {
        SubjectKind::Plugin => "plugin",
        SubjectKind::Runtime => "runtime",
    }
}

/// Statements of the contract.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StatementsReport<'s> {
    /// The statements, in the order of the contract.
    pub statements: &'s [&'s Statement],
}

/// The result of a test as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct TestDocument<'r> {
    /// The id of the statement; see `nri-compat explain`.
    id: &'r str,
    /// The name of the test.
    test: &'r str,
    /// The release that the other side spoke; null if it does not matter.
    revision: Option<&'r str>,
    /// The outcome.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["pass", "fail", "skip", "known"])))]
    result: &'static str,
    /// How the statement was broken, or why the test was skipped; empty for `pass`.
    detail: String,
    /// The link to the description of a known deviation, else to that of the statement.
    source: &'r str,
    /// The suppression of a violation, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<String>,
}

impl Serialize for JudgedTest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let document = TestDocument {
            id: self.result.statement,
            test: self.result.test,
            revision: self.result.revision.as_deref(),
            result: self.outcome(),
            detail: self.detail(),
            source: self.source(),
            suppressed: self.suppressed.as_ref().map(Suppression::phrase),
        };
        document.serialize(serializer)
    }
}
