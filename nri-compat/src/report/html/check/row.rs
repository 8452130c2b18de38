//! A plugin in the matrix, with its findings and evidence.

use crate::report::check::{Alike, CheckTarget, Outcome, Subject, Verdict};
use crate::report::html::verdict::{Cell, class};
use crate::sighting::Evidence;

/// A plugin.
pub(super) struct Row<'r> {
    /// Index and name.
    pub(super) name: String,
    /// The path.
    pub(super) place: String,
    /// A verdict per target, in the order of the targets.
    pub(super) cells: Vec<Option<Cell>>,
    /// The line that is always shown: the reason of the worst verdict.
    pub(super) headline: &'r str,
    /// The verdicts other than `ok`, equal ones together.
    pub(super) findings: Vec<FindingBlock<'r>>,
    /// The kind of file and the NRI that it was built with.
    pub(super) nature: String,
    /// The identity of the program.
    pub(super) program: Option<&'r str>,
    /// The events that it handles.
    pub(super) events: &'r [String],
    /// Mentions in logs.
    pub(super) seen: Option<String>,
    /// The observations.
    pub(super) evidence: &'r [Evidence],
}

/// A verdict other than `ok`, for one or several targets.
pub(super) struct FindingBlock<'r> {
    /// The class of its outcome.
    pub(super) class: &'static str,
    /// The verdict.
    pub(super) verdict: &'r Verdict,
    /// The names of the targets.
    pub(super) targets: String,
    /// The reason, unless the headline states it.
    pub(super) reason: Option<&'r str>,
    /// Dates and confidence.
    pub(super) facts: String,
    /// The suppression, if any.
    pub(super) suppressed: Option<String>,
}

impl<'r> Row<'r> {
    pub(super) fn new(subject: &'r Subject, targets: &[CheckTarget]) -> Self {
        let alike = subject.alike().into_iter();
        let bad: Vec<Alike<'r>> = alike
            .filter(|alike| alike.verdict.outcome != Outcome::Ok)
            .collect();
        let headline = bad
            .first()
            .map_or("", |alike| alike.verdict.reason.as_str());
        Self {
            name: subject.label(),
            place: subject.place.to_string(),
            cells: targets.iter().map(|target| cell(subject, target)).collect(),
            headline: if headline.is_empty() {
                "Evidence"
            } else {
                headline
            },
            findings: bad.iter().map(|alike| block(alike, headline)).collect(),
            nature: subject.nature(),
            program: subject.program.as_deref(),
            events: &subject.events,
            seen: subject.occurrences.as_ref().map(|seen| seen.phrase()),
            evidence: &subject.evidence,
        }
    }
}

fn cell(subject: &Subject, target: &CheckTarget) -> Option<Cell> {
    let mut verdicts = subject.verdicts.iter();
    let verdict = verdicts.find(|verdict| verdict.target == target.name);
    verdict.map(Cell::from)
}

fn block<'r>(alike: &Alike<'r>, headline: &str) -> FindingBlock<'r> {
    let verdict = alike.verdict;
    let reason = verdict.reason.as_str();
    FindingBlock {
        class: class(verdict.outcome),
        verdict,
        targets: alike.targets.join(", "),
        reason: (reason != headline).then_some(reason),
        facts: verdict.facts(),
        suppressed: verdict.suppressed.as_ref().map(|one| one.phrase()),
    }
}
