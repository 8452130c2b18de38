//! The values that templates see: the JSON document of a report, and in addition what several
//! formats need of it.

#[cfg(feature = "conformance")]
mod session;

use std::collections::HashSet;
use std::sync::Arc;

use minijinja::context;
use minijinja::value::{Serde, Value};

use super::{Coded, Format, Templated};
use crate::report::check::{
    CheckReport, CheckTarget, Incident, NodePool, Outcome, PlannedRemoval, Subject,
    SubjectDocument, Verdict,
};
use crate::report::diff::{Change, ChangeKind, DiffReport};
use crate::report::finding::{Category, Finding};
use crate::report::merge::{MergeReport, MergedCluster, MergedPool};
use crate::report::policy_report::{self, Api};
use crate::report::{json, openmetrics, sarif};
use crate::rules::{self, Rule};
use crate::sighting::{FileKind, Role};

impl Templated for &CheckReport {
    const NAME: &'static str = CheckReport::NAME;

    fn context(self) -> Value {
        self.clone().context()
    }

    fn coded() -> Vec<(Format, Coded<Self>)> {
        vec![
            (Format::Jsonl, |report, out| json::write_line(report, out)),
            (Format::Sarif, |report, out| sarif::write_check(report, out)),
            (Format::Openmetrics, |report, out| openmetrics::write_check(report, out)),
            (Format::Openreports, |report, out| {
                policy_report::write_check(report, Api::OpenReports, out)
            }),
            (Format::Policyreport, |report, out| {
                policy_report::write_check(report, Api::PolicyReport, out)
            }),
        ]
    }
}

impl Templated for CheckReport {
    const NAME: &'static str = "check";

    /// Returns the values of a report. Subjects are converted one at a time, because there may be
    /// many.
    fn context(self) -> Value {
        let mut report = self;
        let subjects = std::mem::take(&mut report.subjects);
        let document = Value::from(Serde(&report));
        report.subjects = subjects;
        let pools: Vec<Value> =
            report.cluster.iter().flat_map(|cluster| &cluster.pools).map(pool).collect();
        let targets: Vec<Value> = report.targets.iter().map(|one| target(&report, one)).collect();
        let judged = report.subjects.iter().filter(|subject| is_judged(subject));
        let is_plugin = |subject: &&Subject| subject.role == Role::Plugin;
        let judged_plugins = judged.clone().filter(is_plugin).count();
        let judged_files = judged.count() - judged_plugins;
        let removals: Vec<Value> =
            report.removals.iter().map(|one| removal(&report, one)).collect();
        let places = context! {
            checked => &report.summary.looked_at,
            unconfigured => report.summary.without_configuration.len(),
        };
        let beside = report.incidents();
        let settings = beside.filter(|(_, one)| one.is_about_configuration()).count();
        let incidents = report.incidents().count() - settings;
        let shared = Arc::new(report);
        context! {
            targets,
            removals,
            places,
            pools,
            judged_plugins,
            judged_files,
            subjects => each(&shared, |_| true),
            judged => each(&shared, is_judged),
            others => each(&shared, is_other),
            bad => each(&shared, |subject| subject.verdicts.iter().any(|verdict| verdict.outcome != Outcome::Ok)),
            eventful => each(&shared, is_eventful),
            explained => each(&shared, |subject| is_judged(subject) || is_eventful(subject)),
            incidents,
            settings,
            problems => issues(&shared),
            ..document,
        }
    }

    fn coded() -> Vec<(Format, Coded<Self>)> {
        vec![
            (Format::Jsonl, |report, out| json::write_line(report, out)),
            (Format::Sarif, sarif::write_check),
            (Format::Openmetrics, openmetrics::write_check),
            (Format::Openreports, |report, out| {
                policy_report::write_check(report, Api::OpenReports, out)
            }),
            (Format::Policyreport, |report, out| {
                policy_report::write_check(report, Api::PolicyReport, out)
            }),
        ]
    }
}

fn is_judged(subject: &Subject) -> bool {
    !subject.verdicts.is_empty()
}

