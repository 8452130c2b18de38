//! Numbers with their nouns and units.

/// Returns a number with its noun: `1 error`, `2 errors`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Formats a number of bytes: `512 B`, `3.4 MiB`.
pub(crate) fn bytes(count: u64) -> String {
    if count < 1024 {
        return format!("{count} B");
    }
    let mut amount = count as f64 / 1024.0;
    let mut units = ["KiB", "MiB", "GiB"].into_iter();
    // A number that would be shown as 1024.0 gets the next unit.
    while amount >= 1023.95 {
        let Some(_) = units.next() else { break };
        amount /= 1024.0;
    }
    format!("{amount:.1} {}", units.next().unwrap_or("TiB"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_fitting_unit() {
        for (count, expected) in [
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1024 * 1024 - 1, "1.0 MiB"),
            (u64::MAX, "16777216.0 TiB"),
        ] {
            assert_eq!(bytes(count), expected);
        }
    }
}
