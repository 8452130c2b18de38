//! The values that all HTML pages share: style, script, the policy that permits only these, and the colours.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::{Environment, Value, context};
use sha2::{Digest as _, Sha256};

use crate::book;
use crate::report::check::{Outcome, VerdictCounts};
use crate::rules;

const STYLE: &str = include_str!("../../../templates/report.css");
const SCRIPT: &str = include_str!("../../../templates/report.js");

/// The maximum number of rows of a matrix that browsers lay out at once; in larger ones, they lay out
/// only visible rows.
const MAX_PLAIN_ROWS: usize = 200;

/// The width of the bar that shows the shares of the outcomes, in units of the drawing.
const BAR_WIDTH: usize = 1000;

/// The class of each outcome, level and title of a pairing, which selects its colour. Classes are short because large
/// reports have many cells.
const CLASSES: [(&str, &str); 16] = [
    ("ok", "o"),
    ("unknown", "u"),
    ("deprecated", "d"),
    ("removed", "r"),
    ("incompatible", "i"),
    ("suppressed", "s"),
    ("note", "h"),
    ("warning", "d"),
    ("error", "i"),
    ("works", "o"),
    ("fallback", "d"),
    ("loses", "r"),
    ("presence", "r"),
    ("misreads", "r"),
    ("fails", "i"),
    ("dropped", "i"),
];

/// Adds the values to an environment.
pub(super) fn add(environment: &mut Environment<'_>) {
    let tool = context! {
        policy => policy(),
        style => Value::from_safe_string(STYLE.to_owned()),
        script => Value::from_safe_string(SCRIPT.to_owned()),
        version => env!("CARGO_PKG_VERSION"),
        verdicts => book::VERDICTS,
    };
    environment.add_global("tool", tool);
    environment.add_global("classes", Value::from_pairs(CLASSES));
    environment.add_global("max_plain_rows", MAX_PLAIN_ROWS);
}

/// Returns the policy that forbids everything except this style sheet and this script, identified by
/// their hashes: <https://www.w3.org/TR/CSP3/#match-element-to-source-list>.
fn policy() -> String {
    let (style, script) = (hash(STYLE), hash(SCRIPT));
    format!(
        "default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; \
         form-action 'none'"
    )
}

fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

/// Returns the rules with these ids, sorted, with their texts.
pub(super) fn rules<'i>(ids: impl Iterator<Item = &'i str>) -> Vec<Value> {
    let ids: BTreeSet<&str> = ids.collect();
    let known = ids.into_iter().filter_map(rules::get);
    let values = known.map(|rule| {
        context! {
            id => rule.id,
            summary => rule.summary,
            explanation => rule.explanation,
            page => book::page(rule.id),
        }
    });
    values.collect()
}

/// Returns each outcome with its number of verdicts, and its part of the bar.
pub(super) fn shares(counts: &VerdictCounts) -> Vec<Value> {
    let total: usize = Outcome::ALL
        .iter()
        .map(|outcome| counts.count(*outcome))
        .sum();
    let total = total.max(1);
    let mut before = 0;
    let share = |outcome: Outcome| {
        let start = before * BAR_WIDTH / total;
        before += counts.count(outcome);
        let width = before * BAR_WIDTH / total - start;
        context! { word => outcome.as_str(), count => counts.count(outcome), start, width }
    };
    Outcome::ALL.map(share).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_fill_the_bar() {
        let counts = [Outcome::Ok, Outcome::Unknown, Outcome::Deprecated];
        let shares = shares(&counts.into_iter().collect());
        let number = |share: &Value, name| share.get_attr(name).ok()?.as_usize();
        let spans: Vec<_> = shares
            .iter()
            .map(|share| (number(share, "start"), number(share, "width")))
            .collect();
        let expected = [(0, 333), (333, 333), (666, 334), (1000, 0), (1000, 0)];
        assert_eq!(
            spans,
            expected.map(|(start, width)| (Some(start), Some(width)))
        );
    }
}
