//! `nri-compat explain RULE`.

use super::output;
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;
use crate::near::near;
use crate::report::text;
use crate::rules;

/// What a rule means, who breaks, what to do.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Id of the rule, as reports show it; in any case.
    rule: String,
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    let id = args.rule.to_ascii_uppercase();
    let rule = rules::get(&id).ok_or_else(|| unknown(&args.rule))?;
    output::print(&text::rule(rule, output::palette()))?;
    Ok(Exit::Clean)
}

fn unknown(wanted: &str) -> Error {
    let error = Error::new(
        ErrorKind::UnknownRule,
        format!("there is no rule `{wanted}`"),
    );
    let names = near(wanted, rules::ids());
    error.with_help(match names.is_empty() {
        true => "findings of `nri-compat diff` carry the ids of their rules".to_owned(),
        false => format!("did you mean {}?", names.join(", ")),
    })
}
