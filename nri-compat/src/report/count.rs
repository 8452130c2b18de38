//! Numbers with their nouns.

/// Returns a number with its noun: `1 error`, `2 errors`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
