//! JUnit XML of `probe`: a suite per target, a case per event.

use nri_conformance::probe::{EventOutcome, EventResult, TargetResult, Verdict};

use super::write::write;
use super::{Case, CaseResult, Suite};
use crate::report::probe::ProbeReport;
use crate::report::written;

/// Renders the answer of `probe` as JUnit XML.
pub fn probe(report: &ProbeReport) -> String {
    let report = &*report.visible();
    let suites: Vec<Suite<'_>> = report
        .probed
        .targets
        .iter()
        .map(|target| suite(report, target))
        .collect();
    let trouble = report.probed.troubles.iter();
    let mut notes: Vec<String> = trouble
        .map(|trouble| format!("{}: {}", trouble.kind, trouble.message))
        .collect();
    notes.push(format!(
        "{}: {}",
        report.subject_phrase(),
        report.summary_phrase()
    ));
    let millis = u64::try_from(report.probed.took.as_millis()).unwrap_or(u64::MAX);
    written(|out| write(&suites, &notes, millis, out))
}

fn suite<'r>(report: &'r ProbeReport, target: &'r TargetResult) -> Suite<'r> {
    let cases = move || -> Box<dyn Iterator<Item = Case> + 'r> {
        let registration = case(report, target, "registration", registered(target));
        let events = target
            .events
            .iter()
            .map(move |event| case(report, target, event.event, result(event)));
        Box::new(std::iter::once(registration).chain(events))
    };
    Suite {
        name: target.target.clone(),
        cases: Box::new(cases),
    }
}

fn case(report: &ProbeReport, target: &TargetResult, name: &str, result: CaseResult) -> Case {
    Case {
        class: format!("{}.{}", report.probed.subject.name, target.target),
        name: name.to_owned(),
        file: (!report.place.is_empty()).then(|| report.place.clone()),
        line: None,
        result,
    }
}

/// Returns the result of registering: a failure if the plugin was dropped.
fn registered(target: &TargetResult) -> CaseResult {
    match target.verdict {
        Verdict::Dropped => failed(target.verdict.as_str(), &target.reason),
        Verdict::Unknown if target.events.is_empty() => CaseResult::Skipped(target.reason.clone()),
        Verdict::Works
        | Verdict::Deprecated
        | Verdict::Loses
        | Verdict::Unknown
        | Verdict::Breaks => CaseResult::Passed,
    }
}

fn result(event: &EventResult) -> CaseResult {
    match event.outcome {
        EventOutcome::Works => CaseResult::Passed,
        EventOutcome::Deprecated => CaseResult::Noted(format!(
            "arrives as StateChange, which is deprecated: {}",
            event.detail
        )),
        EventOutcome::Lost => CaseResult::Noted(format!("does not arrive: {}", event.detail)),
        EventOutcome::NotTried => CaseResult::Skipped(event.detail.clone()),
        EventOutcome::Fails | EventOutcome::Silent => failed(event.outcome.as_str(), &event.detail),
    }
}

fn failed(kind: &str, detail: &str) -> CaseResult {
    CaseResult::Failed {
        kind: kind.to_owned(),
        message: detail.to_owned(),
        text: detail.to_owned(),
    }
}
