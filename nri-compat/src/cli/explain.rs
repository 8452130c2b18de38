//! `nri-compat explain [ID]`.

use super::output;
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;
use crate::rules::{self, Rule};
use crate::statements;
use nri_schema::near;

/// Explains a rule or a statement of the lifecycle contract: what it means, who is affected, and
/// what to do.
///
/// Without an id, lists all rules by category, then all statements; with part of an id, lists those
/// that contain it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Id of the rule or statement, as shown in reports, or part of one; in upper or lower case.
    #[arg(value_name = "ID")]
    id: Option<String>,
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    let wanted = args.id.as_deref().unwrap_or_default();
    let part = wanted.to_ascii_uppercase().replace(['-', ' '], "_");
    output::print(&match page(&part) {
        Some(page) => page,
        None => matches(&part).ok_or_else(|| unknown(wanted))?,
    })?;
    Ok(Exit::Clean)
}

/// Returns the page about the rule or statement with this id.
fn page(id: &str) -> Option<String> {
    let rule = rules::get(id).map(output::text);
    rule.or_else(|| contract::page(id))
}

/// Returns the list of all rules and statements whose ids contain `part`, or the page if that is
/// only one rule; `None` if there are none.
fn matches(part: &str) -> Option<String> {
    let rules: Vec<&Rule> = rules::all().filter(|rule| rule.id.contains(part)).collect();
    match (rules.as_slice(), contract::starting_with(part)) {
        ([], statements) => statements,
        ([rule], None) => Some(output::text(*rule)),
        (rules, None) => Some(output::text(rules)),
        (rules, Some(statements)) => Some(format!("{}\n{statements}", output::text(rules))),
    }
}

/// The pages about statements of the contract.
#[cfg(feature = "conformance")]
mod contract {
    use nri_conformance::contract;

    use crate::cli::output;
    use crate::report::statement::StatementsReport;

    pub(super) fn page(id: &str) -> Option<String> {
        contract::get(id).map(output::text)
    }

    pub(super) fn starting_with(part: &str) -> Option<String> {
        let found: Vec<_> = contract::all()
            .iter()
            .filter(|statement| statement.id.starts_with(part))
            .collect();
        let report = StatementsReport { statements: &found };
        (!found.is_empty()).then(|| output::text(&report))
    }
}

/// The pages about statements; empty, because this build has no statements.
#[cfg(not(feature = "conformance"))]
mod contract {
    pub(super) fn page(_: &str) -> Option<String> {
        None
    }

    pub(super) fn starting_with(_: &str) -> Option<String> {
        None
    }
}

fn unknown(wanted: &str) -> Error {
    let message = format!("there is no rule or statement `{wanted}`");
    let names = near::names(wanted, rules::ids().chain(statements::ids()));
    let help = if names.is_empty() {
        "`nri-compat explain` lists all rules and statements".to_owned()
    } else {
        format!("did you mean {}?", names.join(", "))
    };
    Error::new(ErrorKind::UnknownRule, message).with_help(help)
}
