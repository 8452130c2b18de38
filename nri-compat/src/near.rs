//! Suggestions for mistyped names.

/// The minimum similarity of a suggestion (0 to 1).
const MIN_SIMILARITY: f64 = 0.7;

/// Returns at most three of `known`, the most similar first.
pub(crate) fn near<'k>(wanted: &str, known: impl IntoIterator<Item = &'k str>) -> Vec<&'k str> {
    let wanted = wanted.to_ascii_lowercase();
    let mut alike: Vec<(f64, &str)> = known
        .into_iter()
        .map(|name| {
            (
                strsim::jaro_winkler(&wanted, &name.to_ascii_lowercase()),
                name,
            )
        })
        .filter(|(score, _)| *score >= MIN_SIMILARITY)
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    alike.into_iter().take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn the_most_alike_comes_first() {
        let known = ["FIELD_NO_DELETE", "RPC_NO_DELETE", "ENUM_NO_DELETE"];
        assert_eq!(
            near("feild_no_delete", known).first(),
            Some(&"FIELD_NO_DELETE")
        );
    }

    #[test]
    fn nothing_alike_is_nothing_proposed() {
        assert!(near("xyz", ["FIELD_NO_DELETE"]).is_empty());
    }
}
