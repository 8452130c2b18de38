//! The values that templates of `check` see: the JSON document and the phrases that all formats share.

use std::sync::Arc;

use minijinja::context;
use minijinja::value::{Serde, Value, merge_maps};

use super::{Templated, page, removal};
use crate::report::check::{
    Alike, CheckDocument, CheckReport, CheckTarget, HOST_PLUGINS, NodePool, Outcome, Subject,
    SubjectDocument, Summary, Verdict, VerdictCounts,
};
use crate::report::issue::Problem;

impl Templated for CheckReport {
    const NAME: &'static str = "check";

    fn context(self) -> Value {
        context(self)
    }
}

impl Templated for &CheckReport {
    const NAME: &'static str = CheckReport::NAME;

    fn context(self) -> Value {
        context(self.clone())
    }
}

/// Returns the values of a report. Subjects are converted one at a time, because there may be many.
fn context(report: CheckReport) -> Value {
    let document = Value::from(Serde(CheckDocument::without_subjects(&report)));
    let pools = report.cluster.iter().flat_map(|cluster| &cluster.pools);
    let pools: Vec<Value> = pools.map(pool).collect();
    let targets = report.targets.iter().map(|one| target(&report, one));
    let rules = report.verdicts().map(|(_, verdict)| verdict.rule);
    let (label, targets_phrase) = report.targets_phrase().unzip();
    let phrases = context! {
        headline => report.headline(),
        targets => targets.collect::<Vec<Value>>(),
        outcomes => outcomes(&report.counts()),
        cluster_phrase => report.cluster.as_ref().map(|cluster| cluster.phrase()),
        removals => removal::rows(&report),
        rules => page::rules(rules),
        origin => origin(&report.summary),
        targets_label => label,
        targets_phrase,
        checked => report.summary.phrase(),
        extent => report.extent(),
        host_plugins => HOST_PLUGINS,
        pools,
    };
    let report = Arc::new(report);
    context! {
        subjects => each(&report, |_| true),
        judged => each(&report, is_judged),
        others => each(&report, |subject| !is_judged(subject)),
        bad => each(&report, is_bad),
        problems => problems(&report),
        ..merge_maps([document, phrases]),
    }
}

fn is_judged(subject: &Subject) -> bool {
    !subject.verdicts.is_empty()
}

fn is_bad(subject: &Subject) -> bool {
    let mut verdicts = subject.verdicts.iter();
    verdicts.any(|verdict| verdict.outcome != Outcome::Ok)
}

/// Returns the problems, one for each verdict other than `ok`.
fn problems(report: &Arc<CheckReport>) -> Value {
    Value::make_object_iterable(Arc::clone(report), |report| {
        let problems: Vec<Problem<'_>> = report.problems().collect();
        Box::new(
            problems
                .into_iter()
                .map(|problem| Value::from(Serde(problem.issue()))),
        )
    })
}

/// Returns a target with its verdicts.
fn target(report: &CheckReport, target: &CheckTarget) -> Value {
    context! {
        notes => target.notes(),
        shares => page::shares(&report.counts_under(&target.name)),
        ..Serde(target),
    }
}

/// Returns the number of verdicts of each outcome, and of those that do not count.
fn outcomes(counts: &VerdictCounts) -> Vec<Value> {
    let all = Outcome::ALL.map(|outcome| (outcome.as_str(), counts.count(outcome)));
    let all = all.into_iter().chain([("suppressed", counts.suppressed)]);
    all.map(|(word, count)| context! { word, count }).collect()
}

/// Returns the node and time of the report.
fn origin(summary: &Summary) -> Option<String> {
    let known = [&summary.node, &summary.at].into_iter().flatten();
    let known: Vec<&str> = known.map(String::as_str).collect();
    (!known.is_empty()).then(|| known.join(", "))
}

/// Returns the subjects that `is_shown` selects. Their number is known, because `loop.last` needs it.
fn each(report: &Arc<CheckReport>, is_shown: fn(&Subject) -> bool) -> Value {
    Value::make_object_iterable(Arc::clone(report), move |report| {
        let shown = report.subjects.iter().filter(|one| is_shown(one));
        let shown: Vec<&Subject> = shown.collect();
        Box::new(shown.into_iter().map(|one| subject(one, report)))
    })
}

fn subject(subject: &Subject, report: &CheckReport) -> Value {
    let alike = subject.alike();
    let bad = alike.iter();
    let bad: Vec<&Alike<'_>> = bad
        .filter(|alike| alike.verdict.outcome != Outcome::Ok)
        .collect();
    let verdicts = subject.verdicts.iter();
    let cells = report.targets.iter().map(|target| {
        let mut verdicts = subject.verdicts.iter();
        let found = verdicts.find(|verdict| verdict.target == target.name);
        found.map(|verdict| Value::from(Serde(verdict)))
    });
    let phrases = context! {
        label => subject.label(),
        nature => subject.nature(),
        built => subject.nri.phrase(),
        line => subject.place.line_on_disk(),
        nodes_phrase => subject.nodes_phrase(),
        seen_phrase => subject.occurrences.as_ref().map(|seen| seen.phrase()),
        verdicts => verdicts.map(verdict).collect::<Vec<Value>>(),
        alike => alike.iter().map(group).collect::<Vec<Value>>(),
        reason => bad.first().map(|alike| alike.verdict.reason.to_string()),
        findings => findings(&bad),
        cells => cells.collect::<Vec<Option<Value>>>(),
    };
    context! {
        where => subject.place.to_string(),
        ..merge_maps([Serde(SubjectDocument::from(subject)).into(), phrases]),
    }
}

/// Returns the verdicts other than `ok`. Those that differ only in outcome and targets are one finding.
fn findings(bad: &[&Alike<'_>]) -> Vec<Value> {
    let mut found: Vec<(&Verdict, Vec<Value>)> = Vec::new();
    for alike in bad {
        let same = found
            .iter_mut()
            .find(|(first, _)| differ_only_in_outcome_and_target(first, alike.verdict));
        match same {
            Some((_, heads)) => heads.push(group(alike)),
            None => found.push((alike.verdict, vec![group(alike)])),
        }
    }
    let found = found.into_iter();
    found
        .map(|(first, heads)| context! { heads, ..verdict(first) })
        .collect()
}

fn differ_only_in_outcome_and_target(left: &Verdict, right: &Verdict) -> bool {
    let right = Verdict {
        target: left.target.clone(),
        outcome: left.outcome,
        ..right.clone()
    };
    *left == right
}

/// Returns a verdict with its phrases.
fn verdict(verdict: &Verdict) -> Value {
    context! {
        facts => verdict.facts(),
        suppression => verdict.suppressed.as_ref().map(|by| by.phrase()),
        ..Serde(verdict),
    }
}

/// Returns a verdict, and the targets under which it is the same.
fn group(alike: &Alike<'_>) -> Value {
    let targets: Vec<String> = alike.targets.iter().map(|&name| name.to_owned()).collect();
    context! {
        targets,
        ..verdict(alike.verdict),
    }
}

/// Returns the nodes of a pool, with its phrases.
pub(super) fn pool(pool: &NodePool) -> Value {
    context! {
        name => pool.name(),
        phrase => pool.phrase(),
        judged => pool.judged(),
        ..Serde(pool),
    }
}
