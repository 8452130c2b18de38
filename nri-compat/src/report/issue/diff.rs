//! Problems in a diff report: its findings.

use super::{Issue, Issues, Place};
use crate::report::diff::{DiffReport, SuppressedFinding};
use crate::report::finding::{Finding, Location};
use crate::rules;

impl From<&DiffReport> for Issues {
    fn from(report: &DiffReport) -> Self {
        Self {
            command: "diff",
            issues: report
                .findings
                .iter()
                .map(issue)
                .chain(report.suppressed.iter().map(suppressed))
                .collect(),
            policy: report.policy.clone(),
            summary: report.compared_phrase(),
            ..Self::default()
        }
    }
}

/// Returns the problem for a finding.
pub(in crate::report) fn issue(finding: &Finding) -> Issue {
    let remedy = rules::get(finding.rule).map(|rule| rule.remedy.to_owned());
    Issue {
        rule: finding.rule,
        level: finding.level,
        about: finding.element.clone(),
        message: finding.message.clone(),
        help: remedy.unwrap_or_default(),
        place: finding.location.as_ref().map(place),
        fingerprint: finding.fingerprint(),
        suppressed: None,
    }
}

/// Returns the problem for a suppressed finding.
pub(in crate::report) fn suppressed(suppressed: &SuppressedFinding) -> Issue {
    Issue {
        suppressed: Some(suppressed.by.phrase()),
        ..issue(&suppressed.finding)
    }
}

fn place(at: &Location) -> Place {
    Place {
        file: at.file.clone(),
        within: None,
        line: Some((at.line, at.column)),
    }
}
