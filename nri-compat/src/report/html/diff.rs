//! The HTML report of `diff`.

mod picture;

use std::io::{self, Write};

use askama::Template;

use super::page::{self, Page};
use super::verdict::{Filter, level_class};
use crate::report::diff::{ChangeKind, Deprecated, DiffReport, ElementKind};
use crate::report::finding::Level;
use crate::report::group::{self, Group, short};
use crate::report::written;
use crate::rules::{self, Rule};
use picture::Picture;

/// Renders the answer of `diff` as HTML.
pub fn diff(report: &DiffReport) -> String {
    written(|out| write_diff(report, out))
}

/// Writes the answer of `diff` as HTML.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_diff(report: &DiffReport, out: &mut dyn Write) -> io::Result<()> {
    let report = &report.visible();
    let page = DiffPage {
        page: Page::new(),
        groups: group::by_rule(&report.findings),
        report,
    };
    page::write(&page, out)
}

#[derive(Template)]
#[template(path = "diff.html")]
struct DiffPage<'r> {
    page: Page,
    /// The findings by rule.
    groups: Vec<Group<'r>>,
    report: &'r DiffReport,
}

/// The findings of one rule.
struct RuleRow<'r> {
    rule: &'static Rule,
    level: &'static str,
    class: &'static str,
    /// The message if there is one finding, else the summary of the rule.
    headline: String,
    /// The line that is always shown: the remedy if something breaks.
    summary: &'static str,
    /// Element and message of each finding.
    lines: Vec<(&'r str, String)>,
}

/// The elements of one kind that changed in the same way.
struct ChangeRow {
    kind: &'static str,
    noun: &'static str,
    names: Vec<String>,
}

impl DiffPage<'_> {
    fn rows(&self) -> impl Iterator<Item = RuleRow<'_>> {
        let known = self.groups.iter();
        known.filter_map(|group| Some(self.row(rules::get(group.rule)?, group)))
    }

    fn row<'r>(&self, rule: &'static Rule, group: &Group<'r>) -> RuleRow<'r> {
        let located = |finding| self.report.located(rule, finding);
        let lines = group.findings.iter();
        let lines = lines.map(|finding| (short(&finding.element), located(finding)));
        RuleRow {
            rule,
            level: group.level.as_str(),
            class: level_class(group.level),
            headline: match group.findings.as_slice() {
                [finding] => finding.message.clone(),
                _ => rule.summary.to_owned(),
            },
            summary: if group.level > Level::Note {
                rule.remedy
            } else {
                "Elements"
            },
            lines: lines.collect(),
        }
    }

    /// Returns a filter for each level that occurs, with the number of findings.
    fn filters(&self) -> Vec<Filter> {
        let of_level = |level: Level| {
            let findings = self.report.findings.iter();
            Filter {
                class: level_class(level),
                word: level.as_str(),
                count: findings.filter(|finding| finding.level == level).count(),
            }
        };
        let all = [Level::Error, Level::Warning, Level::Note].map(of_level);
        all.into_iter().filter(|filter| filter.count > 0).collect()
    }

    fn pairings(&self) -> impl Iterator<Item = Picture<'_>> {
        self.report.pairings.iter().map(Picture::new)
    }

    /// Returns the RPCs that replace an interface.
    fn replacements(&self, deprecated: &Deprecated) -> String {
        let rpcs = deprecated.replaced_by.iter().map(|(_, rpc)| rpc.as_str());
        rpcs.collect::<Vec<_>>().join(", ")
    }

    /// Returns the changes by kind of change and of element.
    fn changes(&self) -> impl Iterator<Item = ChangeRow> {
        let kinds = ChangeKind::ALL.into_iter();
        let pairs = kinds.flat_map(|kind| ElementKind::ALL.map(|what| (kind, what)));
        let rows = pairs.map(|(kind, what)| {
            let names = self.changed(kind, what);
            ChangeRow {
                kind: kind.as_str(),
                noun: what.noun(names.len()),
                names,
            }
        });
        rows.filter(|row| !row.names.is_empty())
    }

    fn changed(&self, kind: ChangeKind, what: ElementKind) -> Vec<String> {
        let changes = self.report.changes.iter();
        let changes = changes.filter(|change| change.kind == kind && change.what == what);
        changes.map(|change| change.phrase()).collect()
    }

    /// Returns the findings that do not count, with the reason.
    fn suppressed(&self) -> impl Iterator<Item = (String, String)> {
        let suppressed = self.report.suppressed.iter();
        suppressed.map(|suppressed| {
            let finding = &suppressed.finding;
            let name = format!("{} {}", finding.rule, short(&finding.element));
            (name, suppressed.by.phrase())
        })
    }

    /// Returns the rules behind the findings.
    fn rules(&self) -> impl Iterator<Item = &'static Rule> {
        let mut ids: Vec<&str> = self.groups.iter().map(|group| group.rule).collect();
        ids.sort_unstable();
        ids.dedup();
        ids.into_iter().filter_map(rules::get)
    }
}
