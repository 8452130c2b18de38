//! `nri-compat explain [ID]`.

use super::output;
use crate::error::{Error, ErrorKind, did_you_mean};
use crate::exit::Exit;
use crate::rules::{self, Rule, incident};
use crate::statements;

/// Explains a rule or a statement of the lifecycle contract: what it means, who is affected, and
/// what to do.
///
/// Without an id, lists all rules by category, then all statements; with part of an id, lists those
/// that contain it.
#[derive(Debug, clap::Args)]
pub(super) struct ExplainArgs {
    /// Id of the rule or statement, as shown in reports, or part of one; in upper or lower case.
    #[arg(value_name = "ID")]
    id: Option<String>,
}

pub(super) fn run(args: &ExplainArgs) -> Result<Exit, Error> {
    let wanted = args.id.as_deref().unwrap_or_default();
    let part = wanted.to_ascii_uppercase().replace(['-', ' '], "_");
    output::print(&page(&part).ok_or_else(|| unknown(wanted))?)?;
    Ok(Exit::Clean)
}

/// Returns the page about the only rule or statement whose id contains `part`, or the list of all
/// of them; `None` if there are none.
fn page(part: &str) -> Option<String> {
    if let Some(rule) = rules::get(part) {
        return Some(rule_page(rule));
    }
    let rules: Vec<&Rule> = rules::all().filter(|rule| rule.id.contains(part)).collect();
    match (rules.as_slice(), statements(part)) {
        ([], statements) => statements,
        ([rule], None) => Some(rule_page(rule)),
        (rules, None) => Some(output::text(rules)),
        (rules, Some(statements)) => Some(format!("{}\n{statements}", output::text(rules))),
    }
}

/// Returns the page about a rule, with the messages that report it if it is an incident.
fn rule_page(rule: &Rule) -> String {
    match incident::get(rule.id) {
        Some(incident) => output::text(incident),
        None => output::text(rule),
    }
}

/// Returns the page about the statement with this id, or the list of those whose ids start with it.
#[cfg(feature = "conformance")]
fn statements(part: &str) -> Option<String> {
    use nri_conformance::contract;
    if let Some(statement) = contract::get(part) {
        return Some(output::text(statement));
    }
    let found: Vec<_> = contract::all().iter().filter(|one| one.id.starts_with(part)).collect();
    let report = crate::report::conformance::StatementsReport { statements: &found };
    (!found.is_empty()).then(|| output::text(&report))
}

/// Returns `None`, because this build has no statements.
#[cfg(not(feature = "conformance"))]
fn statements(_: &str) -> Option<String> {
    None
}

fn unknown(wanted: &str) -> Error {
    let message = format!("there is no rule or statement `{wanted}`");
    let known = rules::ids().chain(statements::ids());
    let all = "`nri-compat explain` lists all rules and statements";
    let help = did_you_mean(wanted, known, all);
    Error::new(ErrorKind::UnknownRule, message).with_help(help)
}
