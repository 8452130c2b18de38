//! The result of `replay`, as data for every format.

use nri_conformance::record::Replayed;
use nri_conformance::record::replay::{Difference, Skipped};
use serde::Serialize;

/// The result of `replay`: the differences, with the values that are derived from them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplayReport<'r> {
    /// The index and the name of the plugin.
    plugin: &'r str,
    /// The index and the name of the recorded plugin.
    recorded_plugin: &'r str,
    /// True if the plugin got `<redacted>` for values of variables and annotations, and may have
    /// answered differently because of it.
    redacted: bool,
    /// The differences from the recording, in the order of the requests; at most 1000.
    differences: &'r [Difference],
    /// The numbers of requests and differences.
    summary: ReplaySummary,
}

/// The numbers of requests and differences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ReplaySummary {
    /// Requests that were sent.
    requests: u64,
    /// Answers that were compared with a recorded one.
    compared: u64,
    /// Differences from the recording.
    differences: u64,
    #[serde(flatten)]
    skipped: Skipped,
    /// The time from the first request to the last answer, in milliseconds.
    millis: u128,
}

impl<'r> ReplayReport<'r> {
    /// Creates a report about the answers of a plugin.
    pub fn new(replayed: &'r Replayed) -> Self {
        Self {
            plugin: &replayed.plugin,
            recorded_plugin: &replayed.recorded_plugin,
            redacted: replayed.redacted,
            differences: &replayed.differences,
            summary: ReplaySummary {
                requests: replayed.requests,
                compared: replayed.compared,
                differences: replayed.differences.len() as u64 + replayed.more_differences,
                skipped: replayed.skipped,
                millis: replayed.elapsed.as_millis(),
            },
        }
    }
}