/// Returns true for a subject without verdicts that is not listed for what its configuration says.
fn is_other(subject: &Subject) -> bool {
    !is_judged(subject) && subject.kind != FileKind::RuntimeConfig
}

/// Returns true for a subject with an incident, or with a verdict other than `ok`.
fn is_eventful(subject: &Subject) -> bool {
    !subject.incidents.is_empty()
        || subject.verdicts.iter().any(|verdict| verdict.outcome != Outcome::Ok)
}

/// Returns the issues, one for each verdict other than `ok`.
fn issues(report: &Arc<CheckReport>) -> Value {
    Value::make_object_iterable(Arc::clone(report), |report| {
        Box::new(report.issues().map(|issue| Value::from(Serde(issue))))
    })
}

/// Returns a target with the numbers of its verdicts.
fn target(report: &CheckReport, target: &CheckTarget) -> Value {
    let counts = Value::from(Serde(report.counts(Some(&target.name))));
    context! { counts, ..Serde(target) }
}

/// Returns a planned removal, with the plugins that it affects.
fn removal(report: &CheckReport, removal: &PlannedRemoval) -> Value {
    let is_affected = |verdict: &Verdict| {
        verdict.suppressed.is_none() && verdict.planned_removal.as_ref() == Some(&removal.when)
    };
    let plugins: Vec<String> = report
        .subjects
        .iter()
        .filter(|subject| subject.verdicts.iter().any(is_affected))
        .map(Subject::label)
        .collect();
    context! { when => &removal.when, expected => &removal.expected, plugins }
}

/// Returns the subjects that `is_shown` selects. Their number is known, because `loop.last` needs
/// it.
fn each(report: &Arc<CheckReport>, is_shown: fn(&Subject) -> bool) -> Value {
    Value::make_object_iterable(Arc::clone(report), move |report| {
        let shown: Vec<&Subject> = report.subjects.iter().filter(|one| is_shown(one)).collect();
        Box::new(shown.into_iter().map(subject))
    })
}

