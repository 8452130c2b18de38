//! The markdown report of `check` and `logs`.

use std::io::{self, Write};

use super::{code, prose, table_head, table_row};
use crate::place::Place;
use crate::report::check::{
    Alike, CheckReport, ClusterView, HOST_PLUGINS, NodePool, Outcome, Subject, Verdict,
};
use crate::report::{VisibleReport, written};

/// Renders the answer of `check` or `logs` as markdown.
pub fn check(report: &CheckReport) -> String {
    written(|out| write_check(&report.visible(), out))
}

/// Writes the answer of `check` or `logs` as markdown.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_check(report: &VisibleReport, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(head(report).as_bytes())?;
    matrix(report, out)?;
    findings(&report.subjects, out)?;
    others(&report.subjects, out)?;
    if let Some(cluster) = &report.cluster {
        nodes(cluster, out)?;
    }
    skipped(report, out)?;
    policy(&report.policy, out)
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
    subjects
        .iter()
        .filter(|subject| !subject.verdicts.is_empty())
}

fn matrix(report: &CheckReport, out: &mut dyn Write) -> io::Result<()> {
    let targets: Vec<&str> = report
        .targets
        .iter()
        .map(|target| target.name.as_str())
        .collect();
    let titles: Vec<String> = targets.iter().map(|target| prose(target)).collect();
    let head: Vec<&str> = ["plugin"]
        .into_iter()
        .chain(titles.iter().map(String::as_str))
        .chain(["where"])
        .collect();
    let rows = judged(&report.subjects).map(|subject| matrix_row(subject, &targets));
    write_table("\n", &head, rows, out)
}

fn matrix_row(subject: &Subject, targets: &[&str]) -> Vec<String> {
    let of = |target: &str| {
        subject
            .verdicts
            .iter()
            .find(|verdict| verdict.target == target)
    };
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
        outcome @ (Outcome::Unknown
        | Outcome::Deprecated
        | Outcome::Removed
        | Outcome::Incompatible) => format!("**{}**", outcome.as_str()),
    };
    match verdict.suppressed {
        Some(_) => format!("({}), suppressed", verdict.outcome.as_str()),
        None => word,
    }
}

fn findings(subjects: &[Subject], out: &mut dyn Write) -> io::Result<()> {
    let head = ["plugin", "verdict", "under", "why", "what to do"];
    let rows = judged(subjects).flat_map(finding_rows);
    write_table("\n### Why, and what to do\n\n", &head, rows, out)
}

/// Writes a table after `before`; nothing if it has no rows.
fn write_table(
    before: &str,
    head: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return Ok(());
    }
    write!(out, "{before}{}", table_head(head))?;
    rows.try_for_each(|row| out.write_all(table_row(&row).as_bytes()))
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
    let suppressed = verdict.suppressed.as_ref().map(|by| prose(&by.phrase()));
    let parts = [
        prose(&verdict.reason),
        events.join(", "),
        prose(&verdict.facts()),
        suppressed.unwrap_or_default(),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("; ")
}

fn others(subjects: &[Subject], out: &mut dyn Write) -> io::Result<()> {
    let others = subjects
        .iter()
        .filter(|subject| subject.verdicts.is_empty());
    let lines = others.map(|subject| line(&subject.place, &subject.nature()));
    section("Also found, without verdicts", lines, out)
}

/// Writes the nodes by runtime.
fn nodes(cluster: &ClusterView, out: &mut dyn Write) -> io::Result<()> {
    let head = ["nodes", "runtime", "plugins"];
    let row = |pool: &NodePool| {
        let count = pool.nodes.len().to_string();
        vec![count, code(&pool.name()), prose(&pool.judged())]
    };
    write_table("\n### Nodes\n\n", &head, cluster.pools.iter().map(row), out)?;
    writeln!(out, "\nNote: {}.", prose(HOST_PLUGINS))
}

fn skipped(report: &CheckReport, out: &mut dyn Write) -> io::Result<()> {
    let all = report.skipped.iter();
    let lines = all.map(|skipped| line(&skipped.place, &skipped.reason));
    section("Skipped", lines, out)
}

fn line(place: &Place, text: &str) -> String {
    format!("- {}: {}\n", code(&place.to_string()), prose(text))
}

fn policy(notes: &[String], out: &mut dyn Write) -> io::Result<()> {
    let lines = notes.iter().map(|note| format!("- {}\n", prose(note)));
    section("Policy", lines, out)
}

/// Writes lines under a title; nothing if there are none.
fn section(
    title: &str,
    lines: impl Iterator<Item = String>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return Ok(());
    }
    write!(out, "\n### {title}\n\n")?;
    lines.try_for_each(|line| out.write_all(line.as_bytes()))
}
