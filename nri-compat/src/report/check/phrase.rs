//! Facts of a check report as short phrases, for formats that are code as well as for templates.

use super::{Suppression, Verdict};

impl Suppression {
    /// Returns `suppressed by the baseline`, with the reason if there is one.
    pub fn phrase(&self) -> String {
        let by = self.by.as_str();
        match self.reason.as_str() {
            "" => format!("suppressed by the {by}"),
            reason => format!("suppressed by the {by}: {reason}"),
        }
    }
}

impl Verdict {
    /// Returns the dates and confidence: `since v0.12.0; planned removal: containerd 2.7;
    /// confidence: high`.
    pub fn facts(&self) -> String {
        let since = self.since.as_ref().map(|since| format!("since {since}"));
        let removal = self.planned_removal.as_ref();
        let removal = removal.map(|removal| format!("planned removal: {removal}"));
        let confidence = Some(format!("confidence: {}", self.confidence.as_str()));
        let facts: Vec<String> = [since, removal, confidence].into_iter().flatten().collect();
        facts.join("; ")
    }
}
