//! The values that templates of `diff` see: the JSON document and the phrases that all formats share.

use minijinja::context;
use minijinja::value::{Serde, Value, merge_maps};

use super::page;
use crate::report::count::counted;
use crate::report::diff::{
    Change, ChangeKind, Deprecated, DiffDocument, DiffReport, ElementKind, SuppressedFinding,
};
use crate::report::finding::{Finding, Level};
use crate::report::group::{self, Group, short};
use crate::report::pairing::{Outcome, Pairing, PairingGroup, PairingItem};
use crate::rules;

/// Returns the values of a report.
pub(in crate::report) fn diff_context(report: &DiffReport) -> Value {
    let groups = group::by_rule(&report.findings);
    let rules = groups.iter().map(|group| group.rule);
    let phrases = context! {
        from_phrase => report.from.phrase(),
        to_phrase => report.to.phrase(),
        counts_phrase => report.counts_phrase(),
        rules_phrase => counted(report.rules, "rule"),
        scope_phrase => report.scope_phrase(),
        compared => report.compared_phrase(),
        rules => page::rules(rules),
        levels => levels(report),
        groups => list(&groups, |group| findings(report, group)),
        deprecated => list(&report.deprecated, deprecated),
        changed => changed(report),
        pairings => list(&report.pairings, pairing),
        suppressed => list(&report.suppressed, suppressed),
    };
    merge_maps([Value::from(Serde(DiffDocument::from(report))), phrases])
}

fn list<T>(items: &[T], value: impl Fn(&T) -> Value) -> Vec<Value> {
    items.iter().map(value).collect()
}

/// Returns the number of findings of each level, the most serious first.
fn levels(report: &DiffReport) -> Vec<Value> {
    let counts = report.summary();
    let levels = [
        (Level::Error, counts.errors),
        (Level::Warning, counts.warnings),
        (Level::Note, counts.notes),
    ];
    list(&levels, |(level, count)| {
        context! { word => level.as_str(), count => *count }
    })
}

/// Returns the findings of one rule.
fn findings(report: &DiffReport, group: &Group<'_>) -> Value {
    let rule = rules::get(group.rule);
    let located = group.findings.iter();
    let location = located
        .clone()
        .find_map(|finding| finding.location.as_ref());
    let finding = |finding: &&Finding| {
        context! {
            short => short(&finding.element).to_owned(),
            message => finding.message.clone(),
            line => finding.line(),
            located => rule.map(|rule| report.located(rule, finding)),
        }
    };
    context! {
        rule => group.rule,
        level => group.level.as_str(),
        summary => rule.map(|rule| rule.summary),
        remedy => rule.map(|rule| rule.remedy),
        location => location.map(|at| context! { file => at.file.clone(), line => at.line }),
        findings => located.map(finding).collect::<Vec<Value>>(),
    }
}

fn suppressed(suppressed: &SuppressedFinding) -> Value {
    let element = short(&suppressed.finding.element);
    context! {
        name => format!("{} {element}", suppressed.finding.rule),
        rule => suppressed.finding.rule,
        short => element.to_owned(),
        by => suppressed.by.phrase(),
    }
}

fn deprecated(deprecated: &Deprecated) -> Value {
    let rpcs = deprecated.replaced_by.iter().map(|(_, rpc)| rpc.clone());
    context! {
        id => deprecated.id.clone(),
        summary => deprecated.summary.clone(),
        phrase => deprecated.phrase(),
        since => deprecated.since.clone(),
        removal => deprecated.removal.clone(),
        remedy => deprecated.remedy.clone(),
        rpcs => rpcs.collect::<Vec<String>>(),
    }
}

/// Returns the changes by kind of change and of element.
fn changed(report: &DiffReport) -> Vec<Value> {
    let kinds = ChangeKind::ALL.into_iter();
    let pairs = kinds.flat_map(|kind| ElementKind::ALL.map(|what| (kind, what)));
    let rows = pairs.filter_map(|(kind, what)| {
        let changes = report.changes.iter();
        let changes = changes.filter(|change| change.kind == kind && change.what == what);
        let elements: Vec<Value> = changes.map(change).collect();
        (!elements.is_empty()).then(|| {
            context! { kind => kind.as_str(), noun => what.noun(elements.len()), elements }
        })
    });
    rows.collect()
}

fn change(change: &Change) -> Value {
    context! {
        short => short(&change.element).to_owned(),
        detail => change.detail.clone(),
        phrase => change.phrase(),
    }
}

fn pairing(pairing: &Pairing) -> Value {
    let lanes = Outcome::ALL.into_iter();
    let lanes = lanes.filter_map(|outcome| lane(pairing, outcome));
    let groups = Outcome::ALL.into_iter();
    let groups = groups.flat_map(|outcome| pairing.groups(outcome));
    context! {
        headline => pairing.headline(),
        items => list(&pairing.items, item),
        lanes => lanes.collect::<Vec<Value>>(),
        groups => groups.map(|group| same_outcome(&group)).collect::<Vec<Value>>(),
        ..Serde(pairing),
    }
}

fn item(item: &PairingItem) -> Value {
    context! {
        short => short(&item.element).to_owned(),
        title => item.outcome.title(),
        ..Serde(item),
    }
}

/// Returns the number of elements with an outcome; `None` if there are none.
fn lane(pairing: &Pairing, outcome: Outcome) -> Option<Value> {
    let part = pairing.part(outcome)?;
    let title = outcome.title();
    let label = match outcome {
        Outcome::Works => format!("{part}: {title}"),
        Outcome::Fallback
        | Outcome::Loses
        | Outcome::LosesPresence
        | Outcome::Misreads
        | Outcome::Unknown
        | Outcome::Fails
        | Outcome::Dropped => part,
    };
    Some(context! { title, label })
}

fn same_outcome(group: &PairingGroup<'_>) -> Value {
    let elements = group
        .items
        .iter()
        .map(|item| short(&item.element).to_owned());
    context! {
        title => group.outcome.title(),
        detail => group.detail.to_owned(),
        elements => elements.collect::<Vec<String>>(),
    }
}
