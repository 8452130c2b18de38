//! Durations on the command line.

use std::time::Duration;

/// Parses a duration: `2s`, `500ms`, `1m`, `24h`, or a number of seconds.
///
/// # Errors
///
/// Returns the reason if the text is not a duration greater than zero.
pub(super) fn parse(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text.get(digits.len()..).unwrap_or_default();
    let millis: u64 = match unit {
        "ms" => 1,
        "" | "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err(format!("unknown unit `{unit}`: one of ms, s, m, h")),
    };
    let number: u64 = digits.parse().map_err(|_| "not a number".to_owned())?;
    match number.checked_mul(millis) {
        None => Err("too long".to_owned()),
        Some(0) => Err("must be longer than 0".to_owned()),
        Some(millis) => Ok(Duration::from_millis(millis)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        assert_eq!(parse("2"), Ok(Duration::from_secs(2)));
        assert_eq!(parse("2s"), Ok(Duration::from_secs(2)));
        assert_eq!(parse("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse("3m"), Ok(Duration::from_secs(180)));
        assert_eq!(parse("24h"), Ok(Duration::from_secs(86_400)));
        for text in [
            "",
            "0",
            "-1",
            "1d",
            "s",
            "2 s",
            "99999999999999999999",
            "18446744073709551615m",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
