//! The text report of `conformance`.

use anstyle::Style;
use nri_conformance::result::Outcome;

use super::layout::Page;
use super::width::Look;
use crate::report::check;
use crate::report::conformance::{ConformanceReport, JudgedTest, StatementResults};
use crate::report::finding::Level;

/// Renders the answer of `conformance` as text.
pub fn conformance(report: &ConformanceReport, look: impl Into<Look>) -> String {
    let report = &*report.visible();
    let mut page = Page::new(look.into());
    let strong = page.palette.strong;
    page.line(0, &report.subject_phrase(), strong, "");
    let groups = report.by_statement();
    violations(&mut page, "Broken", &groups, is_broken);
    violations(&mut page, "Known deviations", &groups, is_known);
    violations(&mut page, "Suppressed", &groups, is_suppressed);
    skipped(&mut page, &groups);
    kept(&mut page, &groups);
    summary(&mut page, report);
    page.finish()
}

fn is_broken(test: &JudgedTest) -> bool {
    matches!(test.result.outcome, Outcome::Fail(_)) && test.suppressed.is_none()
}

fn is_known(test: &JudgedTest) -> bool {
    matches!(test.result.outcome, Outcome::Known { .. }) && test.suppressed.is_none()
}

fn is_suppressed(test: &JudgedTest) -> bool {
    test.violation().is_some() && test.suppressed.is_some()
}

/// Adds a section with the violations that `is` selects, by statement.
fn violations(
    page: &mut Page,
    title: &str,
    groups: &[StatementResults<'_>],
    is: fn(&JudgedTest) -> bool,
) {
    let mut has_heading = false;
    for group in groups {
        let tests: Vec<_> = group
            .tests
            .iter()
            .copied()
            .filter(|test| is(test))
            .collect();
        if tests.is_empty() {
            continue;
        }
        if !std::mem::replace(&mut has_heading, true) {
            page.heading(title);
        }
        broken(page, group, &tests);
    }
}

/// Adds a broken statement with its tests; those that broke it in the same way share an entry.
fn broken(page: &mut Page, group: &StatementResults<'_>, tests: &[&JudgedTest]) {
    let level = tests.iter().map(|test| test.level).max();
    let level = level.unwrap_or(Level::Note);
    let text = group.statement.map_or("", |statement| &statement.text);
    let label = format!("{level}[{}]: ", group.id);
    page.prose(2, &label, page.palette.level(level), text);
    for (nth, test) in tests.iter().enumerate() {
        let is_same = |other: &&&JudgedTest| is_alike(test, other);
        if tests.iter().take(nth).any(|other| is_same(&other)) {
            continue;
        }
        let alike: Vec<&JudgedTest> = tests.iter().filter(is_same).copied().collect();
        entry(page, test, &alike);
    }
    if let Some(statement) = group.statement {
        page.prose(6, "cost: ", page.palette.strong, &statement.cost);
        if let Some(note) = &statement.note {
            page.prose(6, "note: ", page.palette.strong, note);
        }
        page.line(6, "source: ", page.palette.strong, &statement.source);
    }
}

/// Returns true if two results differ only in the revision.
fn is_alike(left: &JudgedTest, right: &JudgedTest) -> bool {
    left.result.test == right.result.test
        && left.result.outcome == right.result.outcome
        && left.suppressed == right.suppressed
}

/// Adds a violation with the revisions under which it occurred.
fn entry(page: &mut Page, test: &JudgedTest, alike: &[&JudgedTest]) {
    let strong = page.palette.strong;
    let revisions: Vec<&str> = alike
        .iter()
        .filter_map(|test| test.result.revision.as_deref())
        .collect();
    if revisions.is_empty() {
        page.prose(4, test.result.test, strong, "");
    } else {
        let label = format!("{} under ", test.result.test);
        page.list(4, &label, strong, revisions);
    }
    let Some(failure) = test.violation() else {
        return;
    };
    page.prose(6, "sent: ", strong, &failure.sent);
    page.prose(6, "got: ", strong, &failure.got);
    page.prose(6, "expected: ", strong, &failure.expected);
    if let Outcome::Known { link, .. } = &test.result.outcome {
        page.line(6, "described in: ", strong, link);
    }
    if let Some(by) = &test.suppressed {
        page.prose(6, "", page.palette.faint, &by.phrase());
    }
}

/// Adds the skipped tests, by reason.
fn skipped(page: &mut Page, groups: &[StatementResults<'_>]) {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    let tests = groups.iter().flat_map(|group| group.tests.iter());
    for test in tests {
        let Outcome::Skip(reason) = &test.result.outcome else {
            continue;
        };
        let name = format!("{} {}", test.result.statement, test.name());
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    if reasons.is_empty() {
        return;
    }
    page.heading("Skipped");
    for (reason, names) in reasons {
        page.prose(2, "", Style::new(), reason);
        page.list(4, "", page.palette.faint, names.iter().map(String::as_str));
    }
}

/// Adds the ids of statements that were tested and never broken.
fn kept(page: &mut Page, groups: &[StatementResults<'_>]) {
    let is_kept = |group: &&StatementResults<'_>| {
        let mut tests = group.tests.iter();
        tests.all(|test| test.violation().is_none())
            && group
                .tests
                .iter()
                .any(|test| test.result.outcome == Outcome::Pass)
    };
    let kept: Vec<&str> = groups
        .iter()
        .filter(is_kept)
        .map(|group| group.id)
        .collect();
    if !kept.is_empty() {
        page.heading("Kept");
        let good = page.palette.verdict(check::Outcome::Ok);
        page.list(2, "", good, kept);
    }
}

fn summary(page: &mut Page, report: &ConformanceReport) {
    page.gap();
    page.prose(0, "", Style::new(), &report.summary_phrase());
    page.prose(0, "", Style::new(), &report.run_phrase());
    for note in &report.policy {
        page.prose(0, "policy: ", page.palette.level(Level::Warning), note);
    }
    if report.violations().next().is_some() {
        page.prose(
            0,
            "",
            Style::new(),
            "for details: nri-compat explain STATEMENT",
        );
    }
}
