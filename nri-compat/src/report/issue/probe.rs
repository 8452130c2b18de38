//! Problems that `probe` found: targets under which the plugin does not fully work.

use nri_conformance::probe::{TargetResult, Verdict};

use super::{Issue, Issues, Place};
use crate::report::finding::Level;
use crate::report::fingerprint::series;
use crate::report::hash::fingerprint_of;
use crate::report::probe::ProbeReport;

impl From<&ProbeReport> for Issues {
    fn from(report: &ProbeReport) -> Self {
        let targets = report.probed.targets.iter();
        let problems = targets.filter(|target| target.verdict != Verdict::Works);
        let troubles = report.probed.troubles.iter();
        Self {
            command: "probe",
            issues: problems.map(|target| issue(report, target)).collect(),
            skipped: Vec::new(),
            policy: troubles
                .map(|trouble| format!("{}: {}", trouble.kind, trouble.message))
                .collect(),
            summary: format!("{}: {}", report.subject_phrase(), report.summary_phrase()),
        }
    }
}

fn issue(report: &ProbeReport, target: &TargetResult) -> Issue {
    let subject = &report.probed.subject;
    let label = subject.label();
    Issue {
        rule: target.verdict.as_str(),
        level: level(target.verdict),
        about: label.clone(),
        message: format!(
            "{} under {}: {}",
            target.verdict, target.target, target.reason
        ),
        help: String::new(),
        place: (!report.place.is_empty()).then(|| Place {
            file: report
                .place
                .strip_prefix("./")
                .unwrap_or(&report.place)
                .to_owned(),
            within: None,
            line: None,
        }),
        fingerprint: fingerprint_of(&[target.verdict.as_str(), series(&target.target), &label]),
        suppressed: None,
    }
}

fn level(verdict: Verdict) -> Level {
    match verdict {
        Verdict::Works | Verdict::Unknown => Level::Note,
        Verdict::Deprecated | Verdict::Loses => Level::Warning,
        Verdict::Breaks | Verdict::Dropped => Level::Error,
    }
}
