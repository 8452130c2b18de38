//! `nri-compat explain [RULE]`.

use super::output;
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;
use crate::near::near;
use crate::report::text;
use crate::rules::{self, Rule};

/// Explains a rule: its meaning, who is affected, what to do.
///
/// Without a rule, lists all rules by category; with part of an id, lists the rules that contain
/// it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Id of the rule, as shown in reports, or part of one; in upper or lower case.
    rule: Option<String>,
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    let look = output::look();
    let wanted = args.rule.as_deref().unwrap_or_default();
    output::print(&match matching(wanted).as_slice() {
        [] => return Err(unknown(wanted)),
        [rule] => text::rule(rule, look),
        rules => text::rules(rules, look),
    })?;
    Ok(Exit::Clean)
}

/// Returns the rule with this id, or else all rules whose ids contain these words.
fn matching(wanted: &str) -> Vec<&'static Rule> {
    let part = wanted.to_ascii_uppercase().replace(['-', ' '], "_");
    match rules::get(&part) {
        Some(rule) => vec![rule],
        None => rules::all()
            .filter(|rule| rule.id.contains(&part))
            .collect(),
    }
}

fn unknown(wanted: &str) -> Error {
    let message = format!("there is no rule `{wanted}`");
    let names = near(wanted, rules::ids());
    let help = if names.is_empty() {
        "`nri-compat explain` lists all rules".to_owned()
    } else {
        format!("did you mean {}?", names.join(", "))
    };
    Error::new(ErrorKind::UnknownRule, message).with_help(help)
}
