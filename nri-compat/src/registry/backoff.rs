//! The pauses between attempts.

use std::time::Duration;

use super::limits::Limits;

/// Returns the pause after this number of failed attempts. It doubles each time, and varies
/// randomly by half, so that many clients do not return at the same moment.
pub(super) fn pause(limits: &Limits, failed: u32) -> Duration {
    let doubled = limits
        .pause
        .saturating_mul(1 << failed.saturating_sub(1).min(10));
    doubled
        .min(limits.longest_pause)
        .mul_f64(0.5 + fastrand::f64())
}

/// Returns the pause that a `Retry-After` header asks for: seconds, or a date.
pub(super) fn retry_after(header: &str) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let then = jiff::fmt::rfc2822::parse(header).ok()?.timestamp();
    let pause = then.duration_since(jiff::Timestamp::now());
    Some(Duration::try_from(pause).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_within_their_limit() {
        let limits = Limits::default();
        for failed in 1..40 {
            let base = limits.pause * (1 << (failed - 1).min(10));
            let pause = pause(&limits, failed);
            assert!(pause >= base.min(limits.longest_pause) / 2);
            assert!(pause <= limits.longest_pause * 3 / 2);
        }
    }

    #[test]
    fn headers_have_seconds_or_a_date() {
        assert_eq!(retry_after(" 7 "), Some(Duration::from_secs(7)));
        assert_eq!(
            retry_after("Wed, 21 Oct 2015 07:28:00 GMT"),
            Some(Duration::ZERO)
        );
        let later = retry_after("Fri, 01 Jan 2100 00:00:00 GMT").unwrap();
        assert!(later > Duration::from_secs(1 << 30));
        assert_eq!(retry_after("soon"), None);
        assert_eq!(retry_after("-1"), None);
    }
}
