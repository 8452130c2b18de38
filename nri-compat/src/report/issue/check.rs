//! Problems in a check report: every verdict that is not ok.

use super::{Issue, Issues, Place};
use crate::check::place;
use crate::report::check::{CheckReport, Outcome, Subject, Verdict};
use crate::report::fingerprint::fingerprint;

impl From<&CheckReport> for Issues {
    fn from(report: &CheckReport) -> Self {
        let bad = report.verdicts();
        let bad = bad.filter(|(_, verdict)| verdict.outcome != Outcome::Ok);
        let skipped = report.skipped.iter();
        Self {
            command: "check",
            issues: bad
                .map(|(subject, verdict)| issue(subject, verdict))
                .collect(),
            skipped: skipped
                .map(|one| (one.place.to_string(), one.reason.clone()))
                .collect(),
            policy: report.policy.clone(),
            summary: report.summary.phrase(),
        }
    }
}

fn issue(subject: &Subject, verdict: &Verdict) -> Issue {
    Issue {
        rule: verdict.rule,
        level: verdict.level(),
        about: subject.label(),
        message: message(subject, verdict),
        help: verdict.remedy.clone(),
        place: Some(place(&subject.place)),
        fingerprint: fingerprint(subject, verdict),
        suppressed: verdict.suppressed.as_ref().map(|one| one.phrase()),
    }
}

fn message(subject: &Subject, verdict: &Verdict) -> String {
    let events = match verdict.events.is_empty() {
        true => String::new(),
        false => format!(" ({})", verdict.events.join(", ")),
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

/// Returns the place as formats for problems need it. Annotations find a file of the repository only by its plain name.
fn place(place: &place::Place) -> Place {
    let file = place.file.strip_prefix("./").unwrap_or(&place.file);
    Place {
        file: file.to_owned(),
        within: place.within(),
        // Readers of text know the line alone.
        line: place.line.map(|line| (line, 1)),
    }
}
