//! A histogram of latencies.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The number of bounds. They double from the first one, and the last one is above any sensible
/// timeout.
const BOUNDS: usize = 21;

/// The lowest bound: 16 µs, which no round trip over a socket beats.
const LOWEST_BOUND: Duration = Duration::from_micros(16);

/// A histogram that can be read while it is updated.
#[derive(Debug, Default)]
pub struct Histogram {
    /// One count per bound, and one for values above the last bound.
    counts: [AtomicU64; BOUNDS + 1],
    nanos: AtomicU64,
}

impl Histogram {
    /// Counts a duration.
    pub fn count(&self, took: Duration) {
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.nanos.fetch_add(nanos, Ordering::Relaxed);
        if let Some(count) = self.counts.get(bucket(took)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns the counts so far.
    pub fn read(&self) -> Latency {
        Latency {
            counts: self.counts.each_ref().map(|count| count.load(Ordering::Relaxed)),
            sum: Duration::from_nanos(self.nanos.load(Ordering::Relaxed)),
        }
    }
}

fn bucket(took: Duration) -> usize {
    (0..BOUNDS).find(|at| took <= bound(*at)).unwrap_or(BOUNDS)
}

fn bound(at: usize) -> Duration {
    LOWEST_BOUND * (1 << at)
}

/// The durations of requests, counted in buckets whose bounds double from 16 µs to 16.8 s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latency {
    counts: [u64; BOUNDS + 1],
    sum: Duration,
}

impl Latency {
    /// Returns the number of requests.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the total duration.
    pub fn sum(&self) -> Duration {
        self.sum
    }

    /// Returns the bounds, each with the number of requests that took no longer: the buckets of a
    /// Prometheus histogram, except the last one, `+Inf`, which is [`count`](Self::count).
    pub fn buckets(&self) -> impl Iterator<Item = (Duration, u64)> {
        self.counts.iter().take(BOUNDS).enumerate().scan(0, |total, (at, count)| {
            *total += count;
            Some((bound(at), *total))
        })
    }

    /// Returns the bound below which the given fraction (0 to 1) of the requests stayed; `None`
    /// without requests, or if it is above the last bound.
    pub fn quantile(&self, part: f64) -> Option<Duration> {
        let count = self.count();
        let needed = ((count as f64 * part.clamp(0.0, 1.0)).ceil() as u64).max(1);
        self.buckets().find(|(_, total)| *total >= needed).map(|(bound, _)| bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_bounds() {
        let histogram = Histogram::default();
        assert_eq!(histogram.read().quantile(0.5), None);
        for micros in [1, 16, 17, 100] {
            histogram.count(Duration::from_micros(micros));
        }
        let latency = histogram.read();
        let quantiles =
            [0.0, 0.5, 0.75, 1.0].map(|part| latency.quantile(part).unwrap().as_micros());
        assert_eq!(quantiles, [16, 16, 32, 128]);
        assert_eq!((latency.count(), latency.sum()), (4, Duration::from_micros(134)));
    }

    #[test]
    fn what_is_above_the_last_bound_is_counted() {
        let histogram = Histogram::default();
        histogram.count(Duration::from_secs(60));
        let latency = histogram.read();
        assert_eq!((latency.count(), latency.quantile(1.0)), (1, None));
        assert_eq!(latency.buckets().last(), Some((Duration::from_nanos(16_777_216_000), 0)));
    }
}
