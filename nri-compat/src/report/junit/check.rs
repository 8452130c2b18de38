//! JUnit XML of `check` and `logs`: a suite a target, a case a plugin.

use super::write::write;
use super::{Case, Suite, Went};
use crate::report::check::{CheckReport, Outcome, Skipped, Subject, Verdict};
use crate::report::finding::Level;
use crate::report::issue::Issues;

/// Renders the answer of `check` or `logs` as JUnit XML. What could not be looked at is a suite of its own.
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
        went: went(verdict),
    }
}

fn went(verdict: &Verdict) -> Went {
    let text = text(verdict);
    match (&verdict.suppressed, verdict.outcome, verdict.level()) {
        (_, Outcome::Ok, _) => Went::Passed,
        (Some(why), _, _) => Went::Skipped(format!("{}; {text}", why.phrase())),
        (None, Outcome::Unknown, Level::Note) => Went::Skipped(text),
        (None, _, Level::Note) => Went::Noted(text),
        (None, outcome, _) => Went::Failed {
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
        went: Went::Skipped(skipped.reason.clone()),
    }
}

/// What was looked at, and what is wrong with the policy.
fn notes(report: &CheckReport) -> Vec<String> {
    let all = Issues::from(report);
    all.policy.into_iter().chain([all.summary]).collect()
}
