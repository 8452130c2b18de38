//! Renders counters in the [OpenMetrics](https://prometheus.io/docs/specs/om/open_metrics_spec/)
//! text format.

use super::{EventMetrics, Exposition, Metrics};
use crate::api::Event;

/// The media type of the text, for the header `Content-Type`.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

impl Metrics {
    /// Renders all counters in the OpenMetrics text format. Events that were never handled are
    /// omitted.
    ///
    /// | metric | type | meaning |
    /// | --- | --- | --- |
    /// | `nri_plugin_event_duration_seconds` | histogram | requests that a handler answered, by event |
    /// | `nri_plugin_event_errors_total` | counter | requests whose handler failed or panicked, by event |
    /// | `nri_plugin_event_timeouts_total` | counter | requests whose handler did not finish in time, by event |
    /// | `nri_plugin_reconnects_total` | counter | connections after the first one |
    ///
    /// ```
    /// let text = nri::stub::Metrics::default().open_metrics();
    /// assert!(text.ends_with("nri_plugin_reconnects_total 0\n# EOF\n"));
    /// ```
    pub fn open_metrics(&self) -> String {
        let mut text = Exposition::default();
        let all = self.events().filter(|(_, event)| event.calls > 0);
        let events: Vec<(Event, EventMetrics)> = all.collect();
        let name = "nri_plugin_event_duration_seconds";
        let help = "Time from the arrival of a request to its answer.";
        text.family(name, "histogram", help);
        for (event, counts) in &events {
            text.histogram(name, &[("event", event.as_str_name())], &counts.latency);
        }
        for (name, help, count) in COUNTERS {
            text.family(name, "counter", help);
            for (event, counts) in &events {
                let labels = [("event", event.as_str_name())];
                text.sample(&format!("{name}_total"), &labels, count(counts));
            }
        }
        let name = "nri_plugin_reconnects";
        text.family(name, "counter", "Connections after the first one.");
        text.sample(&format!("{name}_total"), &[], self.reconnects());
        text.finish()
    }
}

/// A counter of each event: its name, its description and its value.
type Counter = (&'static str, &'static str, fn(&EventMetrics) -> u64);

const COUNTERS: [Counter; 2] = [
    (
        "nri_plugin_event_errors",
        "Requests whose handler failed.",
        |counts| counts.errors,
    ),
    (
        "nri_plugin_event_timeouts",
        "Requests whose handler did not finish in time.",
        |counts| counts.timeouts,
    ),
];

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::End;
    use super::*;

    #[test]
    fn each_event_that_occurred_is_rendered() {
        let metrics = Metrics::default();
        metrics.count(Event::RunPodSandbox, End::Failed, Duration::from_micros(20));
        metrics.count_reconnect();
        let text = metrics.open_metrics();
        for line in [
            "# TYPE nri_plugin_event_duration_seconds histogram",
            "nri_plugin_event_duration_seconds_bucket{event=\"RUN_POD_SANDBOX\",le=\"0.000016\"} 0",
            "nri_plugin_event_duration_seconds_bucket{event=\"RUN_POD_SANDBOX\",le=\"0.000032\"} 1",
            "nri_plugin_event_duration_seconds_bucket{event=\"RUN_POD_SANDBOX\",le=\"+Inf\"} 1",
            "nri_plugin_event_duration_seconds_sum{event=\"RUN_POD_SANDBOX\"} 0.00002",
            "nri_plugin_event_duration_seconds_count{event=\"RUN_POD_SANDBOX\"} 1",
            "nri_plugin_event_errors_total{event=\"RUN_POD_SANDBOX\"} 1",
            "nri_plugin_event_timeouts_total{event=\"RUN_POD_SANDBOX\"} 0",
            "nri_plugin_reconnects_total 1",
        ] {
            assert!(
                text.lines().any(|written| written == line),
                "{line}\n{text}"
            );
        }
        assert!(!text.contains("STOP_POD_SANDBOX") && text.ends_with("\n# EOF\n"));
    }
}
