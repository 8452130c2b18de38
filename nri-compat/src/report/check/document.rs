//! A check report as JSON: the report itself, with the values that are derived from it.

use serde::de::Deserialize;
use serde::ser::SerializeStruct;
use serde::{Deserializer, Serialize, Serializer};

use super::{
    CheckReport, CheckTarget, ClusterView, Outcome, Skipped, Subject, Summary, Verdict,
    VerdictCounts,
};

/// The report of `check` or `logs`: the plugins that were found, and the verdicts on each under each
/// target.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::report) struct CheckDocument<'r> {
    /// The date of the newest release in the tables that were used, `YYYY-MM-DD`.
    data_date: &'r str,
    /// The targets, in the order requested.
    targets: &'r [CheckTarget],
    /// Everything that was found, sorted by path, name and kind.
    subjects: Vec<SubjectDocument<'r>>,
    /// Places that could not be checked.
    skipped: &'r [Skipped],
    /// Findings about the policy itself, such as an ignore that matches nothing or has expired.
    policy: &'r [String],
    /// The cluster whose plugins were checked, if any.
    cluster: Option<&'r ClusterView>,
    /// The places that were checked, and the number of verdicts that count by outcome.
    summary: SummaryDocument<'r>,
}

/// A subject, with its location as text.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::report) struct SubjectDocument<'r> {
    /// The location, as in text reports.
    path: String,
    #[serde(flatten)]
    subject: &'r Subject,
}

/// The summary, with the counts of verdicts.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SummaryDocument<'r> {
    /// The places that were requested, or found by default; those without a configuration say so.
    looked_at: Vec<String>,
    #[serde(flatten)]
    summary: &'r Summary,
    #[serde(flatten)]
    counts: VerdictCounts,
}

impl Serialize for CheckReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let document = CheckDocument {
            subjects: self.subjects.iter().map(SubjectDocument::from).collect(),
            ..CheckDocument::without_subjects(self)
        };
        document.serialize(serializer)
    }
}

impl<'r> CheckDocument<'r> {
    /// Returns the document without the subjects, of which there may be many.
    pub(in crate::report) fn without_subjects(report: &'r CheckReport) -> Self {
        Self {
            data_date: &report.data_date,
            targets: &report.targets,
            subjects: Vec::new(),
            skipped: &report.skipped,
            policy: &report.policy,
            cluster: report.cluster.as_ref(),
            summary: SummaryDocument {
                looked_at: looked_at(&report.summary),
                summary: &report.summary,
                counts: report.counts(None),
            },
        }
    }
}

impl<'r> From<&'r Subject> for SubjectDocument<'r> {
    fn from(subject: &'r Subject) -> Self {
        Self {
            path: subject.place.whole_file().to_string(),
            subject,
        }
    }
}

/// Returns the places that were checked, with the usual places that have no configuration.
fn looked_at(summary: &Summary) -> Vec<String> {
    let absent = summary.without_configuration.iter();
    let absent = absent.map(|place| format!("{place} (no configuration)"));
    summary.looked_at.iter().cloned().chain(absent).collect()
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
