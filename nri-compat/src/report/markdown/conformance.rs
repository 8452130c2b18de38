//! The Markdown report of `conformance`.

use nri_conformance::result::Outcome;

use super::{code, prose, table};
use crate::report::conformance::{ConformanceReport, JudgedTest, StatementResults};

/// Renders the answer of `conformance` as Markdown.
pub fn conformance(report: &ConformanceReport) -> String {
    let report = &report.visible();
    let groups = report.by_statement();
    let mut text = format!("### Conformance of {}\n\n", prose(&report.subject_phrase()));
    text.push_str(&format!("{}\n", report.summary_phrase()));
    text.push_str(&violations(&groups));
    text.push_str(&statements(&groups));
    for note in &report.policy {
        text.push_str(&format!("\n- policy: {}\n", prose(note)));
    }
    text
}

fn violations(groups: &[StatementResults<'_>]) -> String {
    let rows: Vec<Vec<String>> = groups
        .iter()
        .flat_map(|group| group.tests.iter())
        .filter_map(|test| violation(test))
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let head = [
        "statement",
        "test",
        "sent",
        "came back",
        "expected",
        "result",
    ];
    format!("\n{}", table(&head, &rows))
}

fn violation(test: &JudgedTest) -> Option<Vec<String>> {
    let failure = test.violation()?;
    let result = match (&test.suppressed, &test.result.outcome) {
        (Some(by), _) => prose(&by.phrase()),
        (None, Outcome::Known { link, .. }) => format!("known: {}", prose(link)),
        (None, Outcome::Fail(_) | Outcome::Pass | Outcome::Skip(_)) => {
            format!("**{}**", test.level)
        }
    };
    Some(vec![
        code(test.result.statement),
        prose(&test.name()),
        prose(&failure.sent),
        prose(&failure.got),
        prose(&failure.expected),
        result,
    ])
}

fn statements(groups: &[StatementResults<'_>]) -> String {
    let rows: Vec<Vec<String>> = groups.iter().map(statement).collect();
    let head = ["statement", "passed", "failed", "skipped", "known", "text"];
    let table = table(&head, &rows);
    format!("\n<details><summary>All statements</summary>\n\n{table}\n</details>\n")
}

fn statement(group: &StatementResults<'_>) -> Vec<String> {
    let count = |is: fn(&Outcome) -> bool| {
        let tests = group.tests.iter();
        tests
            .filter(|test| is(&test.result.outcome))
            .count()
            .to_string()
    };
    let text = group.statement.map_or("", |statement| &statement.text);
    vec![
        code(group.id),
        count(|outcome| matches!(outcome, Outcome::Pass)),
        count(|outcome| matches!(outcome, Outcome::Fail(_))),
        count(|outcome| matches!(outcome, Outcome::Skip(_))),
        count(|outcome| matches!(outcome, Outcome::Known { .. })),
        prose(text),
    ]
}