fn subject(subject: &Subject) -> Value {
    let verdicts: Vec<Value> = subject.verdicts.iter().map(verdict).collect();
    let alike = subject.alike().into_iter().map(|(one, targets)| {
        let targets: Vec<String> = targets.into_iter().map(str::to_owned).collect();
        context! { targets, ..verdict(one) }
    });
    context! {
        label => subject.label(),
        where => subject.place.to_string(),
        line => subject.place.line_on_disk(),
        alike => alike.collect::<Vec<Value>>(),
        verdicts,
        incidents => subject.incidents.iter().map(incident).collect::<Vec<Value>>(),
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

/// Returns an incident with its phrases.
fn incident(incident: &Incident) -> Value {
    context! {
        where => incident.place.to_string(),
        line => incident.place.line_on_disk(),
        about_plugin => incident.plugin.about(),
        about_configuration => incident.is_about_configuration(),
        suppression => incident.suppressed.as_ref().map(|by| by.phrase()),
        ..Serde(incident),
    }
}

/// Returns the nodes of a pool, with its phrases.
fn pool(pool: &NodePool) -> Value {
    context! { name => pool.name(), judged => pool.judged(), ..Serde(pool) }
}

impl Templated for &DiffReport {
    const NAME: &'static str = "diff";

    fn context(self) -> Value {
        let groups: Vec<Value> =
            by_rule(&self.findings).iter().map(|group| group_values(group)).collect();
        let elements: HashSet<(ChangeKind, &str)> =
            self.changes.iter().map(|one| (one.kind, &*one.element)).collect();
        let changes: Vec<Value> = self.changes.iter().map(|one| change(one, &elements)).collect();
        let problems = self.issues().map(|issue| Value::from(Serde(issue)));
        context! {
            groups,
            changes,
            problems => problems.collect::<Vec<Value>>(),
            deprecated => Value::from(Serde(&self.deprecated)),
            is_nri => self.from.is_nri && self.to.is_nri,
            ..Serde(self),
        }
    }

    fn coded() -> Vec<(Format, Coded<Self>)> {
        vec![(Format::Sarif, |report, out| out.write_all(sarif::diff(report).as_bytes()))]
    }
}

/// Groups findings by level and rule: errors first, then by the order in which rules occur.
fn by_rule(findings: &[Finding]) -> Vec<Vec<&Finding>> {
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    let key = |finding: &Finding| (finding.level, finding.rule);
    for finding in findings {
        match groups.iter_mut().find(|group| key(group[0]) == key(finding)) {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group[0].level));
    groups
}

/// Returns the findings of one rule at one level, with the texts of the rule.
fn group_values(findings: &[&Finding]) -> Value {
    let first = findings[0];
    let rule = rules::get(first.rule);
    context! {
        rule => first.rule,
        level => first.level.as_str(),
        summary => rule.map(|rule| rule.summary),
        remedy => rule.map(|rule| rule.remedy),
        categories => Value::from(Serde(rule.map_or(&[][..], |rule| rule.categories))),
        default_level => rule.map(|rule| rule.level.as_str()),
        findings => Value::from(Serde(findings)),
    }
}

/// Returns a change, with whether it is part of an element that was added or removed as a whole.
fn change(change: &Change, all: &HashSet<(ChangeKind, &str)>) -> Value {
    let whole = change.element.rsplit_once('.').map(|(whole, _)| whole);
    let is_part = whole.is_some_and(|whole| all.contains(&(change.kind, whole)));
    context! { name => change.name(), detail => &change.detail, is_part, ..Serde(change) }
}

plain! {
    Rule => "rule",
}

impl Templated for &rules::incident::Incident {
    const NAME: &'static str = "incident";

    fn context(self) -> Value {
        let samples = self
            .wordings
            .iter()
            .flat_map(|wording| {
                let since = &wording.since;
                wording.samples.iter().map(move |sample| context! { sample, since })
            })
            .collect::<Vec<Value>>();
        let seen_by = rules::outcomes::seen_by(self.rule.id)
            .iter()
            .map(|(command, outcome)| context! { command => *command, outcome => *outcome })
            .collect::<Vec<Value>>();
        context! { about_plugin => self.plugin.about(), samples, seen_by, ..Serde(self) }
    }
}

impl Templated for &[&Rule] {
    const NAME: &'static str = "rules";

    /// Returns the rules by category, each under its first category.
    fn context(self) -> Value {
        let of_category = |category: Category| {
            let rules: Vec<&&Rule> =
                self.iter().filter(|rule| rule.categories.first() == Some(&category)).collect();
            let (name, about) = (category.as_str(), category.about());
            (!rules.is_empty())
                .then(|| context! { name, about, rules => Value::from(Serde(rules)) })
        };
        let categories: Vec<Value> = Category::ALL.into_iter().filter_map(of_category).collect();
        context! { categories }
    }
}

impl Templated for &MergeReport {
    const NAME: &'static str = "merge";

    fn context(self) -> Value {
        let targets = self.targets().into_iter().map(|name| {
            let counts = Value::from(Serde(self.counts_under(name)));
            context! { name, counts }
        });
        let plugins =
            self.plugins.iter().map(|plugin| context! { label => plugin.label(), ..Serde(plugin) });
        context! {
            targets => targets.collect::<Vec<Value>>(),
            plugins => plugins.collect::<Vec<Value>>(),
            clusters => self.clusters.iter().map(cluster).collect::<Vec<Value>>(),
            ..Serde(self),
        }
    }

    fn coded() -> Vec<(Format, Coded<Self>)> {
        vec![
            (Format::Openreports, |report, out| {
                policy_report::write_merge(report, Api::OpenReports, out)
            }),
            (Format::Policyreport, |report, out| {
                policy_report::write_merge(report, Api::PolicyReport, out)
            }),
        ]
    }
}

fn cluster(cluster: &MergedCluster) -> Value {
    let merged = |one: &MergedPool| context! { reported => one.reported, ..pool(&one.pool) };
    let pools: Vec<Value> = cluster.pools.iter().map(merged).collect();
    context! { pools, ..Serde(cluster) }
}
