//! Problems, one per location: the common model of the formats that list them (annotations, SARIF).

use serde::Serialize;

use super::check::{CheckReport, Outcome, Subject, Suppression, Verdict};
use super::diff::DiffReport;
use super::finding::{Finding, Level};
use super::fingerprint::fingerprint;
use crate::rules;

/// A problem of a report. Its issue is created when it is written, because there may be many.
#[derive(Clone, Copy)]
pub(super) enum Problem<'r> {
    /// A verdict other than ok.
    Verdict(&'r Subject, &'r Verdict),
    /// A finding, and its suppression.
    Finding(&'r Finding, Option<&'r Suppression>),
}

/// A problem in words.
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
    /// Returns a problem for each verdict other than ok.
    pub(super) fn problems(&self) -> impl Iterator<Item = Problem<'_>> {
        self.verdicts()
            .filter(|(_, verdict)| verdict.outcome != Outcome::Ok)
            .map(|(subject, verdict)| Problem::Verdict(subject, verdict))
    }
}

impl DiffReport {
    /// Returns a problem for each finding, those that are suppressed last.
    pub(super) fn problems(&self) -> impl Iterator<Item = Problem<'_>> {
        let suppressed = self.suppressed.iter();
        let suppressed = suppressed.map(|one| Problem::Finding(&one.finding, Some(&one.by)));
        let findings = self.findings.iter();
        findings
            .map(|finding| Problem::Finding(finding, None))
            .chain(suppressed)
    }
}

impl Problem<'_> {
    /// Returns the id of the rule.
    pub(super) fn rule(&self) -> &'static str {
        match self {
            Self::Verdict(_, verdict) => verdict.rule,
            Self::Finding(finding, _) => finding.rule,
        }
    }

    /// Returns the severity.
    pub(super) fn level(&self) -> Level {
        match self {
            Self::Verdict(_, verdict) => verdict.level(),
            Self::Finding(finding, _) => finding.level,
        }
    }

    /// Returns the decision by which the problem does not count, if there is one.
    pub(super) fn suppression(&self) -> Option<&Suppression> {
        match self {
            Self::Verdict(_, verdict) => verdict.suppressed.as_ref(),
            Self::Finding(_, suppression) => *suppression,
        }
    }

    /// Returns the problem in words.
    pub(super) fn issue(&self) -> Issue {
        let (about, message, help, place, fingerprint) = match self {
            Self::Verdict(subject, verdict) => (
                subject.label(),
                message(subject, verdict),
                verdict.remedy.to_string(),
                Some(place(subject)),
                fingerprint(subject, verdict),
            ),
            Self::Finding(finding, _) => (
                finding.element.clone(),
                finding.message.clone(),
                rules::get(finding.rule).map_or_else(String::new, |rule| rule.remedy.to_owned()),
                finding.location.as_ref().map(|at| IssuePlace {
                    file: at.file.clone(),
                    within: None,
                    line: Some((at.line, at.column)),
                }),
                finding.fingerprint(),
            ),
        };
        Issue {
            rule: self.rule(),
            level: self.level(),
            about,
            message,
            help,
            place,
            fingerprint,
            suppressed: self.suppression().map(Suppression::phrase),
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

fn place(subject: &Subject) -> IssuePlace {
    let place = &subject.place;
    let file = place.file.strip_prefix("./").unwrap_or(&place.file);
    IssuePlace {
        file: file.to_owned(),
        within: place.within(),
        // The column is unknown.
        line: place.line_on_disk().map(|line| (line, 1)),
    }
}

impl Issue {
    /// Returns the fact, the suppression if any, and the remedy.
    pub(super) fn text(&self) -> String {
        let suppressed = self.suppressed.as_ref();
        let suppressed = suppressed.map_or(String::new(), |why| format!(" ({why})"));
        match self.help.as_str() {
            "" => format!("{}{suppressed}", self.message),
            help => format!("{}{suppressed}\nhelp: {help}", self.message),
        }
    }
}
