//! The markdown report of `check` and `logs`.

use super::{code, prose, table};
use crate::report::check::{Alike, CheckReport, Outcome, Subject, Verdict};

/// Renders the answer of `check` or `logs` as markdown.
pub fn check(report: &CheckReport) -> String {
    let report = report.visible();
    let sections = [
        head(&report),
        matrix(&report),
        findings(&report.subjects),
        others(&report.subjects),
        skipped(&report),
        policy(&report.policy),
    ];
    sections.concat()
}

fn head(report: &CheckReport) -> String {
    let outcomes = match report.verdicts().next() {
        Some(_) => report.outcomes(),
        None => "No plugin found".to_owned(),
    };
    let targets = report.targets_phrase();
    let targets = targets.map(|(label, targets)| format!("; {label}{targets}"));
    format!(
        "## NRI plugins\n\n{}{}; {}.\n",
        prose(&outcomes),
        prose(&targets.unwrap_or_default()),
        prose(&report.summary.phrase())
    )
}

fn judged(subjects: &[Subject]) -> impl Iterator<Item = &Subject> {
    subjects.iter().filter(|one| !one.verdicts.is_empty())
}

fn matrix(report: &CheckReport) -> String {
    let targets: Vec<&str> = report.targets.iter().map(|one| one.name.as_str()).collect();
    let rows: Vec<Vec<String>> = judged(&report.subjects)
        .map(|subject| matrix_row(subject, &targets))
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let titles: Vec<String> = targets.iter().map(|target| prose(target)).collect();
    let head: Vec<&str> = ["plugin"]
        .into_iter()
        .chain(titles.iter().map(String::as_str))
        .chain(["where"])
        .collect();
    format!("\n{}", table(&head, &rows))
}

fn matrix_row(subject: &Subject, targets: &[&str]) -> Vec<String> {
    let of = |target: &str| subject.verdicts.iter().find(|one| one.target == target);
    let cells = targets
        .iter()
        .map(|target| of(target).map_or("-".to_owned(), word));
    [code(&subject.label())]
        .into_iter()
        .chain(cells)
        .chain([code(&subject.place.to_string())])
        .collect()
}

fn word(verdict: &Verdict) -> String {
    let word = match verdict.outcome {
        Outcome::Ok => "ok".to_owned(),
        outcome => format!("**{}**", outcome.as_str()),
    };
    match verdict.suppressed {
        Some(_) => format!("({}), suppressed", verdict.outcome.as_str()),
        None => word,
    }
}

fn findings(subjects: &[Subject]) -> String {
    let rows: Vec<Vec<String>> = judged(subjects).flat_map(finding_rows).collect();
    if rows.is_empty() {
        return String::new();
    }
    let head = ["plugin", "verdict", "under", "why", "what to do"];
    format!("\n### Why, and what to do\n\n{}", table(&head, &rows))
}

fn finding_rows(subject: &Subject) -> Vec<Vec<String>> {
    let alike = subject.alike().into_iter();
    let bad = alike.filter(|alike| alike.verdict.outcome != Outcome::Ok);
    bad.map(|alike| finding_row(subject, &alike)).collect()
}

fn finding_row(subject: &Subject, alike: &Alike<'_>) -> Vec<String> {
    let verdict = alike.verdict;
    let rule = match verdict.rule {
        "" => String::new(),
        rule => format!(" {}", code(rule)),
    };
    vec![
        code(&subject.label()),
        format!("{}{rule}", verdict.outcome.as_str()),
        prose(&alike.targets.join(", ")),
        why(verdict),
        prose(&verdict.remedy),
    ]
}

fn why(verdict: &Verdict) -> String {
    let events: Vec<String> = verdict.events.iter().map(|event| code(event)).collect();
    let suppressed = verdict.suppressed.as_ref().map(|one| prose(&one.phrase()));
    let parts = [
        prose(&verdict.reason),
        events.join(", "),
        prose(&verdict.facts()),
        suppressed.unwrap_or_default(),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("; ")
}

fn others(subjects: &[Subject]) -> String {
    let others = subjects.iter().filter(|one| one.verdicts.is_empty());
    let lines: Vec<String> = others
        .map(|one| {
            format!(
                "- {}: {}\n",
                code(&one.place.to_string()),
                prose(&one.nature())
            )
        })
        .collect();
    section("Found besides, with nothing to judge", &lines)
}

fn skipped(report: &CheckReport) -> String {
    let lines: Vec<String> = report
        .skipped
        .iter()
        .map(|one| {
            format!(
                "- {}: {}\n",
                code(&one.place.to_string()),
                prose(&one.reason)
            )
        })
        .collect();
    section("Skipped", &lines)
}

fn policy(notes: &[String]) -> String {
    let lines: Vec<String> = notes
        .iter()
        .map(|note| format!("- {}\n", prose(note)))
        .collect();
    section("The policy itself", &lines)
}

fn section(title: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        String::new()
    } else {
        format!("\n### {title}\n\n{}", lines.concat())
    }
}
