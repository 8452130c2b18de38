//! An ignore of the policy, and its matching.

use globset::GlobMatcher;
use jiff::civil::Date;
use serde::Deserialize;

use super::values;
use crate::report::check::{Subject, Verdict};
#[cfg(feature = "conformance")]
use crate::report::conformance::JudgedTest;
use crate::report::finding::{Category, Finding};
use crate::rules;
use crate::statements;

/// A verdict that a project has decided to accept, with the reason.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ignore {
    /// The line in the file of the policy, counted from 1.
    #[serde(skip)]
    pub(crate) line: usize,
    /// Matches the plugin's name, its index and name, or its path; `None` matches every plugin.
    #[serde(default, deserialize_with = "values::glob")]
    pub(crate) plugin: Option<GlobMatcher>,
    /// Matches the full name of an element of a protocol, for `diff` only.
    #[serde(default, deserialize_with = "values::glob")]
    pub(crate) element: Option<GlobMatcher>,
    /// The id of the rule, or of a statement of the contract; `None` matches every rule.
    #[serde(default, deserialize_with = "values::rule")]
    pub(crate) rule: Option<String>,
    /// The name of a test of the statement; `None` matches every test.
    #[serde(default, deserialize_with = "values::text")]
    pub(crate) test: Option<String>,
    /// The name of the target, complete or up to a dot (`containerd@2.4` for all its patch
    /// releases); `None` matches every target.
    #[serde(default, deserialize_with = "values::text")]
    pub(crate) target: Option<String>,
    /// The reason; never empty.
    #[serde(default, deserialize_with = "values::required_text")]
    pub(crate) reason: String,
    /// The last day on which it applies.
    #[serde(default, deserialize_with = "values::date")]
    pub(crate) expires: Option<Date>,
}

/// The command whose findings an ignore applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scope {
    /// The verdicts of `check` and `logs`.
    Check,
    /// The findings of `diff`.
    Diff,
    /// The violations that `conformance` found.
    Conformance,
}

impl Ignore {
    /// Returns true if it matches the verdict, expired or not.
    pub(crate) fn matches(&self, subject: &Subject, verdict: &Verdict) -> bool {
        let rule = self.rule.as_ref();
        let target = self.target.as_ref();
        let plugin = self.plugin.as_ref();
        self.scope() == Scope::Check
            && rule.is_none_or(|wanted| wanted == verdict.rule)
            && target.is_none_or(|wanted| of_target(wanted, &verdict.target))
            && plugin.is_none_or(|glob| named(glob, subject))
    }

    /// Returns true if it matches a finding of `diff`, expired or not.
    pub(crate) fn matches_finding(&self, finding: &Finding) -> bool {
        let rule = self.rule.as_ref();
        let element = self.element.as_ref();
        self.scope() == Scope::Diff
            && rule.is_none_or(|wanted| wanted == finding.rule)
            && element.is_none_or(|glob| glob.is_match(&finding.element))
    }

    /// Returns true if it matches the violation of a statement, expired or not.
    #[cfg(feature = "conformance")]
    pub(super) fn matches_test(
        &self,
        subject: &nri_conformance::result::Subject,
        test: &JudgedTest,
    ) -> bool {
        let label = subject.label();
        let names = [subject.name.as_str(), label.as_str()];
        let is_named = |glob: &GlobMatcher| names.iter().any(|name| glob.is_match(name));
        let wanted_test = self.test.as_ref();
        let target = self.target.as_ref();
        self.scope() == Scope::Conformance
            && self.rule.as_deref() == Some(test.result.statement)
            && wanted_test.is_none_or(|wanted| wanted == test.result.test)
            && target.is_none_or(|wanted| of_target(wanted, &test.target()))
            && self.plugin.as_ref().is_none_or(is_named)
    }

    /// Returns the command whose findings it applies to, derived from its rule; `diff` if it names an
    /// element.
    pub(crate) fn scope(&self) -> Scope {
        let id = self.rule.as_deref();
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
    pub(crate) fn expired(&self, today: Date) -> bool {
        self.expires.is_some_and(|last| last < today)
    }

    /// Returns the text that identifies it in messages: `10-* CHECK_STATE_CHANGE`.
    pub(crate) fn shown(&self) -> String {
        let plugin = self.plugin.as_ref().map(|glob| glob.glob().glob());
        let element = self.element.as_ref().map(|glob| glob.glob().glob());
        let parts = [
            plugin,
            element,
            self.rule.as_deref(),
            self.test.as_deref(),
            self.target.as_deref(),
        ];
        let parts: Vec<&str> = parts.into_iter().flatten().collect();
        parts.join(" ")
    }
}

/// Returns true if a target is `wanted`, or a release of it.
fn of_target(wanted: &str, target: &str) -> bool {
    let rest = target.strip_prefix(wanted);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn named(glob: &GlobMatcher, subject: &Subject) -> bool {
    let name = subject.name.as_deref();
    let label = subject.label();
    let place = subject.place.whole_file().to_string();
    let names = [name, Some(label.as_str()), Some(place.as_str())];
    names.into_iter().flatten().any(|name| glob.is_match(name))
}

#[cfg(test)]
mod tests {
    use super::of_target;

    #[test]
    fn a_target_includes_its_patch_releases() {
        assert!(of_target("containerd@2.4", "containerd@2.4.2"));
        assert!(of_target("containerd@2.4.2", "containerd@2.4.2"));
        assert!(!of_target("containerd@2.4", "containerd@2.41.0"));
        assert!(!of_target("containerd@2.4.1", "containerd@2.4.2"));
    }
}
