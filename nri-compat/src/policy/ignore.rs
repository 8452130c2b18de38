//! An ignore of the policy, and what it matches.

use globset::GlobMatcher;

use super::Date;
use crate::report::check::{Subject, Verdict};

/// A verdict that somebody decided to live with, and why.
#[derive(Clone, Debug)]
pub struct Ignore {
    /// Line in the policy's file, from 1.
    pub line: usize,
    /// Matches the plugin's name, its index and name, or its path; every plugin without one.
    pub plugin: Option<GlobMatcher>,
    /// Id of the rule; every rule without one.
    pub rule: Option<String>,
    /// Name of the target; every target without one.
    pub target: Option<String>,
    /// Why it is ignored; never empty.
    pub reason: String,
    /// The last day on which it is.
    pub expires: Option<Date>,
}

impl Ignore {
    /// Whether it says anything about the verdict, be it expired or not.
    pub fn matches(&self, subject: &Subject, verdict: &Verdict) -> bool {
        let is = |wanted: &Option<String>, found: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted == found)
        };
        is(&self.rule, verdict.rule)
            && is(&self.target, &verdict.target)
            && self.plugin.as_ref().is_none_or(|glob| named(glob, subject))
    }

    /// Whether its last day is over.
    pub fn expired(&self, today: Date) -> bool {
        self.expires.is_some_and(|last| last < today)
    }

    /// As messages name it: `10-* CHECK_STATE_CHANGE`.
    pub fn shown(&self) -> String {
        let plugin = self.plugin.as_ref().map(|glob| glob.glob().glob());
        let parts = [plugin, self.rule.as_deref(), self.target.as_deref()];
        let parts: Vec<&str> = parts.into_iter().flatten().collect();
        parts.join(" ")
    }
}

fn named(glob: &GlobMatcher, subject: &Subject) -> bool {
    let name = subject.name.as_deref();
    let label = subject.label();
    let names = [name, Some(label.as_str()), Some(subject.path.as_str())];
    names.into_iter().flatten().any(|name| glob.is_match(name))
}
