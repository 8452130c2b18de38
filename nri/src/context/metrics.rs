//! Counters for each event.

mod exposition;
mod latency;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::api::Event;

pub use exposition::Exposition;
pub use latency::{Histogram, Latency};

/// The media type of the text of [`Metrics::open_metrics`], for the header `Content-Type`.
pub const OPEN_METRICS_CONTENT_TYPE: &str =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Counters for each handled event, readable at any time. Clones share them.
///
/// ```
/// use nri::api::Event;
/// use nri::stub::Metrics;
///
/// let metrics = Metrics::default(); // a plugin gets its own from `Stub::metrics` or `EventContext::metrics`
/// let creations = metrics.event(Event::CreateContainer);
/// println!("{} calls, {} errors, {} timeouts", creations.calls, creations.errors, creations.timeouts);
/// println!("99 of 100 within {:?}", creations.latency.quantile(0.99));
/// # assert_eq!(creations.calls, 0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Metrics(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// By the number of the event. The first one is that of no event.
    events: [Counters; Event::ALL.len() + 1],
    reconnects: AtomicU64,
}

/// The counters of one event.
#[derive(Debug, Default)]
struct Counters {
    errors: AtomicU64,
    timeouts: AtomicU64,
    latency: Histogram,
}

/// The counters of one event since the plugin started.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventMetrics {
    /// Requests that a handler answered.
    pub calls: u64,
    /// Requests whose handler failed or panicked, regardless of the answer.
    pub errors: u64,
    /// Requests whose handler did not finish in time, regardless of the answer.
    pub timeouts: u64,
    /// Time from the arrival of a request to its answer.
    pub latency: Latency,
}

/// The end of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Answered,
    Failed,
    TimedOut,
}

impl Metrics {
    /// Returns the counters of this event.
    pub fn event(&self, event: Event) -> EventMetrics {
        let none = Counters::default();
        let counters = self.0.events.get(event as usize).unwrap_or(&none);
        let latency = counters.latency.read();
        EventMetrics {
            calls: latency.count(),
            errors: counters.errors.load(Ordering::Relaxed),
            timeouts: counters.timeouts.load(Ordering::Relaxed),
            latency,
        }
    }

    /// Returns the counters of each event, in the order of the protocol's RPCs.
    pub fn events(&self) -> impl Iterator<Item = (Event, EventMetrics)> {
        Event::ALL.iter().map(|event| (*event, self.event(*event)))
    }

    /// Returns how often the plugin has reconnected.
    pub fn reconnects(&self) -> u64 {
        self.0.reconnects.load(Ordering::Relaxed)
    }

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
        let events: Vec<(Event, EventMetrics)> =
            self.events().filter(|(_, counts)| counts.calls > 0).collect();
        let durations = "nri_plugin_event_duration_seconds";
        text.family(durations, "histogram", "Time from the arrival of a request to its answer.");
        for (event, counts) in &events {
            text.histogram(durations, &[("event", event.as_str_name())], &counts.latency);
        }
        for (name, help, count) in COUNTERS {
            text.family(name, "counter", help);
            for (event, counts) in &events {
                let labels = [("event", event.as_str_name())];
                text.sample(&format!("{name}_total"), &labels, count(counts));
            }
        }
        let reconnects = "nri_plugin_reconnects";
        text.family(reconnects, "counter", "Connections after the first one.");
        text.sample(&format!("{reconnects}_total"), &[], self.reconnects());
        text.finish()
    }

    pub(crate) fn count_reconnect(&self) {
        self.0.reconnects.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count(&self, event: Event, end: End, took: Duration) {
        let Some(counters) = self.0.events.get(event as usize) else {
            return;
        };
        counters.latency.count(took);
        match end {
            End::Answered => 0,
            End::Failed => counters.errors.fetch_add(1, Ordering::Relaxed),
            End::TimedOut => counters.timeouts.fetch_add(1, Ordering::Relaxed),
        };
    }
}

/// A counter of each event: its name, its description and its value.
type Counter = (&'static str, &'static str, fn(&EventMetrics) -> u64);

const COUNTERS: [Counter; 2] = [
    ("nri_plugin_event_errors", "Requests whose handler failed.", |counts| counts.errors),
    ("nri_plugin_event_timeouts", "Requests whose handler did not finish in time.", |counts| {
        counts.timeouts
    }),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_is_counted_apart() {
        let metrics = Metrics::default();
        metrics.count(Event::CreateContainer, End::Answered, Duration::from_micros(20));
        metrics.count(Event::CreateContainer, End::Failed, Duration::from_micros(20));
        metrics.count(Event::StopContainer, End::TimedOut, Duration::from_secs(2));
        let create = metrics.clone().event(Event::CreateContainer);
        assert_eq!((create.calls, create.errors, create.timeouts), (2, 1, 0));
        let stop = metrics.event(Event::StopContainer);
        assert_eq!((stop.calls, stop.errors, stop.timeouts), (1, 0, 1));
        let calls: u64 = metrics.events().map(|(_, event)| event.calls).sum();
        assert_eq!(calls, 3);
    }

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
            assert!(text.lines().any(|written| written == line), "{line}\n{text}");
        }
        assert!(!text.contains("STOP_POD_SANDBOX") && text.ends_with("\n# EOF\n"));
    }
}
