//! JUnit XML of `diff`: a case per rule with findings.

use super::write::write;
use super::{Case, CaseResult, Suite};
use crate::report::diff::DiffReport;
use crate::report::finding::{Finding, Level, Location};
use crate::report::group::{self, Group};
use crate::report::issue::Issues;
use crate::report::written;
use crate::rules;

/// Renders the findings of `diff` as JUnit XML; without findings, there is one case that passed.
pub fn diff(report: &DiffReport) -> String {
    let report = &report.visible();
    let groups = group::by_rule(&report.findings);
    let cases = || -> Box<dyn Iterator<Item = Case> + '_> {
        if groups.is_empty() {
            return Box::new(std::iter::once(named(
                "no findings",
                None,
                CaseResult::Passed,
            )));
        }
        Box::new(groups.iter().map(case))
    };
    let suite = Suite {
        name: format!("{} to {}", report.from.name, report.to.name),
        cases: Box::new(cases),
    };
    written(|out| write(&[suite], &[Issues::from(report).summary], 0, out))
}

fn named(name: &str, at: Option<&Location>, result: CaseResult) -> Case {
    Case {
        class: "nri-compat diff".into(),
        name: name.into(),
        file: at.map(|at| at.file.clone()),
        line: at.map(|at| at.line),
        result,
    }
}

fn case(group: &Group<'_>) -> Case {
    let rule = rules::get(group.rule);
    let lines: Vec<String> = group.findings.iter().map(|finding| line(finding)).collect();
    let remedy = rule.map_or(String::new(), |rule| format!("\nhelp: {}", rule.remedy));
    let text = format!("{}{remedy}", lines.join("\n"));
    let result = match group.level {
        Level::Note => CaseResult::Noted(text),
        level @ (Level::Warning | Level::Error) => CaseResult::Failed {
            kind: level.as_str().to_owned(),
            message: rule.map_or(String::new(), |rule| rule.summary.to_owned()),
            text,
        },
    };
    let first = group
        .findings
        .iter()
        .find_map(|finding| finding.location.as_ref());
    named(group.rule, first, result)
}

fn line(finding: &Finding) -> String {
    match &finding.location {
        Some(at) => format!("{}:{}:{}: {}", at.file, at.line, at.column, finding.message),
        None => finding.message.clone(),
    }
}
