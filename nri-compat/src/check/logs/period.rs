//! The period of a log to report: `--since` and `--until` in the forms of journalctl.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan as _, Zoned};

use crate::stamp;

/// A period from one moment to another, both included, each optional.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Period {
    /// The first moment.
    pub since: Option<Timestamp>,
    /// The last moment.
    pub until: Option<Timestamp>,
}

impl Period {
    /// Returns true if a time stamp may be in the period. One that does not determine a moment may
    /// always be.
    pub(super) fn may_contain(&self, time: Option<&str>) -> bool {
        if *self == Self::default() {
            return true;
        }
        let moment = time.and_then(|time| stamp::moment(time, &Zoned::now()));
        moment.is_none_or(|moment| {
            self.since.is_none_or(|since| since <= moment)
                && self.until.is_none_or(|until| moment <= until)
        })
    }
}

/// Parses a moment as journalctl does: `2026-03-18 20:15:04`, a part of that, `yesterday`, `today`, `tomorrow`, `now`,
/// `-1h`, `2 days ago`, `+5min`, `@1773864904`; also RFC 3339. Times without a zone are local.
///
/// # Errors
///
/// Returns the text if it has none of these forms.
pub fn parse(text: &str) -> Result<Timestamp, String> {
    parse_at(text, &Zoned::now())
}

fn parse_at(text: &str, now: &Zoned) -> Result<Timestamp, String> {
    let trimmed = text.trim();
    let moment = named(trimmed, now)
        .or_else(|| relative(trimmed, now))
        .or_else(|| seconds(trimmed))
        .or_else(|| stamp::rfc3339(trimmed))
        .or_else(|| absolute(trimmed, now));
    moment.ok_or_else(|| {
        format!(
            "`{text}` is not a time; try `2026-03-18 20:15:04`, `yesterday`, `-1h`, `2 days \
             ago` or `@1773864904`"
        )
    })
}

fn named(text: &str, now: &Zoned) -> Option<Timestamp> {
    let days = match text {
        "now" => return Some(now.timestamp()),
        "yesterday" => -1,
        "today" => 0,
        "tomorrow" => 1,
        _ => return None,
    };
    let day = now.date().checked_add(days.days()).ok()?;
    Some(day.to_zoned(now.time_zone().clone()).ok()?.timestamp())
}

/// Parses `-1h 30min`, `+5min`, `1 hour 30 minutes ago`, `5min left`. A number without a unit is in seconds, and `M`
/// means months.
fn relative(text: &str, now: &Zoned) -> Option<Timestamp> {
    let (sign, span) = match text.strip_suffix(" ago") {
        Some(span) => (-1, span),
        None => match text.strip_suffix(" left") {
            Some(span) => (1, span),
            None if text.starts_with('-') => (-1, text.get(1..)?),
            None => (1, text.strip_prefix('+')?),
        },
    };
    let months = span
        .strip_suffix('M')
        .and_then(|months| months.trim().parse().ok());
    let span: Span = match (span.trim().parse::<i64>(), months) {
        (Ok(seconds), _) => Span::new().try_seconds(seconds).ok()?,
        (Err(_), Some(months)) => Span::new().try_months::<i64>(months).ok()?,
        (Err(_), None) => span.parse().ok()?,
    };
    let moment = now.checked_add(span.checked_mul(sign).ok()?).ok()?;
    (!span.is_negative()).then(|| moment.timestamp())
}

/// Parses `@1773864904`, with an optional fraction.
fn seconds(text: &str) -> Option<Timestamp> {
    let seconds: f64 = text.strip_prefix('@')?.parse().ok()?;
    let micros = (seconds * 1e6).round();
    if micros.abs() > 1e17 {
        return None;
    }
    Timestamp::from_microsecond(micros as i64).ok()
}

