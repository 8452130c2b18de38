//! The whole comparison: protobuf rules, NRI rules, changes and pairings, as one report.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::thread;

use nri_schema::compile::Imports;
use nri_schema::history::History;

use super::completion::Completion;
use super::input::Input;
use super::nri::facts::Facts;
use super::nri::side::NriSide;
use super::nri::{self, Context};
use super::pairings::{self, Peer};
use super::sink::Violation;
use super::{changes, is_in, rule_ids, violations};
use crate::arguments::STDIN;
use crate::error::{Error, ErrorKind};
use crate::report::diff::{Change, DiffReport, Summary};
use crate::report::finding::{Category, Finding};
use crate::report::pairing::Pairing;

/// Compares what two specs name, like `nri-compat diff FROM TO`, with the protobuf rules of
/// `category`.
///
/// ```
/// use nri_compat::diff::diff;
/// use nri_compat::report::finding::Category;
///
/// let report = diff("v0.11.0", "v0.12.0", Category::File)?;
/// let deprecated = report.findings.iter().filter(|finding| finding.rule == "NRI_EVENT_LEFT_STATE_CHANGE");
/// assert_eq!(deprecated.count(), 9);
/// # Ok::<(), nri_compat::error::Error>(())
/// ```
///
/// # Errors
///
/// Returns an error if FROM or TO names nothing that can be compiled, or if an import folder does
/// not exist.
pub fn diff(from: &str, to: &str, category: Category) -> Result<DiffReport, Error> {
    let imports = Imports::added_with("-I FOLDER");
    diff_with(from, to, [&imports, &imports], category)
}

/// As [`diff`]; imports of each side are also looked up in its own `imports`, that of `from` first.
/// Imports that serve both sides hide a change in them.
///
/// # Errors
///
/// Returns the errors of [`diff`].
pub fn diff_with(
    from: &str,
    to: &str,
    imports: [&Imports; 2],
    category: Category,
) -> Result<DiffReport, Error> {
    for of_side in imports {
        of_side.check()?;
    }
    let history = crate::data::history()?;
    let (mut from, to) = inputs(history, from, to, imports)?;
    from.match_files(&to);
    Ok(compare(history, &from, &to, category))
}

/// Resolves both sides at the same time, unless they are the same, such as standard input. This
/// takes a quarter of a whole run, see `tests/bench/diff.sh`.
fn inputs(
    history: &History,
    from: &str,
    to: &str,
    [of_from, of_to]: [&Imports; 2],
) -> Result<(Input, Input), Error> {
    let resolve = |spec, imports| Input::resolve(history, spec, imports);
    if from == to {
        if from == STDIN {
            let message = "both sides are standard input, which can only be read once";
            let error = Error::new(ErrorKind::Schema, message);
            return Err(error.with_help("name a file for one of them"));
        }
        return Ok((resolve(from, of_from)?, resolve(to, of_to)?));
    }
    let (from, to) = both(|| resolve(from, of_from), || resolve(to, of_to));
    Ok((from?, to?))
}

/// Returns what two functions return that run at the same time.
fn both<A: Send, B>(first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let running = scope.spawn(first);
        let of_second = second();
        let of_first = running.join().unwrap_or_else(|panic| resume_unwind(panic));
        (of_first, of_second)
    })
}

/// Compares two inputs; see [`diff`].
pub fn compare(history: &History, from: &Input, to: &Input, category: Category) -> DiffReport {
    let target = to.target.clone();
    let facts = Facts { history, target };
    let compare_protobuf = || {
        let changes = changes::changes(from.declared(), to.declared());
        (changes, violations(&from.schema, &to.schema, &[category]))
    };
    let ((changes, of_protobuf), nri) =
        both(compare_protobuf, || NriComparison::new(from, to, &facts));
    let findings = findings_of(of_protobuf, nri.as_ref(), &changes, Some(&to.paths));
    let protobuf_rules = rule_ids().filter(|rule| is_in(rule, &[category]));
    let mut report = DiffReport {
        data_date: history.date().to_owned(),
        from: from.side(history, &facts, nri.is_some()),
        to: to.side(history, &facts, nri.is_some()),
        summary: Summary {
            category,
            rules: protobuf_rules.count() + nri.as_ref().map_or(0, |_| nri::RULES.len()),
            ..Summary::default()
        },
        deprecated: nri.as_ref().map_or_else(Vec::new, |NriComparison { context, .. }| {
            facts.newly_deprecated(&context.from, &context.to)
        }),
        pairings: match &nri {
            Some(nri) if !changes.is_empty() || !findings.is_empty() => nri.pairings.clone(),
            Some(_) | None => Vec::new(),
        },
        findings,
        changes,
        suppressed: Vec::new(),
        policy: Vec::new(),
    };
    report.count();
    report
}

/// Returns the findings of the protobuf rules of these categories (none: all of them) and of NRI's
/// own rules, sorted.
pub fn findings(
    history: &History,
    from: &Input,
    to: &Input,
    categories: &[Category],
) -> Vec<Finding> {
    let target = to.target.clone();
    let facts = Facts { history, target };
    let nri = NriComparison::new(from, to, &facts);
    findings_of(violations(&from.schema, &to.schema, categories), nri.as_ref(), &[], None)
}

/// Returns the findings of violations of protobuf rules and of NRI's own rules, sorted.
fn findings_of(
    mut violations: Vec<Violation>,
    nri: Option<&NriComparison<'_>>,
    changes: &[Change],
    paths: Option<&BTreeMap<String, String>>,
) -> Vec<Finding> {
    violations.extend(nri.into_iter().flat_map(|nri| nri.context.violations()));
    let completion = Completion {
        nri: nri.map(|nri| &nri.context),
        pairings: nri.map_or(&[], |nri| &nri.pairings),
        changes: changes.iter().map(|change| (&*change.element, change)).collect(),
        paths,
    };
    completion.findings(violations)
}

/// The part of a report for NRI protocols.
struct NriComparison<'s> {
    context: Context<'s>,
    pairings: Vec<Pairing>,
}

impl<'s> NriComparison<'s> {
    /// Returns `None` unless at least one side is an NRI protocol.
    fn new(from: &'s Input, to: &'s Input, facts: &'s Facts<'s>) -> Option<Self> {
        let context = Context::new(nri_side(from, to)?, nri_side(to, from)?, facts);
        let peer = |side, input: &'s Input| Peer { side, schema: &input.schema };
        let (older, newer) = (peer(&context.from, from), peer(&context.to, to));
        let (old_plugin, new_plugin) =
            both(|| pairings::pair(older, newer, facts), || pairings::pair(newer, older, facts));
        let pairings = vec![old_plugin, new_plugin];
        Some(Self { context, pairings })
    }
}

/// Returns the NRI protocol of an input; `other` is the other side.
fn nri_side<'s>(input: &'s Input, other: &Input) -> Option<NriSide<'s>> {
    NriSide::new(input.protocol_beside(other)?, input.name())
}
