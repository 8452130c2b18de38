//! The rules of `buf breaking`, with buf's ids and categories, for two compiled schemas.
//!
//! A rule is data (`rules/ID.toml`) and a line in the table `rules/table.rs`, which names its
//! check and the elements that it applies to: both schemas, or each pair of files, messages,
//! fields, enums, services or RPCs. Which changes count as breaking, and where a finding points,
//! follows [buf 1.75.0](https://buf.build/docs/breaking/rules/); tests compare the two.

mod buf_rules;
mod changes;
mod columns;
mod compare;
mod completion;
mod input;
pub mod nri;
mod pairings;
mod pairs;
mod sink;
pub mod wire;

pub use compare::{compare, diff, diff_with, findings};
pub use input::Input;

use nri_schema::Schema;

use crate::report::finding::{Category, Finding};
use completion::Completion;
use pairs::Pairs;
use sink::{RuleRun, Sink, Violation};

/// Returns the findings for users who move from `from` to `to`, sorted by place, without
/// duplicates.
///
/// Only rules of the given categories report, each once; no categories means all rules. A finding
/// points into `to`, and has no place if its file was removed.
///
/// ```
/// use nri_compat::diff::breaking;
/// use nri_schema::Schema;
///
/// let schema = Schema::default();
/// assert!(breaking(&schema, &schema, &[]).is_empty());
/// ```
pub fn breaking(from: &Schema, to: &Schema, categories: &[Category]) -> Vec<Finding> {
    Completion::default().findings(violations(from, to, categories))
}

/// Returns the violations of the protobuf rules of these categories, or of all of them.
fn violations(from: &Schema, to: &Schema, categories: &[Category]) -> Vec<Violation> {
    let pairs = Pairs::new(from, to);
    let mut sink = Sink::default();
    let asked = |rule: &str| categories.is_empty() || is_in(rule, categories);
    for (rule, check) in buf_rules::CHECKS.iter().filter(|(rule, _)| asked(rule)) {
        sink.rule = rule;
        check.run(&mut RuleRun { pairs: &pairs, sink: &mut sink });
    }
    sink.merged()
}

/// Moves the lines and columns of a schema that protox compiled to those of buf, with the texts of
/// its files by name: protox counts bytes where buf counts columns of a terminal, and points at the
/// value of an option where buf points at its name.
pub fn adjusted(schema: Schema, text: impl Fn(&str) -> Option<String>) -> Schema {
    schema.adjusted(columns::adjust, text)
}

/// Returns the ids of the rules that [`breaking`] runs.
pub fn rule_ids() -> impl Iterator<Item = &'static str> {
    buf_rules::CHECKS.iter().map(|(rule, _)| *rule)
}

fn is_in(rule: &str, categories: &[Category]) -> bool {
    crate::rules::get(rule)
        .is_some_and(|rule| rule.categories.iter().any(|category| categories.contains(category)))
}

/// Returns the full names of the fields that plugins of `newer` may send and runtimes of `older`
/// silently ignore, except those of messages that `older` lacks. Empty unless both are NRI
/// protocols.
pub(crate) fn ignored_fields(
    older: &nri_schema::Protocol,
    newer: &nri_schema::Protocol,
) -> Vec<String> {
    let side = |protocol| nri::side::NriSide::new(protocol, "");
    match (side(older), side(newer)) {
        (Some(older), Some(newer)) => nri::fields::ignored(&older, &newer),
        _ => Vec::new(),
    }
}
