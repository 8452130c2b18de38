//! The text report of `diff`.

use std::collections::HashSet;

use anstyle::Style;

use super::layout::Page;
use super::width::Look;
use crate::report::diff::{Change, ChangeKind, Deprecated, DiffReport, ElementKind, Side};
use crate::report::finding::{Category, Finding, Level};
use crate::report::group::{self, Group, short};
use crate::report::pairing::{Outcome, Pairing};
use crate::rules::{self, Rule};

/// The maximum number of findings of one rule with full text; if there are more, only names are
/// shown. JSON has every message.
const MAX_SPELLED_OUT: usize = 6;

/// Renders the answer of `diff` as text.
pub fn diff(report: &DiffReport, look: impl Into<Look>) -> String {
    let report = &report.visible();
    let mut page = Page::new(look.into());
    let title = format!("nri-compat diff {} → {}", report.from.name, report.to.name);
    page.line(0, &title, page.palette.strong, "");
    page.gap();
    side(&mut page, "from", &report.from);
    side(&mut page, "to", &report.to);
    findings(&mut page, report);
    decisions(&mut page, report);
    deprecated(&mut page, &report.deprecated);
    changes(&mut page, report);
    pairings(&mut page, &report.pairings);
    summary(&mut page, report);
    page.finish()
}

fn side(page: &mut Page, label: &str, side: &Side) {
    let label = format!("{label:<6}");
    page.prose(2, &label, page.palette.strong, &side.phrase());
}

fn findings(page: &mut Page, report: &DiffReport) {
    page.heading("What breaks, and for whom");
    if report.findings.is_empty() {
        page.line(2, "nothing", Style::new(), "");
        return;
    }
    for group in group::by_rule(&report.findings) {
        finding_group(page, report, &group);
    }
    let hint = "for details: nri-compat explain RULE";
    page.line(2, hint, page.palette.faint, "");
}

/// Adds the findings that the policy or the baseline suppresses, and notes about both.
fn decisions(page: &mut Page, report: &DiffReport) {
    let faint = page.palette.faint;
    for suppressed in &report.suppressed {
        let label = format!(
            "{}[{}]: ",
            suppressed.finding.level, suppressed.finding.rule
        );
        let text = format!(
            "{} ({})",
            short(&suppressed.finding.element),
            suppressed.by.phrase()
        );
        page.prose(2, &label, faint, &text);
    }
    for note in &report.policy {
        let style = page.palette.level(Level::Warning);
        page.prose(2, "policy: ", style, note);
    }
}

fn finding_group(page: &mut Page, report: &DiffReport, group: &Group<'_>) {
    let Some(rule) = rules::get(group.rule) else {
        return;
    };
    let style = page.palette.level(group.level);
    match group.findings.as_slice() {
        [finding] => {
            let label = format!("{}[{}]: ", group.level, group.rule);
            page.prose(2, &label, style, &report.located(rule, finding));
        }
        many => {
            let label = format!("{}[{}] ×{}: ", group.level, group.rule, many.len());
            page.prose(2, &label, style, rule.summary);
            several(page, report, rule, many);
        }
    }
    if group.level > Level::Note {
        page.prose(6, "help: ", page.palette.strong, rule.remedy);
    }
}

/// Adds the findings of one rule under a common headline: in full, or by name if there are many.
/// Many notes are omitted, because "What changed" lists their elements.
fn several(page: &mut Page, report: &DiffReport, rule: &Rule, findings: &[&Finding]) {
    let by_name = rule.categories.contains(&Category::Nri) && findings.len() > MAX_SPELLED_OUT;
    if by_name && rule.level == Level::Note {
        return;
    }
    if by_name {
        let names = findings.iter().map(|finding| short(&finding.element));
        return page.list(6, "", Style::new(), names);
    }
    for finding in findings {
        page.prose(6, "", Style::new(), &report.located(rule, finding));
    }
}

