//! Counters for each event.

mod exposition;
mod latency;
mod open_metrics;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::api::Event;

pub use exposition::Exposition;
pub use latency::{Histogram, Latency};
pub use open_metrics::CONTENT_TYPE as OPEN_METRICS_CONTENT_TYPE;

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
    events: [Counters; Event::Last as usize],
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
pub struct EventMetrics {
    /// Requests that a handler answered.
    pub calls: u64,
    /// Requests whose handler failed or panicked, whatever the answer was.
    pub errors: u64,
    /// Requests whose handler did not finish in time, whatever the answer was.
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
        Event::ALL
            .into_iter()
            .map(|event| (event, self.event(event)))
    }

    /// Returns how often the plugin has reconnected.
    pub fn reconnects(&self) -> u64 {
        self.0.reconnects.load(Ordering::Relaxed)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_is_counted_apart() {
        let metrics = Metrics::default();
        metrics.count(
            Event::CreateContainer,
            End::Answered,
            Duration::from_micros(20),
        );
        metrics.count(
            Event::CreateContainer,
            End::Failed,
            Duration::from_micros(20),
        );
        metrics.count(Event::StopContainer, End::TimedOut, Duration::from_secs(2));
        let create = metrics.clone().event(Event::CreateContainer);
        assert_eq!((create.calls, create.errors, create.timeouts), (2, 1, 0));
        let stop = metrics.event(Event::StopContainer);
        assert_eq!((stop.calls, stop.errors, stop.timeouts), (1, 0, 1));
        let calls: u64 = metrics.events().map(|(_, event)| event.calls).sum();
        assert_eq!(calls, 3);
    }
}
