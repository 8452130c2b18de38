//! Durations as Go writes them: `1h2m`, `1.5s`.

use std::time::Duration;

/// The units, the longer of two that begin alike first, with their length in nanoseconds.
const UNITS: [(&str, f64); 8] = [
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("μs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("m", 6e10),
    ("h", 3.6e12),
];

/// The reason why a text is not a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotDuration {
    /// It is a number without a unit.
    WithoutUnit,
    /// Anything else.
    Invalid,
}

/// Parses a duration as Go's `time.ParseDuration` does; a negative one becomes zero.
pub(super) fn parse(text: &str) -> Result<Duration, NotDuration> {
    let (is_negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if unsigned == "0" {
        return Ok(Duration::ZERO);
    }
    if unsigned.is_empty() {
        return Err(NotDuration::Invalid);
    }
    let is_in_number = |c: char| c.is_ascii_digit() || c == '.';
    let (mut nanos, mut rest) = (0.0, unsigned);
    while !rest.is_empty() {
        let number_end = rest.find(|c| !is_in_number(c)).unwrap_or(rest.len());
        let (number, after) = rest.split_at(number_end);
        let has_digit = number.bytes().any(|byte| byte.is_ascii_digit());
        let dots = number.matches('.').count();
        if !has_digit || dots > 1 {
            return Err(NotDuration::Invalid);
        }
        let unit_end = after.find(is_in_number).unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        if unit.is_empty() {
            return Err(NotDuration::WithoutUnit);
        }
        let known = UNITS.iter().find(|(name, _)| *name == unit);
        let (_, length) = known.ok_or(NotDuration::Invalid)?;
        // Go accepts `1.` and `.5`, and so does Rust.
        nanos += number.parse::<f64>().map_err(|_| NotDuration::Invalid)? * length;
        rest = after;
    }
    // The longest duration in Go has 63 bits of nanoseconds.
    if nanos > 9.3e18 {
        return Err(NotDuration::Invalid);
    }
    Ok(if is_negative { Duration::ZERO } else { Duration::from_secs_f64(nanos / 1e9) })
}

/// Returns a duration in words: `300 s`, `500 ms`.
pub(super) fn words(duration: Duration) -> String {
    if duration.is_zero() || duration.as_secs() > 0 {
        format!("{} s", duration.as_secs_f64())
    } else if duration.as_millis() > 0 {
        format!("{} ms", duration.as_secs_f64() * 1e3)
    } else {
        format!("{} ns", duration.as_nanos())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_in_go() {
        for (text, nanos) in [
            ("0", 0),
            ("2s", 2_000_000_000),
            ("1h1m", 3_660_000_000_000),
            ("1.5s", 1_500_000_000),
            (".5s", 500_000_000),
            ("1.s", 1_000_000_000),
            ("300ms", 300_000_000),
            ("7µs", 7_000),
            ("-2s", 0),
            ("+2s", 2_000_000_000),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_nanos(nanos)), "{text}");
        }
        for text in ["300", "2.5", "1h2", "-3"] {
            assert_eq!(parse(text), Err(NotDuration::WithoutUnit), "{text}");
        }
        for text in ["", "s", "2 s", "2sec", "1..2s", ".s", "-", "99999999999999h"] {
            assert_eq!(parse(text), Err(NotDuration::Invalid), "{text}");
        }
    }

    #[test]
    fn durations_have_words() {
        for (text, shown) in [
            ("5m", "300 s"),
            ("1500ms", "1.5 s"),
            ("500ms", "500 ms"),
            ("0", "0 s"),
            ("9ns", "9 ns"),
        ] {
            assert_eq!(parse(text).map(words).as_deref(), Ok(shown));
        }
    }
}