fn deprecated(page: &mut Page, all: &[Deprecated]) {
    if all.is_empty() {
        return;
    }
    page.heading("What became deprecated");
    for deprecated in all {
        page.prose(2, "", Style::new(), &deprecated.phrase());
        page.prose(4, "help: ", page.palette.strong, &deprecated.remedy);
    }
}

fn changes(page: &mut Page, report: &DiffReport) {
    page.heading("What changed");
    if report.changes.is_empty() {
        page.line(2, "nothing", Style::new(), "");
    }
    for kind in ChangeKind::ALL {
        let all: Vec<&Change> = report
            .changes
            .iter()
            .filter(|change| change.kind == kind)
            .collect();
        if all.is_empty() {
            continue;
        }
        let count = |what| all.iter().filter(|change| change.what == what).count();
        let counts = ElementKind::ALL.into_iter().map(|what| (what, count(what)));
        let counts: Vec<String> = counts
            .filter(|(_, count)| *count > 0)
            .map(|(what, count)| format!("{count} {}", what.noun(count)))
            .collect();
        let label = format!("{:<9}", kind.as_str());
        page.list(
            2,
            &label,
            page.palette.strong,
            counts.iter().map(String::as_str),
        );
        let listed = ChangedNames::new(&all);
        let names = all
            .iter()
            .filter(|change| !listed.implies(change))
            .map(|change| change.phrase());
        let names: Vec<String> = names.collect();
        page.list(11, "", page.palette.faint, names.iter().map(String::as_str));
    }
}

/// The names in a list of changes, from which implied ones are omitted.
struct ChangedNames<'r> {
    elements: HashSet<&'r str>,
    messages_of_rpcs: HashSet<String>,
}

impl<'r> ChangedNames<'r> {
    fn new(all: &[&'r Change]) -> Self {
        let rpcs = all
            .iter()
            .filter(|change| change.what == ElementKind::Rpc)
            .map(|change| change.last());
        Self {
            elements: all.iter().map(|change| change.element.as_str()).collect(),
            messages_of_rpcs: rpcs
                .flat_map(|rpc| [format!("{rpc}Request"), format!("{rpc}Response")])
                .collect(),
        }
    }

    /// Returns true if the change is implied by another one in the list.
    fn implies(&self, change: &Change) -> bool {
        let parent = change
            .element
            .rsplit_once('.')
            .map_or("", |(parent, _)| parent);
        let of_rpc =
            change.what == ElementKind::Message && self.messages_of_rpcs.contains(change.last());
        of_rpc || self.elements.contains(parent)
    }
}

fn pairings(page: &mut Page, pairings: &[Pairing]) {
    if pairings.is_empty() {
        return;
    }
    page.heading("Pairings");
    for pairing in pairings {
        let label = format!("plugin {} on runtime {}: ", pairing.plugin, pairing.runtime);
        let style = page.palette.pairing(pairing.outcome());
        page.ending(2, &label, &pairing.headline(), style);
        for outcome in Outcome::ALL {
            pairing_items(page, pairing, outcome);
        }
    }
}

/// Adds the items with an outcome, those with the same detail on one line. The headline of a pairing that works says
/// everything about those that just work.
fn pairing_items(page: &mut Page, pairing: &Pairing, outcome: Outcome) {
    let works = pairing.outcome() == Outcome::Works;
    let groups = pairing.groups(outcome).into_iter();
    for group in groups.filter(|group| !works || !group.detail.is_empty()) {
        let names = group.items.iter().map(|item| short(&item.element));
        let label = format!("{:<10}", outcome.title());
        page.list(4, &label, page.palette.pairing(outcome), names);
        if !group.detail.is_empty() {
            page.prose(14, "", page.palette.faint, &format!("({})", group.detail));
        }
    }
}

fn summary(page: &mut Page, report: &DiffReport) {
    page.gap();
    page.line(0, "", Style::new(), &report.counts_phrase());
    page.line(0, "", Style::new(), &report.scope_phrase());
}
