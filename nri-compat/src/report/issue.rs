//! Issues, one per location: the common model of the formats that list problems (annotations,
//! SARIF).

use serde::Serialize;

use super::check::{CheckReport, Incident, Outcome, Subject, Suppression, Verdict};
use super::diff::DiffReport;
use super::finding::{Finding, Level};
use super::fingerprint::{fingerprint, fingerprint_of_incident};
use crate::place::Place;
use crate::rules;

/// A verdict other than ok, or a finding, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Issue {
    /// Id of the rule.
    pub(super) rule: &'static str,
    /// The severity.
    pub(super) level: Level,
    /// The plugin or element.
    pub(super) about: String,
    /// The fact in one line.
    pub(super) message: String,
    /// The remedy.
    pub(super) help: String,
    /// The location.
    pub(super) place: Option<IssuePlace>,
    /// An identifier that is stable as long as the problem exists.
    pub(super) fingerprint: String,
    /// The suppression, if any: `suppressed by the baseline`, …
    pub(super) suppressed: Option<String>,
}

/// The location of a problem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct IssuePlace {
    /// The plain path of a file in the repository.
    pub(super) file: String,
    /// The location within the file, for an image: `layer 3: /usr/bin/plugin`.
    pub(super) within: Option<String>,
    /// Line and column, counted from 1, for text files.
    pub(super) line: Option<(u32, u32)>,
}

impl CheckReport {
    /// Returns an issue for each verdict other than ok and each incident, which is created when it
    /// is needed, because there may be many.
    pub(super) fn issues(&self) -> impl Iterator<Item = Issue> + Clone {
        let bad = self
            .verdicts()
            .filter(|(_, verdict)| verdict.outcome != Outcome::Ok)
            .map(|(subject, verdict)| Issue::of_verdict(subject, verdict));
        bad.chain(self.incidents().map(|(subject, incident)| Issue::of_incident(subject, incident)))
    }
}

impl DiffReport {
    /// Returns an issue for each finding, those that are suppressed last.
    pub(super) fn issues(&self) -> impl Iterator<Item = Issue> + Clone {
        let findings = self.findings.iter().map(|finding| Issue::of_finding(finding, None));
        let suppressed = self.suppressed.iter();
        findings.chain(suppressed.map(|one| Issue::of_finding(&one.finding, Some(&one.by))))
    }
}

impl Issue {
    fn of_verdict(subject: &Subject, verdict: &Verdict) -> Self {
        Self {
            rule: verdict.rule,
            level: verdict.level(),
            about: subject.label(),
            message: message(subject, verdict),
            help: verdict.remedy.to_string(),
            place: Some(IssuePlace::of(&subject.place)),
            fingerprint: fingerprint(subject, verdict),
            suppressed: verdict.suppressed.as_ref().map(Suppression::phrase),
        }
    }

    fn of_incident(subject: &Subject, incident: &Incident) -> Self {
        Self {
            rule: incident.rule,
            level: incident.level(),
            about: subject.label(),
            message: format!("{}: {}", subject.label(), incident.reason),
            help: incident.remedy.clone(),
            place: Some(IssuePlace::of(&incident.place)),
            fingerprint: fingerprint_of_incident(subject, incident),
            suppressed: incident.suppressed.as_ref().map(Suppression::phrase),
        }
    }

    fn of_finding(finding: &Finding, suppressed: Option<&Suppression>) -> Self {
        Self {
            rule: finding.rule,
            level: finding.level,
            about: finding.element.clone(),
            message: finding.message.clone(),
            help: rules::get(finding.rule).map_or_else(String::new, |rule| rule.remedy.to_owned()),
            place: finding.location.as_ref().map(|at| IssuePlace {
                file: at.file.clone(),
                within: None,
                line: Some((at.line, at.column)),
            }),
            fingerprint: finding.fingerprint(),
            suppressed: suppressed.map(Suppression::phrase),
        }
    }

    /// Returns the fact, the suppression if any, and the remedy.
    pub(super) fn text(&self) -> String {
        let suppressed = self.suppressed.as_ref().map_or(String::new(), |why| format!(" ({why})"));
        match self.help.as_str() {
            "" => format!("{}{suppressed}", self.message),
            help => format!("{}{suppressed}\nhelp: {help}", self.message),
        }
    }
}

impl IssuePlace {
    fn of(place: &Place) -> Self {
        Self {
            file: place.file.strip_prefix("./").unwrap_or(&place.file).to_owned(),
            within: place.within(),
            // The column is unknown.
            line: place.line_on_disk().map(|line| (line, 1)),
        }
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
