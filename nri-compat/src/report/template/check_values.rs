//! The values that templates of `check` see: the JSON document, and in addition what several formats need of it.

use std::sync::Arc;

use minijinja::context;
use minijinja::value::{Serde, Value};

use super::Templated;
use crate::report::check::{
    CheckDocument, CheckReport, CheckTarget, NodePool, Outcome, PlannedRemoval, Subject,
    SubjectDocument, Verdict,
};
use crate::sighting::Role;

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
    let targets: Vec<Value> = targets.collect();
    let judged = report.subjects.iter().filter(|subject| is_judged(subject));
    let (plugins, files): (Vec<_>, Vec<_>) =
        judged.partition(|subject| subject.role == Role::Plugin);
    let (judged_plugins, judged_files) = (plugins.len(), files.len());
    let removals: Vec<Value> = report
        .removals
        .iter()
        .map(|one| removal(&report, one))
        .collect();
    let places = context! {
        checked => &report.summary.looked_at,
        unconfigured => report.summary.without_configuration.len(),
    };
    let report = Arc::new(report);
    context! {
        targets,
        removals,
        places,
        pools,
        judged_plugins,
        judged_files,
        subjects => each(&report, |_| true),
        judged => each(&report, is_judged),
        others => each(&report, |subject| !is_judged(subject)),
        bad => each(&report, is_bad),
        problems => issues(&report),
        ..document,
    }
}

fn is_judged(subject: &Subject) -> bool {
    !subject.verdicts.is_empty()
}

fn is_bad(subject: &Subject) -> bool {
    let mut verdicts = subject.verdicts.iter();
    verdicts.any(|verdict| verdict.outcome != Outcome::Ok)
}

/// Returns the issues, one for each verdict other than `ok`.
fn issues(report: &Arc<CheckReport>) -> Value {
    Value::make_object_iterable(Arc::clone(report), |report| {
        Box::new(report.issues().map(|issue| Value::from(Serde(issue))))
    })
}

/// Returns a target with the numbers of its verdicts.
fn target(report: &CheckReport, target: &CheckTarget) -> Value {
    let counts = Value::from(Serde(report.counts_under(&target.name)));
    context! { counts, ..Serde(target) }
}

/// Returns a planned removal, with the plugins that it affects.
fn removal(report: &CheckReport, removal: &PlannedRemoval) -> Value {
    let is_affected = |verdict: &Verdict| {
        verdict.suppressed.is_none() && verdict.planned_removal.as_ref() == Some(&removal.when)
    };
    let subjects = report.subjects.iter();
    let plugins = subjects.filter(|subject| subject.verdicts.iter().any(is_affected));
    let plugins: Vec<String> = plugins.map(Subject::label).collect();
    context! { when => &removal.when, expected => &removal.expected, plugins }
}

/// Returns the subjects that `is_shown` selects. Their number is known, because `loop.last` needs it.
fn each(report: &Arc<CheckReport>, is_shown: fn(&Subject) -> bool) -> Value {
    Value::make_object_iterable(Arc::clone(report), move |report| {
        let shown = report.subjects.iter().filter(|one| is_shown(one));
        let shown: Vec<&Subject> = shown.collect();
        Box::new(shown.into_iter().map(subject))
    })
}

fn subject(subject: &Subject) -> Value {
    let verdicts: Vec<Value> = subject.verdicts.iter().map(verdict).collect();
    let alike = subject.alike().into_iter();
    let alike = alike.map(|(one, targets)| {
        let targets: Vec<String> = targets.into_iter().map(str::to_owned).collect();
        context! { targets, ..verdict(one) }
    });
    context! {
        label => subject.label(),
        where => subject.place.to_string(),
        line => subject.place.line_on_disk(),
        alike => alike.collect::<Vec<Value>>(),
        verdicts,
        ..Serde(SubjectDocument::from(subject)),
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

/// Returns the nodes of a pool, with its phrases.
pub(super) fn pool(pool: &NodePool) -> Value {
    context! { name => pool.name(), judged => pool.judged(), ..Serde(pool) }
}
