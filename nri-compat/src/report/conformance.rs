//! The results of `conformance`, as plain data for every renderer.

use nri_conformance::contract::{self, Statement};
use nri_conformance::result::{
    Failure, Outcome, Report, Subject, SubjectKind, Summary, TestResult,
};
use serde::{Serialize, Serializer};

use super::check::Suppression;
use super::count::counted;
use super::finding::Level;
use super::fingerprint::series;
use super::hash::fingerprint_of;

/// The results of all tests of a plugin or runtime, after policy and baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConformanceReport {
    /// The plugin or runtime.
    pub subject: Subject,
    /// The file or socket that was named on the command line.
    pub place: String,
    /// One result per test and revision, in the order in which they ran.
    pub results: Vec<JudgedTest>,
    /// Findings about the policy itself: an ignore that matches nothing or has expired.
    pub policy: Vec<String>,
    /// The seed of the random choices, with which the run can be repeated.
    pub seed: Option<u64>,
    /// Time taken, in milliseconds.
    pub millis: u64,
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

/// The results of one statement.
#[derive(Clone, Debug)]
pub struct StatementResults<'r> {
    /// The id of the statement.
    pub id: &'static str,
    /// The statement, if the contract has it.
    pub statement: Option<&'static Statement>,
    /// Its results, in the order of the report; never empty.
    pub tests: Vec<&'r JudgedTest>,
}

impl ConformanceReport {
    /// Creates a report about the plugin or runtime at `place`, before policy and baseline are applied.
    pub fn new(place: impl Into<String>, report: Report) -> Self {
        let judged = |result: TestResult| JudgedTest {
            level: level(result.statement),
            result,
            suppressed: None,
        };
        Self {
            subject: report.subject,
            place: place.into(),
            results: report.results.into_iter().map(judged).collect(),
            policy: Vec::new(),
            seed: None,
            millis: 0,
        }
    }

    /// Counts the outcomes; suppressed violations are counted by their outcome, too.
    pub fn summary(&self) -> Summary {
        let results = self.results.iter().map(|test| test.result.clone());
        let report = Report {
            subject: self.subject.clone(),
            results: results.collect(),
        };
        report.summary()
    }

    /// Returns the results grouped by statement, in the order of the contract.
    pub fn by_statement(&self) -> Vec<StatementResults<'_>> {
        contract::ids()
            .filter_map(|id| self.statement(id))
            .collect()
    }

    fn statement(&self, id: &'static str) -> Option<StatementResults<'_>> {
        let tests = self.results.iter();
        let tests: Vec<_> = tests.filter(|test| test.result.statement == id).collect();
        (!tests.is_empty()).then(|| StatementResults {
            id,
            statement: contract::get(id),
            tests,
        })
    }

    /// Returns every violation: failures and known deviations.
    pub fn violations(&self) -> impl Iterator<Item = &JudgedTest> {
        self.results
            .iter()
            .filter(|test| test.violation().is_some())
    }

    /// Returns the kind and name of the subject: `plugin 10-logger, NRI v0.12.5`.
    pub fn subject_phrase(&self) -> String {
        let Subject { kind, version, .. } = &self.subject;
        let mut label = self.subject.label();
        if label.is_empty() {
            label.clone_from(&self.place);
        }
        let version = match (kind, version.as_str()) {
            (_, "") => String::new(),
            (SubjectKind::Plugin, version) => format!(", NRI {version}"),
            (SubjectKind::Runtime, version) => format!(" {version}"),
        };
        format!("{} {label}{version}", kind_name(*kind))
    }

    /// Returns the counts: `12 passed, 1 failed, 2 skipped, 0 known deviations`.
    pub fn summary_phrase(&self) -> String {
        let summary = self.summary();
        let mut facts = vec![
            format!("{} passed", summary.pass),
            format!("{} failed", summary.fail),
        ];
        let ignored = self.violations();
        let ignored = ignored.filter(|test| test.suppressed.is_some()).count();
        if ignored > 0 {
            facts.push(format!("{ignored} suppressed"));
        }
        facts.push(format!("{} skipped", summary.skip));
        facts.push(counted(summary.known, "known deviation"));
        facts.join(", ")
    }

    /// Returns the time taken, and the seed that repeats the run.
    pub fn run_phrase(&self) -> String {
        let time = format!("took {}.{} s", self.millis / 1000, self.millis % 1000 / 100);
        match self.seed {
            Some(seed) => format!("{time}; --seed {seed} repeats the same choices"),
            None => time,
        }
    }
}

impl JudgedTest {
    /// Returns the violation of the statement, if there is one.
    pub fn violation(&self) -> Option<&Failure> {
        match &self.result.outcome {
            Outcome::Fail(failure) | Outcome::Known { failure, .. } => Some(failure),
            Outcome::Pass | Outcome::Skip(_) => None,
        }
    }

    /// Returns the name of the test: `stop-twice under v0.11.0`.
    pub fn name(&self) -> String {
        match &self.result.revision {
            Some(revision) => format!("{} under {revision}", self.result.test),
            None => self.result.test.to_owned(),
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

/// Returns the name of an outcome in JSON.
pub(crate) fn outcome_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "pass",
        Outcome::Fail(_) => "fail",
        Outcome::Skip(_) => "skip",
        Outcome::Known { .. } => "known",
    }
}

/// A report as JSON, with the values that are derived from it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Document<'r> {
    /// The plugin or runtime that was tested.
    subject: &'r Subject,
    /// One result per test and revision, in the order in which they ran.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<TestDocument<'r>>"))]
    results: &'r [JudgedTest],
    /// The numbers of results.
    summary: SummaryDocument<'r>,
}

/// The numbers of results.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SummaryDocument<'r> {
    /// Tests whose statement was kept.
    pass: usize,
    /// Tests whose statement was broken.
    fail: usize,
    /// Tests that were skipped.
    skip: usize,
    /// Tests whose statement was broken in a known way.
    known: usize,
    /// Violations that the policy or the baseline suppresses.
    suppressed: usize,
    /// Violations of level `note`, such as those of ambiguous statements.
    ambiguous: usize,
    /// The seed of the random choices, with which the run can be repeated.
    seed: Option<u64>,
    /// Time taken, in milliseconds.
    millis: u64,
    /// Findings about the policy itself, such as an ignore that matches nothing or has expired.
    policy: &'r [String],
}

impl Serialize for ConformanceReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts = self.summary();
        let count = |is: fn(&JudgedTest) -> bool| self.violations().filter(|test| is(test)).count();
        let document = Document {
            subject: &self.subject,
            results: &self.results,
            summary: SummaryDocument {
                pass: counts.pass,
                fail: counts.fail,
                skip: counts.skip,
                known: counts.known,
                suppressed: count(|test| test.suppressed.is_some()),
                ambiguous: count(|test| test.level == Level::Note),
                seed: self.seed,
                millis: self.millis,
                policy: &self.policy,
            },
        };
        document.serialize(serializer)
    }
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
            result: outcome_name(&self.result.outcome),
            detail: self.detail(),
            source: self.source(),
            suppressed: self.suppressed.as_ref().map(Suppression::phrase),
        };
        document.serialize(serializer)
    }
}
