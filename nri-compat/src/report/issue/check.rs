//! Problems in a check report: every verdict that is not ok.

use super::{Issue, Issues, Place};
use crate::place;
use crate::report::check::{CheckReport, Outcome, Subject, Verdict};
use crate::report::fingerprint::fingerprint;

impl Issues {
    /// Returns everything except the problems of a report, of which there may be many.
    pub(crate) fn without_issues(report: &CheckReport) -> Self {
        let skipped = report.skipped.iter();
        Self {
            command: "check",
            issues: Vec::new(),
            skipped: skipped
                .map(|skipped| (skipped.place.to_string(), skipped.reason.clone()))
                .collect(),
            policy: report.policy.clone(),
            summary: report.extent(),
        }
    }
}

impl CheckReport {
    /// Returns all verdicts other than ok.
    pub(crate) fn problems(&self) -> impl Iterator<Item = (&Subject, &Verdict)> {
        self.verdicts()
            .filter(|(_, verdict)| verdict.outcome != Outcome::Ok)
    }
}

/// Returns the problem for a verdict.
pub(in crate::report) fn issue(subject: &Subject, verdict: &Verdict) -> Issue {
    Issue {
        rule: verdict.rule,
        level: verdict.level(),
        about: subject.label(),
        message: message(subject, verdict),
        help: verdict.remedy.to_string(),
        place: Some(place(&subject.place)),
        fingerprint: fingerprint(subject, verdict),
        suppressed: verdict.suppressed.as_ref().map(|by| by.phrase()),
    }
}

fn message(subject: &Subject, verdict: &Verdict) -> String {
    let events = if verdict.events.is_empty() {
        String::new()
    } else {
        format!(" ({})", verdict.events.join(", "))
    };
    format!(
        "{}: {} under {}: {}{events}; {}",
        subject.label(),
        verdict.outcome.as_str(),
        verdict.target,
        verdict.reason,
        verdict.facts()
    )
}

/// Returns the location for formats that list problems. Annotations need the plain path of a file in
/// the repository.
fn place(place: &place::Place) -> Place {
    let file = place.file.strip_prefix("./").unwrap_or(&place.file);
    Place {
        file: file.to_owned(),
        within: place.within(),
        // The column is unknown.
        line: place.line_on_disk().map(|line| (line, 1)),
    }
}
