//! Facts of a diff report as short phrases, for every human-readable format.

use super::{Change, Deprecated, DiffReport, ElementKind, Side};
use crate::report::count::counted;
use crate::report::finding::{Category, Finding};
use crate::report::group::short;
use crate::rules::Rule;

impl Side {
    /// Returns the name with the date, the releases with the same protocol, and the runtimes that
    /// ship it.
    pub fn phrase(&self) -> String {
        let mut facts = self.name.clone();
        if self.input != self.name {
            facts.push_str(&format!(" (named as {})", self.input));
        }
        if let Some(date) = &self.date {
            facts.push_str(&format!(", {date}"));
        }
        let others: Vec<&str> = self
            .releases
            .iter()
            .filter(|&release| *release != self.name)
            .map(String::as_str)
            .collect();
        if !others.is_empty() {
            facts.push_str(&format!("; same protocol: {}", others.join(", ")));
        }
        let shipped = match (self.runtimes.is_empty(), &self.revision) {
            (false, _) => format!("; shipped by {}", self.runtimes.join(", ")),
            (true, Some(_)) => "; shipped by no released runtime".to_owned(),
            (true, None) => "; no known revision of NRI".to_owned(),
        };
        facts.push_str(&shipped);
        facts
    }
}

impl Deprecated {
    /// Returns the interface with the releases that deprecate, warn and remove.
    pub fn phrase(&self) -> String {
        let mut facts = format!("{}: deprecated since {}", self.summary, self.since);
        if let Some(runtime) = &self.warned_by {
            facts.push_str(&format!(", with a warning since {runtime}"));
        }
        facts.push_str(&format!(", removal {}", self.removal));
        if !self.replaced_by.is_empty() {
            let events = counted(self.replaced_by.len(), "event");
            facts.push_str(&format!("; dedicated RPCs replace it for {events}"));
        }
        facts
    }
}

impl DiffReport {
    /// Returns the message, with its location in front if that is in a file of the user or the rule
    /// concerns protos.
    pub fn located(&self, rule: &Rule, finding: &Finding) -> String {
        let embedded = self.to.revision.is_some() && rule.categories.contains(&Category::Nri);
        match &finding.location {
            Some(_) if !embedded => finding.line(),
            Some(_) | None => finding.message.clone(),
        }
    }

    /// Returns the two sides as the user named them, with the number of rules.
    pub(in crate::report) fn compared_phrase(&self) -> String {
        format!(
            "compared {} with {} using {}",
            self.from.input,
            self.to.input,
            counted(self.summary.rules, "rule")
        )
    }

    /// Returns the number of findings by level and of changes by kind.
    pub fn counts_phrase(&self) -> String {
        let counts = &self.summary;
        format!(
            "{}, {}, {}; {} added, {} removed, {} changed",
            counted(counts.errors, "error"),
            counted(counts.warnings, "warning"),
            counted(counts.notes, "note"),
            counts.added,
            counts.removed,
            counts.changed
        )
    }

    /// Returns the two sides as the user named them, with the rules that ran.
    pub fn scope_phrase(&self) -> String {
        let scope = if self.from.is_nri && self.to.is_nri {
            "and NRI's own"
        } else {
            "only, because neither side is an NRI protocol"
        };
        let compared = self.compared_phrase();
        format!("{compared}: category {} {scope}", self.summary.category)
    }
}

impl Finding {
    /// Returns the message, with its location in front if there is one.
    pub(in crate::report) fn line(&self) -> String {
        match &self.location {
            Some(at) => format!("{}:{}:{}: {}", at.file, at.line, at.column, self.message),
            None => self.message.clone(),
        }
    }
}

impl Change {
    /// Returns the short name of the element, with the difference if there is one.
    pub fn phrase(&self) -> String {
        let name = match self.what {
            ElementKind::Service | ElementKind::Message | ElementKind::Enum => self.last(),
            ElementKind::Rpc | ElementKind::Field | ElementKind::EnumValue => short(&self.element),
        };
        match self.detail.as_str() {
            "" => name.to_owned(),
            detail => format!("{name} ({detail})"),
        }
    }

    /// Returns the last part of the name of the element.
    pub(in crate::report) fn last(&self) -> &str {
        self.element.rsplit('.').next().unwrap_or(&self.element)
    }
}
