//! An ignore of the policy, and its matching. `toml` adds the position in the file to errors in its values.

use globset::{Glob, GlobMatcher};
use jiff::civil::Date;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::finding::Candidate;
use crate::error::did_you_mean;
use crate::report::finding::Category;
use crate::{rules, statements};

/// The id of a rule, or of a statement of the contract.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct RuleId(pub(super) String);

impl TryFrom<String> for RuleId {
    type Error = String;

    fn try_from(id: String) -> Result<Self, String> {
        if rules::get(&id).is_some() || statements::contains(&id) {
            return Ok(Self(id));
        }
        let known = rules::ids().chain(statements::ids());
        let help = did_you_mean(&id, known, "`nri-compat explain` lists all");
        Err(format!("unknown rule `{id}`; {help}"))
    }
}

/// A pattern of names, such as `10-*`.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Pattern(GlobMatcher);

impl TryFrom<String> for Pattern {
    type Error = globset::Error;

    fn try_from(pattern: String) -> Result<Self, globset::Error> {
        Ok(Self(Glob::new(&pattern)?.compile_matcher()))
    }
}

impl Pattern {
    fn matches(&self, name: &str) -> bool {
        self.0.is_match(name)
    }
}

/// Reads an optional date.
fn date<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Date>, D::Error> {
    let date = toml::value::Date::deserialize(deserializer)?;
    date.to_string().parse().map(Some).map_err(D::Error::custom)
}

/// A finding that a project has decided to accept, with the reason.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ignore {
    /// Matches the plugin's name, its index and name, or its path; `None` matches every plugin.
    pub(super) plugin: Option<Pattern>,
    /// Matches the full name of an element of a protocol, for `diff` only.
    pub(super) element: Option<Pattern>,
    /// The id of the rule, or of a statement of the contract; `None` matches every rule.
    pub(super) rule: Option<RuleId>,
    /// The name of a test of the statement; `None` matches every test.
    pub(super) test: Option<String>,
    /// The name of the target, complete or up to a dot (`containerd@2.4` for all its patch
    /// releases); `None` matches every target.
    pub(super) target: Option<String>,
    /// The reason; never empty.
    #[serde(default)]
    pub(super) reason: String,
    /// The last day on which it applies.
    #[serde(default, deserialize_with = "date")]
    pub(super) expires: Option<Date>,
}

/// The command whose findings an ignore applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Scope {
    /// The verdicts of `check` and `logs`.
    Check,
    /// The findings of `diff`.
    Diff,
    /// The violations that `conformance` found.
    Conformance,
}

impl Ignore {
    /// Returns true if it matches a finding of its scope, expired or not.
    pub(super) fn matches(&self, candidate: &Candidate) -> bool {
        let element = candidate.known.element.as_deref().unwrap_or_default();
        let plugin = |pattern: &Pattern| candidate.names.iter().any(|name| pattern.matches(name));
        let target = |wanted: &String| is_release_of(&candidate.target, wanted);
        self.plugin.as_ref().is_none_or(plugin)
            && self
                .element
                .as_ref()
                .is_none_or(|pattern| pattern.matches(element))
            && self.test.as_ref().is_none_or(|test| test == element)
            && self
                .rule
                .as_ref()
                .is_none_or(|rule| rule.0 == candidate.known.rule)
            && self.target.as_ref().is_none_or(target)
    }

    /// Returns the command whose findings it applies to, derived from its rule; `diff` if it names an
    /// element.
    pub(super) fn scope(&self) -> Scope {
        let id = self.rule.as_ref().map(|rule| rule.0.as_str());
        let rule = id.and_then(rules::get);
        let is_of_diff = rule.is_some_and(|rule| !rule.categories.contains(&Category::Check));
        if self.element.is_some() || is_of_diff {
            Scope::Diff
        } else if id.is_some_and(statements::contains) {
            Scope::Conformance
        } else {
            Scope::Check
        }
    }

    /// Returns true if its last day has passed.
    pub(super) fn has_expired(&self, today: Date) -> bool {
        self.expires.is_some_and(|last| last < today)
    }

    /// Returns the text that identifies it in messages: `10-* CHECK_STATE_CHANGE`.
    pub(super) fn shown(&self) -> String {
        let pattern = |pattern: &Pattern| pattern.0.glob().to_string();
        let parts = [
            self.plugin.as_ref().map(pattern),
            self.element.as_ref().map(pattern),
            self.rule.as_ref().map(|rule| rule.0.clone()),
            self.test.clone(),
            self.target.clone(),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        parts.join(" ")
    }
}

/// Returns true if a target is `wanted`, or a patch release of it.
fn is_release_of(target: &str, wanted: &str) -> bool {
    let rest = target.strip_prefix(wanted);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
