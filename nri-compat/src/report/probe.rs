//! The result of `probe`, as data for every format.

use nri_conformance::probe::{Latency, Probed, Verdict};
use serde::Serialize;

/// The result of probing a plugin, with the values that are derived from it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProbeReport {
    /// The file or socket that was named on the command line.
    #[serde(skip)]
    pub place: String,
    /// The result.
    #[serde(flatten)]
    pub probed: Probed,
    /// The durations of the answers, for each event that was answered under some target.
    latencies: Vec<Latency>,
    /// The worst verdict and the time taken.
    summary: ProbeSummary,
}

/// The worst verdict and the time taken.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ProbeSummary {
    /// The worst verdict; null without targets.
    worst: Option<Verdict>,
    /// Time taken, in milliseconds.
    millis: f64,
}

impl ProbeReport {
    /// Creates a report about the plugin at `place`.
    pub fn new(place: impl Into<String>, probed: Probed) -> Self {
        Self {
            place: place.into(),
            latencies: probed.latencies(),
            summary: ProbeSummary { worst: probed.worst(), millis: probed.millis() },
            probed,
        }
    }
}
