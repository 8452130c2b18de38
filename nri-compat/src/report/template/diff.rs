//! The values that templates of `diff` see: the JSON document and the phrases that all formats share.

use std::collections::HashSet;

use minijinja::context;
use minijinja::value::{Serde, Value, merge_maps};

use super::{Templated, page};
use crate::report::count::counted;
use crate::report::diff::{
    Change, ChangeKind, Deprecated, DiffReport, ElementKind, SuppressedFinding,
};
use crate::report::finding::{Finding, Level};
use crate::report::group::{self, Group, short};
use crate::report::pairing::{Outcome, Pairing, PairingGroup, PairingItem};
use crate::rules;

impl Templated for &DiffReport {
    const NAME: &'static str = "diff";

    fn context(self) -> Value {
        context(self)
    }
}

fn context(report: &DiffReport) -> Value {
    let groups = group::by_rule(&report.findings);
    let rules = groups.iter().map(|group| group.rule);
    let problems = report.problems();
    let problems = problems.map(|problem| Value::from(Serde(problem.issue())));
    let phrases = context! {
        from_phrase => report.from.phrase(),
        to_phrase => report.to.phrase(),
        counts_phrase => report.counts_phrase(),
        rules_phrase => counted(report.summary.rules, "rule"),
        scope_phrase => report.scope_phrase(),
        compared => report.compared_phrase(),
        rules => page::rules(rules),
        levels => levels(report),
        groups => list(&groups, |group| findings(report, group)),
        deprecated => list(&report.deprecated, deprecated),
        changed => changed(report),
        changed_names => changed_names(report),
        pairings => list(&report.pairings, pairing),
        suppressed => list(&report.suppressed, suppressed),
        problems => problems.collect::<Vec<Value>>(),
    };
    merge_maps([Value::from(Serde(report)), phrases])
}

fn list<T>(items: &[T], value: impl Fn(&T) -> Value) -> Vec<Value> {
    items.iter().map(value).collect()
}

/// Returns the number of findings of each level, the most serious first.
fn levels(report: &DiffReport) -> Vec<Value> {
    let counts = &report.summary;
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
        categories => Value::from(Serde(rule.map_or(&[][..], |rule| rule.categories))),
        default_level => rule.map(|rule| rule.level.as_str()),
        location => location.map(|at| context! { file => at.file.clone(), line => at.line }),
        findings => located.map(finding).collect::<Vec<Value>>(),
    }
}

fn suppressed(suppressed: &SuppressedFinding) -> Value {
    let element = short(&suppressed.finding.element);
    context! {
        name => format!("{} {element}", suppressed.finding.rule),
        rule => suppressed.finding.rule,
        level => suppressed.finding.level.as_str(),
        short => element.to_owned(),
        by => suppressed.by.phrase(),
    }
}

fn deprecated(deprecated: &Deprecated) -> Value {
    let rpcs = deprecated.replaced_by.iter().map(|(_, rpc)| rpc.clone());
    context! {
        phrase => deprecated.phrase(),
        rpcs => rpcs.collect::<Vec<String>>(),
        ..Serde(deprecated),
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
            context! { kind => kind.as_str(), phrase => counted(elements.len(), what.noun()), elements }
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

/// Returns the names of the changed elements by kind of change, without those that another name in the list implies.
fn changed_names(report: &DiffReport) -> Vec<Value> {
    let of_kind = |kind| {
        let changes = report
            .changes
            .iter()
            .filter(move |change| change.kind == kind);
        changes.collect::<Vec<&Change>>()
    };
    let kinds = ChangeKind::ALL
        .map(|kind| (kind, of_kind(kind)))
        .into_iter();
    let kinds = kinds.filter(|(_, changes)| !changes.is_empty());
    kinds
        .map(|(kind, changes)| context! { kind => kind.as_str(), names => names(&changes) })
        .collect()
}

/// A name is implied by that of the element that contains it, and the messages of an RPC by the name of the RPC.
fn names(changes: &[&Change]) -> Vec<String> {
    let elements: HashSet<&str> = changes.iter().map(|change| &*change.element).collect();
    let rpcs = changes
        .iter()
        .filter(|change| change.what == ElementKind::Rpc);
    let rpcs: HashSet<&str> = rpcs.map(|change| change.last()).collect();
    let is_implied = |change: &Change| {
        let parent = change
            .element
            .rsplit_once('.')
            .map_or("", |(parent, _)| parent);
        let name = change.last();
        let rpc = name
            .strip_suffix("Request")
            .or(name.strip_suffix("Response"));
        let is_of_rpc = rpc.is_some_and(|rpc| rpcs.contains(rpc));
        elements.contains(parent) || change.what == ElementKind::Message && is_of_rpc
    };
    let named = changes.iter().filter(|change| !is_implied(change));
    named.map(|change| change.phrase()).collect()
}

fn pairing(pairing: &Pairing) -> Value {
    let lanes = Outcome::ALL.into_iter();
    let lanes = lanes.filter_map(|outcome| lane(pairing, outcome));
    let groups = Outcome::ALL.into_iter();
    let groups = groups.flat_map(|outcome| pairing.groups(outcome));
    context! {
        title => pairing.outcome().title(),
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
