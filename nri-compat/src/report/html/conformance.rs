//! The HTML report of `conformance`.

use askama::Template;
use nri_conformance::result::Outcome;

use super::page::{self, Page};
use super::verdict::{Filter, SUPPRESSED};
use crate::report::conformance::{ConformanceReport, JudgedTest, StatementResults};
use crate::report::written;

/// Renders the answer of `conformance` as HTML.
pub fn conformance(report: &ConformanceReport) -> String {
    let report = &*report.visible();
    let page = ConformancePage {
        page: Page::new(),
        results: TestResult::ALL.to_vec(),
        groups: report.by_statement(),
        report,
    };
    written(|out| page::write(&page, out))
}

#[derive(Template)]
#[template(path = "conformance.html")]
struct ConformancePage<'r> {
    page: Page,
    /// The results, in the order of columns.
    results: Vec<TestResult>,
    groups: Vec<StatementResults<'r>>,
    report: &'r ConformanceReport,
}

/// The result of a test, from good to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TestResult {
    Passed,
    Skipped,
    Suppressed,
    Known,
    Failed,
}

/// A statement with its tests.
struct StatementRow<'r> {
    id: &'static str,
    text: &'r str,
    result: TestResult,
    counts: [usize; TestResult::ALL.len()],
    /// The line that is always shown.
    headline: &'r str,
    /// The tests that did not pass.
    tests: Vec<Test<'r>>,
    facts: Vec<(&'static str, &'r str)>,
}

/// A test that did not pass.
struct Test<'r> {
    result: TestResult,
    name: String,
    facts: Vec<(&'static str, String)>,
    /// The answer that broke the statement, or why the test was skipped.
    headline: &'r str,
}

impl ConformancePage<'_> {
    fn rows(&self) -> impl Iterator<Item = StatementRow<'_>> {
        self.groups.iter().map(StatementRow::new)
    }

    /// Returns a filter for each result that occurs, with the number of statements.
    fn filters(&self) -> Vec<Filter> {
        let of_result = |result: TestResult| Filter {
            class: result.class(),
            word: result.word(),
            count: self.rows().filter(|row| row.result == result).count(),
        };
        let all = TestResult::ALL.into_iter().map(of_result);
        all.filter(|filter| filter.count > 0).collect()
    }
}

impl TestResult {
    const ALL: [Self; 5] = [
        Self::Passed,
        Self::Skipped,
        Self::Suppressed,
        Self::Known,
        Self::Failed,
    ];

    fn of(test: &JudgedTest) -> Self {
        match (&test.result.outcome, &test.suppressed) {
            (Outcome::Pass, _) => Self::Passed,
            (Outcome::Skip(_), _) => Self::Skipped,
            (Outcome::Fail(_) | Outcome::Known { .. }, Some(_)) => Self::Suppressed,
            (Outcome::Known { .. }, None) => Self::Known,
            (Outcome::Fail(_), None) => Self::Failed,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Skipped => "skipped",
            Self::Suppressed => "suppressed",
            Self::Known => "known",
            Self::Failed => "failed",
        }
    }

    const fn class(self) -> &'static str {
        match self {
            Self::Passed => "o",
            Self::Skipped => "u",
            Self::Suppressed => SUPPRESSED,
            Self::Known => "d",
            Self::Failed => "i",
        }
    }
}

impl<'r> StatementRow<'r> {
    fn new(group: &StatementResults<'r>) -> Self {
        let results: Vec<TestResult> = group
            .tests
            .iter()
            .map(|test| TestResult::of(test))
            .collect();
        let count = |result| results.iter().filter(|it| **it == result).count();
        let tests = group.tests.iter().zip(&results);
        let tests = tests.filter(|(_, result)| **result != TestResult::Passed);
        let mut tests: Vec<Test<'r>> = tests
            .map(|(test, result)| Test::new(test, *result))
            .collect();
        tests.sort_by_key(|test| std::cmp::Reverse(test.result));
        let headline = tests.first().map_or("", |test| test.headline);
        let statement = group.statement;
        Self {
            id: group.id,
            text: statement.map_or("", |statement| &statement.text),
            result: results.iter().copied().max().unwrap_or(TestResult::Passed),
            counts: TestResult::ALL.map(count),
            headline: if headline.is_empty() {
                "Source"
            } else {
                headline
            },
            tests,
            facts: statement.map_or_else(Vec::new, |statement| {
                let facts = [
                    ("Cost", statement.cost.as_str()),
                    ("Source", &statement.source),
                ];
                facts.into()
            }),
        }
    }
}

impl<'r> Test<'r> {
    fn new(test: &'r JudgedTest, result: TestResult) -> Self {
        let mut facts = Vec::new();
        if let Some(failure) = test.violation() {
            facts.push(("Sent", failure.sent.clone()));
            facts.push(("Came back", failure.got.clone()));
            facts.push(("Expected", failure.expected.clone()));
        }
        let headline = match &test.result.outcome {
            Outcome::Pass => "",
            Outcome::Skip(reason) => reason,
            Outcome::Fail(failure) | Outcome::Known { failure, .. } => &failure.got,
        };
        match &test.result.outcome {
            Outcome::Skip(reason) => facts.push(("Reason", reason.clone())),
            Outcome::Known { link, .. } => facts.push(("Described in", link.clone())),
            Outcome::Pass | Outcome::Fail(_) => {}
        }
        if let Some(by) = &test.suppressed {
            facts.push(("Policy", by.phrase()));
        }
        Self {
            result,
            name: test.name(),
            facts,
            headline,
        }
    }
}
