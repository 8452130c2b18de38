//! Limits on time, size and attempts.

use std::time::Duration;

/// The limits of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The time limit for a connection, including TLS.
    pub connect: Duration,
    /// The time limit for receiving further bytes.
    pub idle: Duration,
    /// The time limit for a request with a small answer, and the constant part of the time limit for
    /// a blob.
    pub total: Duration,
    /// The minimum speed of a blob in bytes per second, in addition to [`Self::total`].
    pub slowest: u64,
    /// The maximum number of attempts per request.
    pub attempts: u32,
    /// The pause before the second attempt; it doubles with each further attempt.
    pub pause: Duration,
    /// The longest pause; a longer `Retry-After` is an error.
    pub longest_pause: Duration,
    /// The maximum size of a manifest in bytes; the distribution specification requires at least 4 MiB.
    pub manifest: u64,
    /// The time limit for a credential helper.
    pub helper: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(30),
            total: Duration::from_secs(60),
            slowest: 64 << 10,
            attempts: 5,
            pause: Duration::from_millis(250),
            longest_pause: Duration::from_secs(60),
            manifest: 4 << 20,
            helper: Duration::from_secs(30),
        }
    }
}

impl Limits {
    /// Returns the pause after this number of failed attempts.
    pub(super) fn pause_after(&self, failed: u32) -> Duration {
        let doubled = self
            .pause
            .saturating_mul(1 << failed.saturating_sub(1).min(10));
        doubled.min(self.longest_pause)
    }

    /// Returns the time limit for a blob of `size` bytes.
    pub(super) fn blob(&self, size: u64) -> Duration {
        self.total + Duration::from_secs(size / self.slowest.max(1))
    }
}
