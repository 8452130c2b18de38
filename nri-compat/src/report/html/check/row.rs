//! A plugin in the matrix, with its findings and evidence.

use crate::report::check::{Alike, CheckTarget, Outcome, Subject, Verdict};
use crate::report::html::verdict::{Cell, class};
use crate::sighting::Evidence;

/// A plugin.
pub(super) struct PluginRow<'r> {
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
    /// The nodes on which a cluster runs it.
    pub(super) nodes: &'r [String],
    /// The observations.
    pub(super) evidence: &'r [Evidence],
}

/// Verdicts other than `ok` with the same reason and remedy.
pub(super) struct FindingBlock<'r> {
    /// The outcomes with their targets, the worst first; never empty.
    pub(super) heads: Vec<Head>,
    /// The verdict for the first target.
    pub(super) verdict: &'r Verdict,
    /// The reason, unless the headline states it.
    pub(super) reason: Option<&'r str>,
    /// Dates and confidence.
    pub(super) facts: String,
    /// The suppression, if any.
    pub(super) suppressed: Option<String>,
}

/// An outcome and its targets.
pub(super) struct Head {
    /// The class of the outcome.
    pub(super) class: &'static str,
    /// The name of the outcome.
    pub(super) word: &'static str,
    /// The names of the targets.
    pub(super) targets: String,
}

impl<'r> PluginRow<'r> {
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
            findings: blocks(&bad, headline),
            nature: subject.nature(),
            program: subject.program.as_deref(),
            events: &subject.events,
            seen: subject.occurrences.as_ref().map(|seen| seen.phrase()),
            nodes: &subject.nodes,
            evidence: &subject.evidence,
        }
    }
}

fn cell(subject: &Subject, target: &CheckTarget) -> Option<Cell> {
    let mut verdicts = subject.verdicts.iter();
    let verdict = verdicts.find(|verdict| verdict.target == target.name);
    verdict.map(Cell::from)
}

/// Returns the findings, grouping those that differ only in outcome and targets.
fn blocks<'r>(bad: &[Alike<'r>], headline: &str) -> Vec<FindingBlock<'r>> {
    let mut blocks: Vec<FindingBlock<'r>> = Vec::new();
    for alike in bad {
        let same = |block: &&mut FindingBlock<'_>| {
            differ_only_in_outcome_and_target(block.verdict, alike.verdict)
        };
        match blocks.iter_mut().find(same) {
            Some(block) => block.heads.push(head(alike)),
            None => blocks.push(block(alike, headline)),
        }
    }
    blocks
}

/// Returns true if two verdicts differ only in outcome and target.
fn differ_only_in_outcome_and_target(left: &Verdict, right: &Verdict) -> bool {
    let right = Verdict {
        target: left.target.clone(),
        outcome: left.outcome,
        ..right.clone()
    };
    *left == right
}

fn block<'r>(alike: &Alike<'r>, headline: &str) -> FindingBlock<'r> {
    let verdict = alike.verdict;
    let reason = verdict.reason.as_str();
    FindingBlock {
        heads: vec![head(alike)],
        verdict,
        reason: (reason != headline).then_some(reason),
        facts: verdict.facts(),
        suppressed: verdict.suppressed.as_ref().map(|by| by.phrase()),
    }
}

fn head(alike: &Alike<'_>) -> Head {
    Head {
        class: class(alike.verdict.outcome),
        word: alike.verdict.outcome.as_str(),
        targets: alike.targets.join(", "),
    }
}
