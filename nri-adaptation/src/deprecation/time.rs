//! Times as RFC 3339 writes them.

use std::time::{SystemTime, UNIX_EPOCH};

/// Formats a time in UTC with nanoseconds, such as `2026-03-18T20:15:04.861795837Z`.
///
/// Times before 1970 are shown as 1970.
pub(super) fn rfc3339(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, seconds) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let nanos = since.subsec_nanos();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{nanos:09}Z")
}

/// Returns year, month and day of a day counted from 1970-01-01, in the Gregorian calendar.
fn civil(days: u64) -> (u64, u64, u64) {
    // Years start in March here, so the leap day is the last one.
    let days = days + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (era * 400 + year_of_era + carry, month, day)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn known_days_are_found() {
        for (seconds, shown) in [
            (0, "1970-01-01T00:00:00.000000001Z"),
            (951_782_399, "2000-02-28T23:59:59.000000001Z"),
            (951_782_400, "2000-02-29T00:00:00.000000001Z"),
            (951_868_800, "2000-03-01T00:00:00.000000001Z"),
            (1_773_864_904, "2026-03-18T20:15:04.000000001Z"),
            (4_107_542_399, "2100-02-28T23:59:59.000000001Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000000001Z"),
        ] {
            assert_eq!(rfc3339(UNIX_EPOCH + Duration::new(seconds, 1)), shown);
        }
    }
}
