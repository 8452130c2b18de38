//! JUnit XML of `check` and `logs`: a suite for each target, a case for each plugin.

use super::write::write;
use super::{Case, CaseResult, Suite};
use crate::report::check::{CheckReport, Outcome, Skipped, Subject, Verdict};
use crate::report::finding::Level;
use crate::report::issue::Issues;

/// Renders the answer of `check` or `logs` as JUnit XML. Skipped places are a suite of their own.
pub fn check(report: &CheckReport) -> String {
    let report = report.visible();
    let mut suites: Vec<Suite> = report
        .targets
        .iter()
        .map(|target| suite(&report, &target.name))
        .collect();
    if !report.skipped.is_empty() {
        suites.push(Suite {
            name: "skipped".into(),
            cases: report.skipped.iter().map(skipped).collect(),
        });
    }
    write(&suites, &notes(&report), report.summary.millis)
}

fn suite(report: &CheckReport, target: &str) -> Suite {
    let cases = report.verdicts().filter(|(_, one)| one.target == target);
    Suite {
        name: target.to_owned(),
        cases: cases
            .map(|(subject, verdict)| case(subject, verdict))
            .collect(),
    }
}

fn case(subject: &Subject, verdict: &Verdict) -> Case {
    Case {
        class: subject.place.whole_file().to_string(),
        name: subject.label(),
        file: Some(subject.place.whole_file().to_string()),
        line: subject.place.line,
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
            message: verdict.reason.clone(),
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
        line: skipped.place.line,
        result: CaseResult::Skipped(skipped.reason.clone()),
    }
}

/// Returns problems with the policy, and the places that were looked at.
fn notes(report: &CheckReport) -> Vec<String> {
    let all = Issues::from(report);
    all.policy.into_iter().chain([all.summary]).collect()
}
