//! The markdown report of `diff`.

use super::{code, table};
use crate::report::count::counted;
use crate::report::diff::{ChangeKind, Deprecated, DiffReport, ElementKind, Side};
use crate::report::group::{self, Group, short};
use crate::report::pairing::{ItemKind, Outcome, Pairing};
use crate::rules;

/// Renders the answer of `diff` as markdown.
pub fn diff(report: &DiffReport) -> String {
    let report = &report.visible();
    let sections = [
        head(report),
        findings(report),
        decisions(report),
        deprecated(&report.deprecated),
        changes(report),
        report.pairings.iter().map(pairing).collect(),
    ];
    sections.concat()
}

fn head(report: &DiffReport) -> String {
    let counts = report.summary();
    format!(
        "## NRI {} → {}\n\n{}{}\n{}, {}, {}; {} added, {} removed, {} changed \
         (category {}, {}).\n",
        report.from.name,
        report.to.name,
        side("from", &report.from),
        side("to", &report.to),
        counted(counts.errors, "error"),
        counted(counts.warnings, "warning"),
        counted(counts.notes, "note"),
        counts.added,
        counts.removed,
        counts.changed,
        report.category,
        counted(counts.rules, "rule"),
    )
}

fn side(label: &str, side: &Side) -> String {
    let date = side
        .date
        .as_deref()
        .map(|date| format!(", {date}"))
        .unwrap_or_default();
    let shipped = if side.runtimes.is_empty() {
        String::new()
    } else {
        format!(", shipped by {}", side.runtimes.join(", "))
    };
    format!("- {label} {}{date}{shipped}\n", code(&side.input))
}

fn findings(report: &DiffReport) -> String {
    if report.findings.is_empty() {
        return "\n### What breaks, and for whom\n\nNothing.\n".to_owned();
    }
    let groups = group::by_rule(&report.findings);
    let rows: Vec<Vec<String>> = groups.iter().flat_map(group_rows).collect();
    let remedies: String = groups.iter().filter_map(remedy).collect();
    let table = table(&["level", "rule", "element", "finding"], &rows);
    let gap = if remedies.is_empty() { "" } else { "\n" };
    format!("\n### What breaks, and for whom\n\n{table}{gap}{remedies}")
}

/// Lists the findings that the policy or the baseline suppresses, and notes about both.
fn decisions(report: &DiffReport) -> String {
    if report.suppressed.is_empty() && report.policy.is_empty() {
        return String::new();
    }
    let suppressed = report.suppressed.iter().map(|suppressed| {
        let (rule, element) = (
            code(suppressed.finding.rule),
            code(short(&suppressed.finding.element)),
        );
        format!("- {rule} {element}: {}\n", suppressed.by.phrase())
    });
    let policy = report
        .policy
        .iter()
        .map(|note| format!("- policy: {note}\n"));
    let lines: String = suppressed.chain(policy).collect();
    format!("\n### Suppressed by policy or baseline\n\n{lines}")
}

fn group_rows(group: &Group<'_>) -> Vec<Vec<String>> {
    let row = |finding: &&crate::report::finding::Finding| {
        vec![
            finding.level.to_string(),
            code(finding.rule),
            code(short(&finding.element)),
            finding.message.clone(),
        ]
    };
    group.findings.iter().map(row).collect()
}

fn remedy(group: &Group<'_>) -> Option<String> {
    let rule = rules::get(group.rule)?;
    Some(format!("- {}: {}\n", code(group.rule), rule.remedy))
}

fn deprecated(all: &[Deprecated]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|deprecated| {
            let instead: Vec<String> = deprecated
                .replaced_by
                .iter()
                .map(|(_, rpc)| code(rpc))
                .collect();
            vec![
                deprecated.summary.clone(),
                deprecated.since.clone(),
                deprecated.removal.clone(),
                instead.join(", "),
                deprecated.remedy.clone(),
            ]
        })
        .collect();
    let table = table(
        &[
            "interface",
            "deprecated since",
            "removal",
            "instead",
            "what to do",
        ],
        &rows,
    );
    format!("\n### What became deprecated\n\n{table}")
}

fn changes(report: &DiffReport) -> String {
    let mut rows = Vec::new();
    for kind in ChangeKind::ALL {
        for what in ElementKind::ALL {
            let names = changed_names(report, kind, what);
            if !names.is_empty() {
                let label = format!("{} {}", names.len(), what.noun(names.len()));
                rows.push(vec![kind.as_str().to_owned(), label, names.join(", ")]);
            }
        }
    }
    if rows.is_empty() {
        return "\n### What changed\n\nNothing.\n".to_owned();
    }
    let table = table(&["change", "what", "elements"], &rows);
    format!("\n### What changed\n\n{table}")
}

fn changed_names(report: &DiffReport, kind: ChangeKind, what: ElementKind) -> Vec<String> {
    report
        .changes
        .iter()
        .filter(|change| change.kind == kind && change.what == what)
        .map(|change| match change.detail.as_str() {
            "" => code(short(&change.element)),
            detail => format!("{} ({detail})", code(short(&change.element))),
        })
        .collect()
}

fn pairing(pairing: &Pairing) -> String {
    // The headline of a pairing that works says everything.
    let lists_works = pairing.outcome() != Outcome::Works;
    let rows: Vec<Vec<String>> = pairing
        .items
        .iter()
        .filter(|item| {
            item.outcome != Outcome::Works || lists_works && item.kind == ItemKind::Event
        })
        .map(|item| {
            vec![
                item.kind.as_str().to_owned(),
                code(short(&item.element)),
                item.outcome.title().to_owned(),
                item.detail.clone(),
            ]
        })
        .collect();
    let rows = match rows.as_slice() {
        [] => String::new(),
        rows => format!("\n{}", table(&["what", "element", "outcome", "how"], rows)),
    };
    format!(
        "\n### Plugin {} on runtime {}: {}\n{rows}",
        pairing.plugin,
        pairing.runtime,
        pairing.headline(),
    )
}