/// Parses `2026-03-18 20:15:04.5`, `2026-03-18 20:15`, `2026-03-18`, `20:15:04`, `20:15`, with an
/// optional weekday before and `UTC` or a time zone after it.
fn absolute(text: &str, now: &Zoned) -> Option<Timestamp> {
    let (zone, text) = match text.rsplit_once(' ') {
        Some((rest, name)) if !name.contains([':', '-']) => (TimeZone::get(name).ok()?, rest),
        Some((rest, name)) if name.contains('/') => (TimeZone::get(name).ok()?, rest),
        _ => (now.time_zone().clone(), text),
    };
    let text = match text.split_once(' ') {
        Some((day, rest)) if day.chars().all(char::is_alphabetic) => rest,
        _ => text,
    };
    let local = civil(text, now.date())?;
    Some(local.to_zoned(zone).ok()?.timestamp())
}

fn civil(text: &str, today: Date) -> Option<DateTime> {
    if let Some((date, time)) = text.split_once([' ', 'T']) {
        return Some(date.parse::<Date>().ok()?.to_datetime(time.parse().ok()?));
    }
    if let Ok(time) = text.parse::<Time>() {
        return Some(today.to_datetime(time));
    }
    Some(text.parse::<Date>().ok()?.to_datetime(Time::midnight()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a Wednesday, in a zone two hours ahead of UTC.
    fn now() -> Zoned {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        let noon = "2026-03-18T10:00:00Z".parse::<Timestamp>().expect("a time");
        noon.to_zoned(zone)
    }

    #[test]
    fn the_forms_of_journalctl_are_read() {
        for (text, moment) in [
            ("now", "2026-03-18T10:00:00Z"),
            ("today", "2026-03-17T22:00:00Z"),
            ("yesterday", "2026-03-16T22:00:00Z"),
            ("tomorrow", "2026-03-18T22:00:00Z"),
            ("-1h", "2026-03-18T09:00:00Z"),
            ("-1h30min", "2026-03-18T08:30:00Z"),
            ("-90", "2026-03-18T09:58:30Z"),
            ("2 days ago", "2026-03-16T10:00:00Z"),
            ("1 hour 5 minutes ago", "2026-03-18T08:55:00Z"),
            ("1 month ago", "2026-02-18T10:00:00Z"),
            ("-1M", "2026-02-18T10:00:00Z"),
            ("+5min", "2026-03-18T10:05:00Z"),
            ("@1773864904", "2026-03-18T20:15:04Z"),
            ("@1773864904.5", "2026-03-18T20:15:04.5Z"),
            ("2026-03-17", "2026-03-16T22:00:00Z"),
            ("2026-03-17 20:15", "2026-03-17T18:15:00Z"),
            ("2026-03-17 20:15:04.25", "2026-03-17T18:15:04.25Z"),
            ("Tue 2026-03-17 20:15:04 UTC", "2026-03-17T20:15:04Z"),
            ("2026-03-17 20:15:04 UTC", "2026-03-17T20:15:04Z"),
            ("2026-03-17T20:15:04+01:00", "2026-03-17T19:15:04Z"),
            ("08:30", "2026-03-18T06:30:00Z"),
            ("08:30:15", "2026-03-18T06:30:15Z"),
        ] {
            let expected: Timestamp = moment.parse().expect("a time");
            assert_eq!(parse_at(text, &now()), Ok(expected), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused_with_examples() {
        for text in [
            "",
            "soon",
            "-",
            "@",
            "@x",
            "2026-13-01",
            "25:00",
            "ago",
            "- -1h",
            "@1e99",
        ] {
            let error = parse_at(text, &now()).expect_err(text);
            assert!(error.contains("`yesterday`"), "{error}");
        }
    }

    #[test]
    fn a_time_without_a_moment_may_be_in_any_period() {
        let period = Period {
            since: "2026-03-18T00:00:00Z".parse().ok(),
            until: "2026-03-19T00:00:00Z".parse().ok(),
        };
        for (time, expected) in [
            (None, true),
            (Some("[ 12.5]"), true),
            (Some("2026-03-18T12:00:00Z"), true),
            (Some("2026-03-17T12:00:00Z"), false),
            (Some("1773964904"), false),
        ] {
            assert_eq!(period.may_contain(time), expected, "{time:?}");
        }
    }
}
