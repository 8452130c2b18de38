//! Problems, one per location: the common model of the formats that list them (annotations, SARIF).

mod check;
mod diff;

pub(super) use check::issue as of_verdict;
pub(super) use diff::{issue as of_finding, suppressed as of_suppressed};

use super::finding::Level;

/// Problems, and further information for readers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Issues {
    /// The subcommand: `check`, `diff`.
    pub(super) command: &'static str,
    /// The problems, in the order of the report.
    pub(super) issues: Vec<Issue>,
    /// Places that could not be checked, with reasons.
    pub(super) skipped: Vec<(String, String)>,
    /// Problems with the policy.
    pub(super) policy: Vec<String>,
    /// The places that were checked.
    pub(super) summary: String,
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Issue {
    /// Id of the rule.
    pub(super) rule: &'static str,
    /// The severity.
    pub(super) level: Level,
    /// The plugin or element.
    pub(super) about: String,
    /// The fact in one line.
    pub(super) message: String,
    /// The remedy.
    pub(super) help: String,
    /// The location.
    pub(super) place: Option<Place>,
    /// An identifier that is stable as long as the problem exists.
    pub(super) fingerprint: String,
    /// The suppression, if any: `suppressed by the baseline`, …
    pub(super) suppressed: Option<String>,
}

/// The location of a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The path of a file.
    pub(super) file: String,
    /// The location within the file, for an image: `layer 3: /usr/bin/plugin`.
    pub(super) within: Option<String>,
    /// Line and column, counted from 1, for text files.
    pub(super) line: Option<(u32, u32)>,
}

impl Issue {
    /// Returns the fact, the suppression if any, and the remedy.
    pub(super) fn text(&self) -> String {
        let suppressed = self.suppressed.as_ref();
        let suppressed = suppressed.map_or(String::new(), |why| format!(" ({why})"));
        match self.help.as_str() {
            "" => format!("{}{suppressed}", self.message),
            help => format!("{}{suppressed}\nhelp: {help}", self.message),
        }
    }
}
