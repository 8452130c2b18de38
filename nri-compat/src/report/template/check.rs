//! The values that templates of `check` see: the JSON document and the phrases that all formats share.

use std::sync::Arc;

use minijinja::context;
use minijinja::value::{Serde, Value, merge_maps};

use crate::report::check::{
    Alike, CheckDocument, CheckReport, HOST_PLUGINS, NodePool, Subject, SubjectDocument, Verdict,
};

/// Returns the values of a report. Subjects are converted one at a time, because there may be many.
pub(in crate::report) fn check_context(report: CheckReport) -> Value {
    let document = Value::from(Serde(CheckDocument::without_subjects(&report)));
    let pools = report.cluster.iter().flat_map(|cluster| &cluster.pools);
    let pools: Vec<Value> = pools.map(pool).collect();
    let (label, targets_phrase) = report.targets_phrase().unzip();
    let phrases = context! {
        headline => report.headline(),
        targets_label => label,
        targets_phrase,
        checked => report.summary.phrase(),
        extent => report.extent(),
        host_plugins => HOST_PLUGINS,
        pools,
    };
    let report = Arc::new(report);
    let judged = Arc::clone(&report);
    context! {
        subjects => each(report, |_| true),
        judged => each(judged, |subject| !subject.verdicts.is_empty()),
        ..merge_maps([document, phrases]),
    }
}

/// Returns the subjects that `is_shown` selects.
fn each(report: Arc<CheckReport>, is_shown: fn(&Subject) -> bool) -> Value {
    Value::make_object_iterable(report, move |report| {
        let subjects = report.subjects.iter();
        let subjects = subjects.filter(move |subject| is_shown(subject));
        Box::new(subjects.map(|one| subject(one, report)))
    })
}

fn subject(subject: &Subject, report: &CheckReport) -> Value {
    let alike = subject.alike().into_iter();
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
        seen_phrase => subject.occurrences.as_ref().map(|seen| seen.phrase()),
        verdicts => verdicts.map(verdict).collect::<Vec<Value>>(),
        alike => alike.map(|alike| group(&alike)).collect::<Vec<Value>>(),
        cells => cells.collect::<Vec<Option<Value>>>(),
    };
    context! {
        where => subject.place.to_string(),
        ..merge_maps([Serde(SubjectDocument::from(subject)).into(), phrases]),
    }
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

fn pool(pool: &NodePool) -> Value {
    context! {
        name => pool.name(),
        phrase => pool.phrase(),
        judged => pool.judged(),
        ..Serde(pool),
    }
}
