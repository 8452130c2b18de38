//! The waits between attempts to connect.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// The waits between attempts to connect. Each is twice the previous one, up to a maximum, and is
/// shortened at random by up to half, so that the plugins of a node do not all reconnect at once
/// when its runtime restarts.
///
/// ```
/// use std::time::Duration;
///
/// use nri::stub::Backoff;
///
/// let patient = Backoff::default().longest(Duration::from_secs(60));
/// assert_eq!(patient.first, Duration::from_millis(100));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backoff {
    /// The wait before the first attempt.
    pub first: Duration,
    /// The longest wait.
    pub longest: Duration,
}

impl Default for Backoff {
    /// Waits from 100 ms up to 10 s: a runtime takes about a second to restart.
    fn default() -> Self {
        Backoff { first: Duration::from_millis(100), longest: Duration::from_secs(10) }
    }
}

impl Backoff {
    /// Sets the wait before the first attempt.
    #[must_use]
    pub fn first(mut self, first: Duration) -> Self {
        self.first = first;
        self
    }

    /// Sets the longest wait.
    #[must_use]
    pub fn longest(mut self, longest: Duration) -> Self {
        self.longest = longest;
        self
    }

    /// Returns the wait before an attempt, counted from 0. `random` is any number.
    fn wait(self, attempt: u32, random: u64) -> Duration {
        let doubled = self.first.saturating_mul(1u32.checked_shl(attempt).unwrap_or(u32::MAX));
        let full = doubled.min(self.longest);
        full - (full / 2).mul_f64(random as f64 / u64::MAX as f64)
    }
}

/// The attempts to connect since the connection last worked.
#[derive(Debug)]
pub struct Attempts {
    backoff: Backoff,
    made: u32,
}

impl Attempts {
    /// Starts to count.
    pub fn new(backoff: Backoff) -> Self {
        Attempts { backoff, made: 0 }
    }

    /// Returns the wait before the next attempt.
    pub fn next_wait(&mut self) -> Duration {
        let wait = self.backoff.wait(self.made, random());
        self.made = self.made.saturating_add(1);
        wait
    }

    /// Records how long a connection lasted. After a short one the waits are not reset.
    pub fn held(&mut self, time: Duration) {
        if time >= self.backoff.longest {
            self.made = 0;
        }
    }
}

/// Returns a number that differs between processes and calls, from the random seeds of the standard
/// library's hash maps.
fn random() -> u64 {
    RandomState::new().hash_one(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let backoff = Backoff::default();
        let full =
            [0, 1, 2, 6, 7, 32, u32::MAX].map(|attempt| backoff.wait(attempt, 0).as_millis());
        assert_eq!(full, [100, 200, 400, 6400, 10_000, 10_000, 10_000]);
    }

    #[test]
    fn only_a_connection_that_held_starts_anew() {
        let mut attempts = Attempts::new(Backoff::default());
        for _ in 0..5 {
            attempts.next_wait();
        }
        attempts.held(Duration::from_secs(1));
        assert_eq!(attempts.made, 5);
        attempts.held(Duration::from_secs(60));
        assert_eq!(attempts.made, 0);
    }

    #[test]
    fn random_numbers_differ() {
        assert_ne!(random(), random());
    }

    proptest! {
        #[test]
        fn a_wait_is_between_half_and_all(attempt in 0..64u32, random: u64) {
            let backoff = Backoff::default();
            let full = backoff.wait(attempt, 0);
            let wait = backoff.wait(attempt, random);
            prop_assert!(wait <= full && wait + Duration::from_nanos(1) >= full / 2);
        }
    }
}
