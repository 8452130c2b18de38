//! The whole comparison: protobuf rules, NRI rules, changes and pairings, as one report.

use std::collections::{BTreeMap, HashMap};
use std::panic::resume_unwind;
use std::thread;

use nri_schema::compile::Imports;
use nri_schema::history::History;

use super::input::Input;
use super::nri::facts::Facts;
use super::nri::side::NriSide;
use super::nri::{self, Context};
use super::pairings::{self, Peer};
use super::{breaking, changes, is_in, rule_ids};
use crate::arguments::STDIN;
use crate::error::{Error, ErrorKind};
use crate::report::diff::{Change, DiffReport, Summary};
use crate::report::finding::{Category, Finding, Level};
use crate::report::pairing::{Pairing, PairingOutcome};
use crate::rules::ids;

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
    for imports in imports {
        imports.check()?;
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
        let first = scope.spawn(first);
        let second = second();
        let first = first.join();
        (first.unwrap_or_else(|panic| resume_unwind(panic)), second)
    })
}

/// Compares two inputs; see [`diff`].
pub fn compare(history: &History, from: &Input, to: &Input, category: Category) -> DiffReport {
    let target = to.target.clone();
    let facts = Facts { history, target };
    let of_protobuf = || {
        let changes = changes::changes(from.declared(), to.declared());
        (changes, breaking(&from.schema, &to.schema, &[category]))
    };
    let ((changes, findings), nri) = both(of_protobuf, || NriComparison::new(from, to, &facts));
    let completion = Completion::new(nri.as_ref(), &changes, &to.paths);
    let findings = completion.of(findings);
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
    let findings = breaking(&from.schema, &to.schema, categories);
    Completion::new(nri.as_ref(), &[], &BTreeMap::new()).of(findings)
}

/// What a finding gets that its rule does not know.
struct Completion<'c> {
    nri: Option<&'c NriComparison<'c>>,
    /// The difference of each element that both sides have.
    changes: HashMap<&'c str, &'c Change>,
    /// The path of each file from the working folder, which tools that read the report look for.
    paths: &'c BTreeMap<String, String>,
}

impl<'c> Completion<'c> {
    fn new(
        nri: Option<&'c NriComparison<'c>>,
        changes: &'c [Change],
        paths: &'c BTreeMap<String, String>,
    ) -> Self {
        let changes = changes.iter().map(|change| (&*change.element, change)).collect();
        Self { nri, changes, paths }
    }

    /// Returns the findings of the protobuf rules and of NRI's own ones, sorted and complete.
    fn of(&self, of_protobuf: Vec<Finding>) -> Vec<Finding> {
        let mut findings = of_protobuf;
        findings.extend(self.nri.into_iter().flat_map(|nri| nri.context.findings()));
        findings.sort_by(|a, b| a.order().cmp(&b.order()));
        let mut seen: HashMap<(&str, String), usize> = HashMap::new();
        for finding in &mut findings {
            // Findings of one rule about one element otherwise differ only in their texts.
            let count = seen.entry((finding.rule, finding.element.clone())).or_default();
            finding.nth = *count;
            *count += 1;
            self.complete(finding);
        }
        findings
    }

    fn complete(&self, finding: &mut Finding) {
        if let Some(nri) = self.nri {
            nri.complete(finding);
        }
        if let Some(change) = self.changes.get(&*finding.element) {
            finding.change.clone_from(&change.detail);
        }
        if let Some(location) = &mut finding.location
            && let Some(path) = self.paths.get(&location.file)
        {
            location.file.clone_from(path);
        }
    }
}

/// The part of a report for NRI protocols.
struct NriComparison<'s> {
    context: Context<'s>,
    pairings: Vec<Pairing>,
}

impl<'s> NriComparison<'s> {
    /// Returns `None` unless at least one side is an NRI protocol.
    fn new(from: &'s Input, to: &'s Input, facts: &'s Facts<'s>) -> Option<Self> {
        let side = |input: &'s Input, other: &Input| {
            NriSide::new(input.protocol_beside(other)?, input.name())
        };
        let context = Context::new(side(from, to)?, side(to, from)?, facts);
        let peer = |side, input: &'s Input| Peer { side, schema: &input.schema };
        let (older, newer) = (peer(&context.from, from), peer(&context.to, to));
        let (old_plugin, new_plugin) =
            both(|| pairings::pair(older, newer, facts), || pairings::pair(newer, older, facts));
        let pairings = vec![old_plugin, new_plugin];
        Some(Self { context, pairings })
    }

    /// Marks an error that does not affect the wire: it must not contradict a pairing that says
    /// `works`.
    fn complete(&self, finding: &mut Finding) {
        if self.context.is_of_sentinel(finding) {
            explain_sentinel(finding);
        }
        if finding.level == Level::Error && !self.concerns(finding) {
            finding.message.push_str(UNAFFECTED);
            if is_in(finding.rule, &[Category::Nri]) {
                finding.level = Level::Note;
            }
        }
    }

    /// Returns true if some pairing has trouble with the subject of the finding. Messages and RPCs
    /// are tied to their events, so any trouble may be theirs; fields and values are listed
    /// individually.
    fn concerns(&self, finding: &Finding) -> bool {
        let mut listed = ["FIELD_", "ENUM_VALUE_", "NRI_"].into_iter();
        let is_listed = listed.any(|kind| finding.rule.starts_with(kind));
        let mut pairings = self.pairings.iter();
        pairings.any(|pairing| {
            if is_listed {
                pairing.concerns(&finding.element)
            } else {
                pairing.outcome() != PairingOutcome::Works
            }
        })
    }
}

/// The text that is added to an error about an element that no pairing has trouble with.
const UNAFFECTED: &str = " (in source code only: NRI peers still understand each other)";

/// Turns the finding of a generic rule about the old number of the sentinel into a note: it is no
/// break that it passes to a new event or is removed.
fn explain_sentinel(finding: &mut Finding) {
    let rule = ids::NRI_EVENT_SENTINEL_MOVED;
    finding.level = Level::Note;
    finding.explained_by = Some(rule);
    finding.message += &format!(" (no break, see {rule})");
}
