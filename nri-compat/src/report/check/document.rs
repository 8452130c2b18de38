//! The subjects and verdicts of a check report as JSON, with the values that are derived from them.

use serde::de::Deserialize;
use serde::ser::SerializeStruct;
use serde::{Deserializer, Serialize, Serializer};

use super::{Outcome, Subject, Summary, Verdict};

/// A subject, with its location as text.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::report) struct SubjectDocument<'r> {
    /// The location, as in text reports.
    path: String,
    #[serde(flatten)]
    subject: &'r Subject,
}

/// The summary, with the usual places that have no configuration among the places.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct SummaryDocument<'r> {
    /// The places that were requested, or found by default; those without a configuration say so.
    looked_at: Vec<String>,
    #[serde(flatten)]
    summary: &'r Summary,
}

/// Writes the summary with all places.
pub(super) fn summary<S: Serializer>(summary: &Summary, serializer: S) -> Result<S::Ok, S::Error> {
    let absent =
        summary.without_configuration.iter().map(|place| format!("{place} (no configuration)"));
    let document = SummaryDocument {
        looked_at: summary.looked_at.iter().cloned().chain(absent).collect(),
        summary,
    };
    document.serialize(serializer)
}

/// Writes subjects with their locations as text.
pub(super) fn subjects<S: Serializer>(
    subjects: &[Subject],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(subjects.iter().map(SubjectDocument::from))
}

impl<'r> From<&'r Subject> for SubjectDocument<'r> {
    fn from(subject: &'r Subject) -> Self {
        Self { path: subject.place.whole_file().to_string(), subject }
    }
}

impl Serialize for Verdict {
    /// Writes the level that applies, and null for the rule of `ok`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rule = (!self.rule.is_empty()).then_some(self.rule);
        let mut verdict = serializer.serialize_struct("Verdict", 11)?;
        verdict.serialize_field("target", &self.target)?;
        verdict.serialize_field("verdict", &self.outcome)?;
        verdict.serialize_field("rule", &rule)?;
        verdict.serialize_field("level", &self.level())?;
        verdict.serialize_field("events", &*self.events)?;
        verdict.serialize_field("since", &self.since)?;
        verdict.serialize_field("planned_removal", &self.planned_removal)?;
        verdict.serialize_field("reason", &*self.reason)?;
        verdict.serialize_field("remedy", &*self.remedy)?;
        verdict.serialize_field("confidence", &self.confidence)?;
        verdict.serialize_field("suppressed", &self.suppressed)?;
        verdict.end()
    }
}

impl<'de> Deserialize<'de> for Outcome {
    /// Reads a verdict that only a newer release knows as unknown, so that it does not pass.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        let known = Self::ALL.into_iter().find(|known| known.as_str() == word);
        Ok(known.unwrap_or(Self::Unknown))
    }
}
