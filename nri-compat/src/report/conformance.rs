//! The results of `conformance`, and the statements that it lists, as plain data for every format.

use nri_conformance::contract::{self, Statement};
use nri_conformance::incident::Incident;
use nri_conformance::result::{Failure, Outcome, Report, Subject, SubjectKind, TestResult};
use nri_schema::version::without_v;
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
    /// Violations that the policy or the baseline suppresses. They are counted by their outcome,
    /// too.
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

/// The result of a test, after policy and baseline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "TestDocument"))]
pub struct JudgedTest {
    /// The id of the statement; see `nri-compat explain`.
    #[serde(rename = "id")]
    pub statement: &'static str,
    /// The name of the test.
    pub test: &'static str,
    /// The release that the other side spoke; null if it does not matter.
    pub revision: Option<String>,
    /// The outcome.
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("enum" = ["pass", "fail", "skip", "known"])))]
    pub result: TestOutcome,
    /// How the statement was broken, or why the test was skipped; empty for `pass`.
    pub detail: String,
    /// The incident that the log of a runtime would report for a violation, if any; see `explain`.
    pub incident: Option<Incident>,
    /// The link to the description of a known deviation, else to that of the statement.
    pub source: String,
    /// The suppression of a violation, if any.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "phrase")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub suppressed: Option<Suppression>,
    /// The violation of the statement, if there is one.
    #[serde(skip)]
    pub violation: Option<Failure>,
    /// The level of a violation: `error`, or `note` if the statement is ambiguous, unless the
    /// policy sets another one.
    #[serde(skip)]
    pub level: Level,
}

/// The outcome of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// The statement was kept.
    Pass,
    /// The statement was broken.
    Fail,
    /// The test was skipped.
    Skip,
    /// The statement was broken in a known way.
    Known,
}

impl ConformanceReport {
    /// Creates a report about the plugin or runtime at `place`, before policy and baseline are
    /// applied.
    pub fn new(place: impl Into<String>, report: Report) -> Self {
        let mut report = Self {
            subject: report.subject,
            place: place.into(),
            results: report.results.into_iter().map(JudgedTest::new).collect(),
            summary: ConformanceSummary::default(),
        };
        report.count();
        report
    }

    /// Counts the results in the summary.
    pub fn count(&mut self) {
        let results = &self.results;
        let count = |is: &dyn Fn(&&JudgedTest) -> bool| results.iter().filter(is).count();
        let of = |outcome| count(&|test| test.result == outcome);
        self.summary = ConformanceSummary {
            pass: of(TestOutcome::Pass),
            fail: of(TestOutcome::Fail),
            skip: of(TestOutcome::Skip),
            known: of(TestOutcome::Known),
            suppressed: count(&|test| test.suppressed.is_some()),
            ambiguous: count(&|test| test.violation.is_some() && test.level == Level::Note),
            ..std::mem::take(&mut self.summary)
        };
    }
}

impl JudgedTest {
    fn new(result: TestResult) -> Self {
        let statement = contract::get(result.statement);
        let is_firm = statement.is_none_or(|statement| statement.is_firm());
        let (outcome, detail, violation, link) = match result.outcome {
            Outcome::Pass => (TestOutcome::Pass, String::new(), None, None),
            Outcome::Skip(reason) => (TestOutcome::Skip, reason, None, None),
            Outcome::Fail(failure) => (TestOutcome::Fail, failure.to_string(), Some(failure), None),
            Outcome::Known { failure, link } => {
                (TestOutcome::Known, failure.to_string(), Some(failure), Some(link))
            }
        };
        let source = || statement.map(|statement| statement.source.clone());
        Self {
            statement: result.statement,
            test: result.test,
            revision: result.revision,
            result: outcome,
            detail,
            incident: violation.as_ref().and_then(|failure| failure.incident),
            source: link.or_else(source).unwrap_or_default(),
            suppressed: None,
            violation,
            level: if is_firm { Level::Error } else { Level::Note },
        }
    }

    /// Returns 32 hexadecimal digits that identify a violation by this subject, regardless of its
    /// wording and of patch releases of the protocol.
    pub fn fingerprint(&self, subject: &Subject) -> String {
        let target = self.target();
        fingerprint_of(&[
            self.statement,
            self.test,
            series(&target),
            match subject.kind {
                SubjectKind::Plugin => "plugin",
                SubjectKind::Runtime => "runtime",
            },
            &subject.index,
            &subject.name,
        ])
    }

    /// Returns the revision in the spelling of a target: `nri@0.11.0`; empty if none matters.
    pub(crate) fn target(&self) -> String {
        let revision = self.revision.as_deref();
        revision.map_or_else(String::new, |revision| format!("nri@{}", without_v(revision)))
    }
}

fn phrase<S: Serializer>(
    suppression: &Option<Suppression>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let phrase = suppression.as_ref().map(Suppression::phrase);
    phrase.serialize(serializer)
}

/// Statements of the contract.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StatementsReport<'s> {
    /// The statements, in the order of the contract.
    pub statements: &'s [&'s Statement],
}
