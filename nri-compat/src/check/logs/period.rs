//! The period of a log to report: `--since` and `--until`.

use jiff::civil::DateTime;
use jiff::{Span, Timestamp, ToSpan as _, Zoned};

use crate::stamp;

/// A period from one moment to another, both included, each optional, which is also the help of the
/// command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::Args)]
#[group(skip)]
pub struct Period {
    /// Skip lines before this time: "2026-03-18 20:15:04", "2026-03-18T20:15:04Z", "yesterday",
    /// "today", "-1h", "2 days ago", "@1773864904". Lines without a time are kept.
    #[arg(long, value_name = "TIME", value_parser = parse, allow_hyphen_values = true)]
    pub since: Option<Timestamp>,
    /// Skip lines after this time, in the same formats.
    #[arg(long, value_name = "TIME", value_parser = parse, allow_hyphen_values = true)]
    pub until: Option<Timestamp>,
}

impl Period {
    /// Returns true if a time stamp may be in the period. One that does not determine a moment may
    /// always be.
    pub(super) fn may_contain(&self, time: Option<&String>) -> bool {
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

/// Parses a moment: RFC 3339; local time as `2026-03-18 20:15:04`, `2026-03-18 20:15` or
/// `2026-03-18`; `yesterday`, `today`; a span before now as `-1h` or `2 days ago`; seconds since
/// 1970 as `@1773864904`.
///
/// # Errors
///
/// Returns the text if it has none of these forms.
pub fn parse(text: &str) -> Result<Timestamp, String> {
    parse_at(text.trim(), &Zoned::now()).ok_or_else(|| {
        format!(
            "`{text}` is not a time; try `2026-03-18 20:15:04`, `2026-03-18`, `2026-03-18T20:15:04Z`, `yesterday`, \
             `today`, `-1h`, `2 days ago` or `@1773864904`"
        )
    })
}

fn parse_at(text: &str, now: &Zoned) -> Option<Timestamp> {
    let local = |time: DateTime| Some(time.to_zoned(now.time_zone().clone()).ok()?.timestamp());
    let today = now.start_of_day().ok()?.datetime();
    if let Some(seconds) = text.strip_prefix('@') {
        return stamp::epoch(seconds);
    }
    match text {
        "today" => local(today),
        "yesterday" => local(today.checked_sub(1.day()).ok()?),
        _ => {
            let moment = text.parse().ok().or_else(|| local(text.parse().ok()?));
            moment.or_else(|| {
                let span: Span = text.parse().ok()?;
                let earlier = now.checked_add(span).ok()?.timestamp();
                span.is_negative().then_some(earlier)
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_every_form_that_the_message_lists() {
        // A Wednesday, in a zone two hours ahead of UTC.
        let now: Zoned = "2026-03-18T12:00:00+02:00[+02:00]".parse().expect("a time");
        for (text, expected) in [
            ("today", "2026-03-17T22:00:00Z"),
            ("yesterday", "2026-03-16T22:00:00Z"),
            ("-1h", "2026-03-18T09:00:00Z"),
            ("1h ago", "2026-03-18T09:00:00Z"),
            ("-1h30min", "2026-03-18T08:30:00Z"),
            ("2 days ago", "2026-03-16T10:00:00Z"),
            ("@1773864904", "2026-03-18T20:15:04Z"),
            ("@1773864904.5", "2026-03-18T20:15:04.5Z"),
            ("2026-03-17", "2026-03-16T22:00:00Z"),
            ("2026-03-17 20:15", "2026-03-17T18:15:00Z"),
            ("2026-03-17 20:15:04.25", "2026-03-17T18:15:04.25Z"),
            ("2026-03-17T20:15:04+01:00", "2026-03-17T19:15:04Z"),
        ] {
            let expected = expected.parse().expect("a time");
            assert_eq!(parse_at(text, &now), Some(expected), "{text}");
        }
        for text in ["", "soon", "-", "@x", "@1e99", "1h", "2026-13-01"] {
            assert_eq!(parse_at(text, &now), None, "{text}");
        }
        assert_eq!(parse_at("99999999999999999 years ago", &now), None);
    }
}
