//! Time stamps: logs write them in many forms, and the lines of several files come in any order.

use jiff::civil::DateTime;
use jiff::{Timestamp, Zoned};

/// A time stamp as shown in reports, and its moment, if known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) shown: String,
    moment: Option<Timestamp>,
}

/// The maximum length of a time stamp in bytes.
const MAX_STAMP: usize = 40;

impl Stamp {
    /// Parses a time stamp: RFC 3339 with `T` or a space, or seconds or fractions of them since
    /// 1970, which are shown as RFC 3339. Any other text is kept unchanged: it has no year or no
    /// zone.
    pub(crate) fn new(text: &str) -> Option<Self> {
        if let Some(moment) = rfc3339(text) {
            return Some(Self { shown: text.to_owned(), moment: Some(moment) });
        }
        let moment = epoch(text);
        let shown = moment.map_or_else(|| text.to_owned(), |moment| moment.to_string());
        (!shown.is_empty() && shown.len() <= MAX_STAMP).then_some(Self { shown, moment })
    }

    /// Returns true if this is known to be before `other`.
    pub(crate) fn is_before(&self, other: &Self) -> bool {
        matches!((self.moment, other.moment), (Some(own), Some(other)) if own < other)
    }
}

/// The time between the first stamp and the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) first: Option<Stamp>,
    pub(crate) last: Option<Stamp>,
}

impl Span {
    /// Adds a stamp; those of unknown order keep the order in which they are added.
    pub(crate) fn add(&mut self, stamp: Stamp) {
        let is_before = |other: &Stamp| stamp.is_before(other);
        if self.first.as_ref().is_none_or(is_before) {
            self.first = Some(stamp.clone());
        }
        if !self.last.as_ref().is_some_and(is_before) {
            self.last = Some(stamp);
        }
    }
}

/// Returns the moment of an RFC 3339 time stamp.
pub(crate) fn rfc3339(text: &str) -> Option<Timestamp> {
    let plausible = (20..=MAX_STAMP).contains(&text.len())
        && text.starts_with(|first: char| first.is_ascii_digit());
    plausible.then(|| text.parse().ok()).flatten()
}

/// Returns the moment of seconds, with a fraction, or of milliseconds, microseconds or nanoseconds
/// since 1970, depending on the number of digits.
pub(crate) fn epoch(text: &str) -> Option<Timestamp> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits: String = whole.chars().chain(fraction.chars().take(9)).collect();
    if !digits.chars().all(|letter| letter.is_ascii_digit()) || digits.len() > 19 {
        return None;
    }
    let scale = match whole.len() {
        9 | 10 => 9 - fraction.len().min(9),
        13 if fraction.is_empty() => 6,
        16 if fraction.is_empty() => 3,
        19 if fraction.is_empty() => 0,
        _ => return None,
    };
    let number: i128 = digits.parse().ok()?;
    Timestamp::from_nanosecond(number * 10i128.pow(u32::try_from(scale).ok()?)).ok()
}

/// Returns the moment of a time stamp in any form. One without a zone is local, and one without a
/// year is the latest that is not in the future.
pub(crate) fn moment(text: &str, now: &Zoned) -> Option<Timestamp> {
    let absolute = rfc3339(text).or_else(|| epoch(text));
    absolute.or_else(|| local(text, now))
}

/// Parses `Mar 18 20:15:04`, `Wed 2026-03-18 20:15:04 UTC`, `2026-03-18 20:15:04`.
fn local(text: &str, now: &Zoned) -> Option<Timestamp> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        [month, day, clock] => {
            let of_year = |year: i16| {
                let dated = format!("{year}-{month}-{day}T{clock}");
                let local = DateTime::strptime("%Y-%b-%dT%H:%M:%S%.f", dated);
                Some(zoned(local, now)?.timestamp())
            };
            let tomorrow = now.timestamp().as_second().saturating_add(24 * 60 * 60);
            of_year(now.year())
                .filter(|moment| moment.as_second() <= tomorrow)
                .or_else(|| of_year(now.year() - 1))
        }
        [_, date, clock, "UTC"] => rfc3339(&format!("{date}T{clock}Z")),
        [_, date, clock, zone] => {
            let local = zoned(format!("{date}T{clock}").parse(), now)?;
            // Only the local zone is known by its abbreviation.
            let abbreviation = local.strftime("%Z").to_string();
            (abbreviation == *zone).then(|| local.timestamp())
        }
        [date, clock] => Some(zoned(format!("{date}T{clock}").parse(), now)?.timestamp()),
        _ => None,
    }
}

/// Returns a local time in the zone of `now`.
fn zoned(local: Result<DateTime, jiff::Error>, now: &Zoned) -> Option<Zoned> {
    local.ok()?.to_zoned(now.time_zone().clone()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_shown_as_they_are_or_as_times_of_the_day() {
        for (text, shown) in [
            ("1773864904861795", Some("2026-03-18T20:15:04.861795Z")),
            ("1773864904861", Some("2026-03-18T20:15:04.861Z")),
            ("1773864904.861795", Some("2026-03-18T20:15:04.861795Z")),
            ("1773864904", Some("2026-03-18T20:15:04Z")),
            ("99999999999999999999", Some("99999999999999999999")),
            ("", None),
            (&"x".repeat(100), None),
        ] {
            let stamp = Stamp::new(text).map(|stamp| stamp.shown);
            assert_eq!(stamp.as_deref(), shown, "{text}");
        }
    }

    #[test]
    fn moments_are_compared_across_zones_and_spellings() {
        let stamp = |text: &str| Stamp::new(text).expect("a time");
        let noon = stamp("2026-03-18T12:00:00Z");
        for (other, is_later) in [
            ("2026-03-18T12:00:00.5Z", true),
            ("2026-03-18 13:00:01+01:00", true),
            ("2026-03-18T12:00:01+0000", true),
            ("Mar 18 20:15:04", false),
            ("99999999999999999999", false),
        ] {
            assert_eq!(noon.is_before(&stamp(other)), is_later, "{other}");
        }
    }
}
