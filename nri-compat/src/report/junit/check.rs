//! JUnit XML of `check` and `logs`: a suite per target, a case per plugin.

use std::io::{self, Write};

use super::write::write;
use super::{Case, CaseResult, Suite};
use crate::report::check::{CheckReport, Outcome, Skipped, Subject, Verdict};
use crate::report::finding::Level;
use crate::report::{VisibleReport, written};

/// Renders the result of `check` or `logs` as JUnit XML. Skipped places are a separate suite.
pub fn check(report: &CheckReport) -> String {
    written(|out| write_check(&report.visible(), out))
}

/// Writes the answer of `check` or `logs` as JUnit XML.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_check(report: &VisibleReport, out: &mut dyn Write) -> io::Result<()> {
    let targets = report.targets.iter();
    let mut suites: Vec<Suite<'_>> = targets.map(|target| suite(report, &target.name)).collect();
    if !report.skipped.is_empty() {
        suites.push(Suite {
            name: "skipped".into(),
            cases: Box::new(|| Box::new(report.skipped.iter().map(skipped))),
        });
    }
    write(&suites, &notes(report), report.summary.millis, out)
}

fn suite<'r>(report: &'r CheckReport, target: &'r str) -> Suite<'r> {
    let cases = move || -> Box<dyn Iterator<Item = Case> + 'r> {
        let verdicts = report
            .verdicts()
            .filter(move |(_, verdict)| verdict.target == target);
        Box::new(verdicts.map(|(subject, verdict)| case(subject, verdict)))
    };
    Suite {
        name: target.to_owned(),
        cases: Box::new(cases),
    }
}

fn case(subject: &Subject, verdict: &Verdict) -> Case {
    Case {
        class: subject.place.whole_file().to_string(),
        name: subject.label(),
        file: Some(subject.place.whole_file().to_string()),
        line: subject.place.line_on_disk(),
        result: result(verdict),
    }
}

fn result(verdict: &Verdict) -> CaseResult {
    let text = text(verdict);
    match (&verdict.suppressed, verdict.outcome, verdict.level()) {
        (_, Outcome::Ok, _) => CaseResult::Passed,
        (Some(why), _, _) => CaseResult::Skipped(format!("{}; {text}", why.phrase())),
        (None, Outcome::Unknown, Level::Note) => CaseResult::Skipped(text),
        (None, _, Level::Note) => CaseResult::Noted(text),
        (None, outcome, _) => CaseResult::Failed {
            kind: format!("{}: {}", outcome.as_str(), verdict.rule),
            message: verdict.reason.to_string(),
            text,
        },
    }
}

fn text(verdict: &Verdict) -> String {
    let mut text = format!("{}: {}", verdict.outcome.as_str(), verdict.reason);
    if !verdict.events.is_empty() {
        text.push_str(&format!("\nevents: {}", verdict.events.join(", ")));
    }
    text.push_str(&format!("\n{}", verdict.facts()));
    if !verdict.remedy.is_empty() {
        text.push_str(&format!("\nhelp: {}", verdict.remedy));
    }
    text
}

fn skipped(skipped: &Skipped) -> Case {
    Case {
        class: skipped.place.to_string(),
        name: skipped.place.to_string(),
        file: Some(skipped.place.to_string()),
        line: skipped.place.line_on_disk(),
        result: CaseResult::Skipped(skipped.reason.clone()),
    }
}

/// Returns problems with the policy, and the places that were checked.
fn notes(report: &CheckReport) -> Vec<String> {
    let policy = report.policy.iter().cloned();
    policy.chain([report.extent()]).collect()
}
