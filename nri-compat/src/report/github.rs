//! Annotations of GitHub Actions: one workflow command per problem.
//! <https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>

use std::io::{self, Write};

use super::check::CheckReport;
use super::diff::DiffReport;
use super::finding::Level;
use super::issue::{Issue, Issues, of_verdict};
use super::{VisibleReport, written};

/// Renders the answer of `check` or `logs` as annotations.
pub fn check(report: &CheckReport) -> String {
    written(|out| write_check(&report.visible(), out))
}

/// Writes the answer of `check` or `logs` as annotations.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_check(report: &VisibleReport, out: &mut dyn Write) -> io::Result<()> {
    for (subject, verdict) in report.problems() {
        out.write_all(annotation(&of_verdict(subject, verdict)).as_bytes())?;
    }
    out.write_all(annotations(&Issues::without_issues(report)).as_bytes())
}

/// Renders the findings of `diff` as annotations.
pub fn diff(report: &DiffReport) -> String {
    annotations(&Issues::from(&report.visible()))
}

fn annotations(all: &Issues) -> String {
    let mut text: String = all.issues.iter().map(annotation).collect();
    for (path, reason) in &all.skipped {
        let properties = [("file", path.clone()), ("title", "skipped".to_owned())];
        text.push_str(&command(
            "notice",
            &properties,
            &format!("{path}: {reason}"),
        ));
    }
    for note in &all.policy {
        text.push_str(&command("warning", &[("title", "policy".to_owned())], note));
    }
    let title = [("title", format!("nri-compat {}", all.command))];
    text.push_str(&command("notice", &title, &all.summary));
    text
}

fn annotation(issue: &Issue) -> String {
    let mut properties = Vec::new();
    if let Some(place) = &issue.place {
        properties.push(("file", place.file.clone()));
        if let Some((line, column)) = place.line {
            properties.push(("line", line.to_string()));
            properties.push(("col", column.to_string()));
        }
    }
    properties.push(("title", format!("{} {}", issue.rule, issue.about)));
    command(severity(issue), &properties, &issue.text())
}

/// Returns the severity. Suppressed findings are notices, whatever their level.
fn severity(issue: &Issue) -> &'static str {
    match (issue.level, &issue.suppressed) {
        (_, Some(_)) | (Level::Note, _) => "notice",
        (Level::Warning, _) => "warning",
        (Level::Error, _) => "error",
    }
}

fn command(name: &str, properties: &[(&str, String)], message: &str) -> String {
    let properties: Vec<String> = properties
        .iter()
        .map(|(key, value)| format!("{key}={}", property(value)))
        .collect();
    format!("::{name} {}::{}\n", properties.join(","), data(message))
}

/// Escapes a message like the toolkit of the runner.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes a property, which also ends at a comma or a colon.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_property_or_a_line_early() {
        let shown = command("error", &[("title", "a:b,c%\n".into())], "d::e,f%\r\ng");
        assert_eq!(shown, "::error title=a%3Ab%2Cc%25%0A::d::e,f%25%0D%0Ag\n");
    }
}
