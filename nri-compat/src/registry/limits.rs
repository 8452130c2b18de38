//! Limits on time, size and attempts.

use std::time::Duration;

/// The limits of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The time limit for a connection, including TLS.
    pub connect: Duration,
    /// The time limit for each wait for further bytes.
    pub idle: Duration,
    /// The time limit for one request with a small answer, and the part of the limit for a blob
    /// that does not depend on its size.
    pub total: Duration,
    /// The speed that a blob has to reach in bytes per second; [`Self::total`] is added.
    pub slowest: u64,
    /// The number of attempts of one request, and of interruptions of one blob.
    pub attempts: u32,
    /// The pause before the second attempt; it doubles with each further attempt, and varies
    /// randomly by half.
    pub pause: Duration,
    /// The longest `Retry-After` that is obeyed; a registry that wants a longer pause fails.
    pub longest_pause: Duration,
    /// The maximum size of a manifest in bytes; the distribution specification demands 4 MiB.
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
    /// Returns the time limit for a blob of `size` bytes.
    pub(super) fn blob(&self, size: u64) -> Duration {
        self.total + Duration::from_secs(size / self.slowest.max(1))
    }
}
