//! The time between two checks.

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

/// The part of the interval that chance adds at most.
const JITTER: f64 = 0.1;

/// Returns the interval, longer by a random part of up to a tenth.
pub(super) fn with_jitter(interval: Duration) -> Duration {
    // The seeds of the standard library's hashers are random.
    let random = RandomState::new().hash_one(interval);
    let part = random as f64 / u64::MAX as f64;
    Duration::try_from_secs_f64(interval.as_secs_f64() * (1.0 + JITTER * part)).unwrap_or(interval)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_differ_and_are_at_most_a_tenth_longer() {
        let hour = Duration::from_secs(3600);
        let intervals: Vec<Duration> = (0..100).map(|_| with_jitter(hour)).collect();
        for interval in &intervals {
            assert!(
                (hour..=hour.mul_f64(1.1)).contains(interval),
                "{interval:?}"
            );
        }
        let (shortest, longest) = (intervals.iter().min(), intervals.iter().max());
        assert!(shortest < longest);
    }

    #[test]
    fn the_longest_interval_stays_a_duration() {
        assert!(with_jitter(Duration::MAX) > Duration::ZERO);
    }
}
