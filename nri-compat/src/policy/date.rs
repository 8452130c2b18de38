//! Days of the calendar, as far as a date of expiry needs them.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// A day, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// Year of the Gregorian calendar.
    pub year: u16,
    /// Month, from 1.
    pub month: u8,
    /// Day of the month, from 1.
    pub day: u8,
}

const SECONDS_OF_A_DAY: u64 = 86_400;

impl Date {
    /// The day that it is now, in UTC.
    pub fn today() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Self::after_1970(since.map_or(0, |since| since.as_secs() / SECONDS_OF_A_DAY))
    }

    /// The day so many days after 1970-01-01; a far future is the year 9999.
    fn after_1970(mut days: u64) -> Self {
        let mut year = 1970;
        while year < 9999 && days >= length_of_year(year) {
            days -= length_of_year(year);
            year += 1;
        }
        let mut month = 1;
        while month < 12 && days >= length_of_month(year, month) {
            days -= length_of_month(year, month);
            month += 1;
        }
        let day = u8::try_from(days + 1).unwrap_or(31);
        Self { year, month, day }
    }
}

fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400)
}

fn length_of_year(year: u16) -> u64 {
    if is_leap(year) { 366 } else { 365 }
}

fn length_of_month(year: u16, month: u8) -> u64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::Date;

    /// Days since 1970 as `date -u -d DAY +%s` gives them, divided by 86,400.
    #[test]
    fn days_are_those_of_the_calendar() {
        for (days, shown) in [
            (0, "1970-01-01"),
            (11_016, "2000-02-29"),
            (20_513, "2026-03-01"),
            (20_818, "2026-12-31"),
            (21_243, "2028-02-29"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(Date::after_1970(days).to_string(), shown);
        }
        assert_eq!(Date::after_1970(u64::MAX).to_string(), "9999-12-31");
    }
}
