//! Problems, one entry for each place: the common model of formats that list them (annotations, SARIF).

mod check;
mod diff;

pub(super) use check::issue as of_verdict;
pub(super) use diff::{issue as of_finding, suppressed as of_suppressed};

use super::finding::Level;

/// Problems, and what a reader of them has to know besides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Issues {
    /// The subcommand: `check`, `diff`.
    pub(super) command: &'static str,
    /// One a problem, in the order of the report.
    pub(super) issues: Vec<Issue>,
    /// Places that could not be looked at, and why.
    pub(super) skipped: Vec<(String, String)>,
    /// Problems with the policy.
    pub(super) policy: Vec<String>,
    /// The places that were looked at.
    pub(super) summary: String,
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Issue {
    /// Id of the rule.
    pub(super) rule: &'static str,
    /// How serious it is.
    pub(super) level: Level,
    /// The plugin or element it is about.
    pub(super) about: String,
    /// The whole fact in one line.
    pub(super) message: String,
    /// The remedy.
    pub(super) help: String,
    /// Where.
    pub(super) place: Option<Place>,
    /// Stays the same while the problem does.
    pub(super) fingerprint: String,
    /// Why it does not count: `suppressed by the baseline`, …
    pub(super) suppressed: Option<String>,
}

/// Where a problem is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Path of a file.
    pub(super) file: String,
    /// Where within it, for an image: `layer 3: /usr/bin/plugin`.
    pub(super) within: Option<String>,
    /// Line and column, from 1, where it is text.
    pub(super) line: Option<(u32, u32)>,
}

impl Issue {
    /// Returns the fact, why it does not count if so, and the remedy apart.
    pub(super) fn text(&self) -> String {
        let suppressed = self.suppressed.as_ref();
        let suppressed = suppressed.map_or(String::new(), |why| format!(" ({why})"));
        match self.help.as_str() {
            "" => format!("{}{suppressed}", self.message),
            help => format!("{}{suppressed}\nhelp: {help}", self.message),
        }
    }
}
