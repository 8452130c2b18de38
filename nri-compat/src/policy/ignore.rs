//! An ignore of the policy, and its matching. `toml` adds the position in the file to errors in its
//! values.

use globset::{Glob, GlobMatcher};
use jiff::civil::Date;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::baseline::KnownFinding;
use crate::error::did_you_mean;
use crate::report::check::{Incident, Subject, Verdict};
#[cfg(feature = "conformance")]
use crate::report::conformance::JudgedTest;
use crate::report::finding::{Category, Finding};
use crate::report::fingerprint::{events, fingerprint, fingerprint_of_incident, identity, series};
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

/// Reads a pattern of names, such as `10-*`.
fn pattern<'de, D: Deserializer<'de>>(pattern: D) -> Result<Option<GlobMatcher>, D::Error> {
    let glob = Glob::new(&String::deserialize(pattern)?).map_err(D::Error::custom)?;
    Ok(Some(glob.compile_matcher()))
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
    #[serde(default, deserialize_with = "pattern")]
    pub(super) plugin: Option<GlobMatcher>,
    /// Matches the full name of an element of a protocol, for `diff` only.
    #[serde(default, deserialize_with = "pattern")]
    pub(super) element: Option<GlobMatcher>,
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
        let known = &candidate.known;
        let element = known.element.as_deref().unwrap_or_default();
        let is_named =
            |plugin: &GlobMatcher| candidate.names.iter().any(|name| plugin.is_match(name));
        let is_element = |pattern: &GlobMatcher| pattern.is_match(element);
        self.plugin.as_ref().is_none_or(is_named)
            && self.element.as_ref().is_none_or(is_element)
            && self.test.as_ref().is_none_or(|test| test == element)
            && self.rule.as_ref().is_none_or(|rule| rule.0 == known.rule)
            && self.target.as_ref().is_none_or(|target| is_release_of(&candidate.target, target))
    }

    /// Returns the command whose findings it applies to, derived from its rule; `diff` if it names
    /// an element.
    pub(super) fn scope(&self) -> Scope {
        let id = self.rule.as_ref().map(|rule| rule.0.as_str());
        let rule = id.and_then(rules::get);
        let of_plugins = [Category::Check, Category::Incident, Category::Config];
        let is_of_diff = rule.is_some_and(|rule| {
            !rule.categories.iter().any(|category| of_plugins.contains(category))
        });
        if self.element.is_some() || is_of_diff {
            Scope::Diff
        } else if id.is_some_and(statements::contains) {
            Scope::Conformance
        } else {
            Scope::Check
        }
    }

    /// Returns the text that identifies it in messages: `10-* CHECK_STATE_CHANGE`.
    pub(super) fn shown(&self) -> String {
        let parts = [
            self.plugin.as_ref().map(|pattern| pattern.glob().glob()),
            self.element.as_ref().map(|pattern| pattern.glob().glob()),
            self.rule.as_ref().map(|rule| rule.0.as_str()),
            self.test.as_deref(),
            self.target.as_deref(),
        ];
        parts.into_iter().flatten().collect::<Vec<&str>>().join(" ")
    }
}

/// Returns true if a target is `wanted`, or a patch release of it.
fn is_release_of(target: &str, wanted: &str) -> bool {
    let rest = target.strip_prefix(wanted);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Returns the names by which a policy may name a plugin.
fn names(subject: &Subject) -> Vec<String> {
    let path = subject.place.whole_file().to_string();
    subject.name.iter().cloned().chain([subject.label(), path]).collect()
}

/// A finding that a policy may ignore and a baseline may contain.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidate {
    /// The names by which a policy may name the plugin: its name, its index and name, its path.
    pub(super) names: Vec<String>,
    /// The target with its complete version.
    pub(super) target: String,
    /// The finding, if the baseline contains it.
    pub(super) known: KnownFinding,
}

impl Candidate {
    /// Returns an incident of a subject, under no target.
    pub(super) fn incident(subject: &Subject, incident: &Incident) -> Self {
        Self {
            names: names(subject),
            target: String::new(),
            known: KnownFinding {
                fingerprint: fingerprint_of_incident(subject, incident),
                rule: incident.rule.to_owned(),
                plugin: identity(subject),
                ..KnownFinding::default()
            },
        }
    }

    /// Returns the verdict on a subject.
    pub(super) fn verdict(subject: &Subject, verdict: &Verdict) -> Self {
        Self {
            names: names(subject),
            target: verdict.target.clone(),
            known: KnownFinding {
                fingerprint: fingerprint(subject, verdict),
                rule: verdict.rule.to_owned(),
                target: series(&verdict.target).to_owned(),
                plugin: identity(subject),
                element: None,
                program: subject.program.clone(),
                events: events(subject).into_iter().map(str::to_owned).collect(),
            },
        }
    }

    /// Returns a finding of `diff`.
    pub(super) fn finding(finding: &Finding) -> Self {
        Self {
            known: KnownFinding {
                fingerprint: finding.fingerprint(),
                rule: finding.rule.to_owned(),
                element: Some(finding.element.clone()),
                ..KnownFinding::default()
            },
            ..Self::default()
        }
    }

    /// Returns the violation of a statement, with the name of the test as its element.
    #[cfg(feature = "conformance")]
    pub(super) fn test(subject: &nri_conformance::result::Subject, test: &JudgedTest) -> Self {
        let target = test.target();
        Self {
            names: vec![subject.name.clone(), subject.label()],
            known: KnownFinding {
                fingerprint: test.fingerprint(subject),
                rule: test.statement.to_owned(),
                target: series(&target).to_owned(),
                plugin: subject.label(),
                element: Some(test.test.to_owned()),
                ..KnownFinding::default()
            },
            target,
        }
    }
}
