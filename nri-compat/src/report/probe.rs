//! The result of `probe`, as plain data for every renderer.

use nri_conformance::probe::{Latency, Probed, Verdict};
use serde::{Serialize, Serializer};

/// The result of probing a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeReport {
    /// The file or socket that was named on the command line.
    pub place: String,
    /// The result.
    pub probed: Probed,
}

/// The result of probing a plugin, with the values that are derived from it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Document<'r> {
    #[serde(flatten)]
    probed: &'r Probed,
    /// The durations of the answers, for each event that was answered under some target.
    latencies: Vec<Latency>,
    /// The worst verdict and the time taken.
    summary: SummaryDocument,
}

/// The worst verdict and the time taken.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SummaryDocument {
    /// The worst verdict; null without targets.
    worst: Option<Verdict>,
    /// Time taken, in milliseconds.
    millis: f64,
}

impl Serialize for ProbeReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let document = Document {
            probed: &self.probed,
            latencies: self.probed.latencies(),
            summary: SummaryDocument {
                worst: self.probed.worst(),
                millis: self.probed.millis(),
            },
        };
        document.serialize(serializer)
    }
}
