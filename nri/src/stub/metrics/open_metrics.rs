//! Renders counters in the [OpenMetrics](https://prometheus.io/docs/specs/om/open_metrics_spec/)
//! text format.

use std::fmt::{self, Write};
use std::time::Duration;

use super::{EventMetrics, Metrics};
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
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = render(self, &mut text);
        text
    }
}

fn render(metrics: &Metrics, out: &mut String) -> fmt::Result {
    let events: Vec<_> = metrics
        .events()
        .filter(|(_, event)| event.calls > 0)
        .collect();
    durations(&events, out)?;
    counter(
        out,
        "nri_plugin_event_errors",
        "Requests whose handler failed.",
    )?;
    for (event, counts) in &events {
        sample(out, "nri_plugin_event_errors_total", *event, counts.errors)?;
    }
    counter(
        out,
        "nri_plugin_event_timeouts",
        "Requests whose handler did not finish in time.",
    )?;
    for (event, counts) in &events {
        sample(
            out,
            "nri_plugin_event_timeouts_total",
            *event,
            counts.timeouts,
        )?;
    }
    counter(
        out,
        "nri_plugin_reconnects",
        "Connections after the first one.",
    )?;
    writeln!(out, "nri_plugin_reconnects_total {}", metrics.reconnects())?;
    out.write_str("# EOF\n")
}

fn durations(events: &[(Event, EventMetrics)], out: &mut String) -> fmt::Result {
    let name = "nri_plugin_event_duration_seconds";
    writeln!(out, "# TYPE {name} histogram\n# UNIT {name} seconds")?;
    writeln!(
        out,
        "# HELP {name} Time from the arrival of a request to its answer."
    )?;
    for (event, counts) in events {
        let event = event.as_str_name();
        for (bound, count) in counts.latency.buckets() {
            let bound = Seconds(bound);
            writeln!(
                out,
                "{name}_bucket{{event=\"{event}\",le=\"{bound}\"}} {count}"
            )?;
        }
        let (sum, count) = (Seconds(counts.latency.sum()), counts.latency.count());
        writeln!(
            out,
            "{name}_bucket{{event=\"{event}\",le=\"+Inf\"}} {count}"
        )?;
        writeln!(out, "{name}_sum{{event=\"{event}\"}} {sum}")?;
        writeln!(out, "{name}_count{{event=\"{event}\"}} {count}")?;
    }
    Ok(())
}

fn counter(out: &mut String, name: &str, help: &str) -> fmt::Result {
    writeln!(out, "# TYPE {name} counter\n# HELP {name} {help}")
}

fn sample(out: &mut String, name: &str, event: Event, count: u64) -> fmt::Result {
    writeln!(out, "{name}{{event=\"{}\"}} {count}", event.as_str_name())
}

/// A duration in seconds, exact and without an exponent, with at least one digit after the point.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = format!("{:09}", self.0.subsec_nanos());
        let digits = nanos.trim_end_matches('0');
        let digits = if digits.is_empty() { "0" } else { digits };
        write!(f, "{}.{digits}", self.0.as_secs())
    }
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn seconds_are_exact() {
        for (duration, text) in [
            (Duration::ZERO, "0.0"),
            (Duration::from_micros(16), "0.000016"),
            (Duration::from_nanos(16_777_216_000), "16.777216"),
        ] {
            assert_eq!(Seconds(duration).to_string(), text);
        }
    }
}
