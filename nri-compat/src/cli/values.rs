//! The values of options: output formats and other choices, and durations.

use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use jiff::SignedDuration;

use crate::report::template::{self, Format, Templated};

/// Returns a parser that accepts the formats of a report.
pub(super) fn formats_of<R: Templated>() -> impl TypedValueParser<Value = Format> {
    let formats = template::formats_of::<R>();
    let values =
        formats.iter().map(|format| PossibleValue::new(format.name()).help(format.about()));
    PossibleValuesParser::new(values).try_map(move |name| {
        let format = formats.iter().find(|format| format.name() == name);
        format.copied().ok_or("unknown")
    })
}

/// The name of a value on the command line, its description, and the value.
pub(super) type Choice<T> = (&'static str, &'static str, T);

/// Returns a parser that accepts these values.
pub(super) fn one_of<T: Copy + Send + Sync>(
    choices: &'static [Choice<T>],
) -> impl TypedValueParser<Value = T> + use<T> {
    let values = choices.iter().map(|(name, about, _)| PossibleValue::new(*name).help(*about));
    PossibleValuesParser::new(values).try_map(|given| {
        let choice = choices.iter().find(|(name, ..)| name.eq_ignore_ascii_case(&given));
        choice.map(|(.., value)| *value).ok_or("unknown")
    })
}

/// Parses a duration: `2s`, `500ms`, `1m`, `24h`, `1h 30m`, or a number of seconds; or returns why
/// it is none.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().map(SignedDuration::from_secs);
    let parsed = seconds.or_else(|_| text.parse::<SignedDuration>());
    let signed = parsed.map_err(|_| "not a duration, such as 500ms, 2s, 5m or 24h".to_owned())?;
    match u64::try_from(signed.as_millis()) {
        Ok(millis) if millis > 0 => Ok(Duration::from_millis(millis)),
        Ok(_) | Err(_) => Err("too short or too long".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn durations_have_units() {
        let units = [("2", 2), ("2s", 2), ("3m", 180), ("24h", 86_400)];
        for (text, seconds) in units {
            assert_eq!(duration(text).expect(text).as_secs(), seconds, "{text}");
        }
        assert_eq!(duration("500ms").expect("a duration").as_millis(), 500);
        let beyond = ["99999999999999999999", "18446744073709551615m"];
        for text in ["", "0", "-1", "1d", "s", "0s"].iter().chain(&beyond) {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
