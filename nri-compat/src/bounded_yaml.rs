//! YAML documents from outside, with limits on the memory that they take when they are parsed.
//!
//! The parser counts values, also those that aliases repeat, and the bytes of their texts. It does
//! not count the parts of a node with an anchor, which it keeps, once more for each such node
//! around it.

use serde::Deserialize;
use serde::de::Error as _;
use serde_saphyr::{DuplicateKeyPolicy, Error};

use crate::bounded_json::MAX_MEMORY;

/// The maximum number of values in a document, with those of aliases: enough for a list of some
/// thousand pods.
const MAX_VALUES: usize = 1_000_000;

/// The maximum number of parts of values that aliases repeat in a document.
const MAX_REPEATED: usize = 200_000;

/// The maximum depth of a document. Schemas in custom resource definitions have about 50.
const MAX_DEPTH: usize = 100;

/// The bytes of memory for each part that is kept for an anchor: a list that grows has up to three
/// places for it.
const PART: usize = 400;

/// Parses a document. Of duplicate keys, the last one counts.
///
/// # Errors
///
/// Returns an error if the document is not valid, or exceeds a limit.
pub(crate) fn read<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T, Error> {
    if kept_for_anchors(text) > MAX_MEMORY {
        let limit = MAX_MEMORY >> 20;
        let message = format!("its anchors would take more than {limit} MiB of memory");
        return Err(Error::custom(message));
    }
    let budget = serde_saphyr::budget! {
        max_nodes: MAX_VALUES,
        max_events: 2 * MAX_VALUES,
        max_depth: MAX_DEPTH,
    };
    let alias_limits = serde_saphyr::alias_limits! { max_total_replayed_events: MAX_REPEATED };
    let options = serde_saphyr::options! {
        alias_limits: alias_limits,
        budget: budget,
        duplicate_keys: DuplicateKeyPolicy::LastWins,
        strict_booleans: true,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options)
}

/// Parses a document of UTF-8.
///
/// # Errors
///
/// Returns the errors of [`read`].
pub(crate) fn read_bytes<'t, T: Deserialize<'t>>(bytes: &'t [u8]) -> Result<T, Error> {
    read(std::str::from_utf8(bytes).map_err(|_| Error::custom("it is not UTF-8"))?)
}

/// Returns the most bytes of memory that the parts of nodes with anchors take: all parts after the
/// first anchor, and their text, once for each anchor that may be around them.
fn kept_for_anchors(text: &str) -> usize {
    let mut anchors = anchors(text);
    let Some(first) = anchors.next() else { return 0 };
    // Most documents have one node with an anchor in another at most, but that is not known before
    // they are parsed.
    let around = (anchors.count() + 1).min(MAX_DEPTH);
    let after = &text.as_bytes()[first..];
    let parts = after.iter().filter(|byte| b",:[]{}\n".contains(byte)).count();
    parts.saturating_mul(PART).saturating_add(after.len()).saturating_mul(around)
}

/// Returns the offsets of what may be an anchor: `&` at the start of a word, with a name after it.
fn anchors(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'&', bytes).filter(|at| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        let after = bytes.get(at + 1);
        before.is_none_or(|byte| byte.is_ascii_whitespace() || b"[{,".contains(byte))
            && after.is_some_and(|byte| !byte.is_ascii_whitespace() && *byte != b'&')
    })
}

#[cfg(test)]
mod tests {
    use serde::de::IgnoredAny;

    use super::*;

    #[test]
    fn parts_of_nodes_with_anchors_in_each_other_are_refused() {
        let open: String = (0..90).map(|level| format!("&a{level} [")).collect();
        let text = format!("{open}{}{}", "x,".repeat(50_000), "]".repeat(90));
        let error = read::<IgnoredAny>(&text).unwrap_err().to_string();
        assert!(error.contains("its anchors would take more than 512 MiB of memory"), "{error}");
    }

    #[test]
    fn anchors_beside_each_other_are_read() {
        let text: String = (0..2_000).map(|at| format!("k{at}: &a{at} {{x: y}}\n")).collect();
        assert!(read::<IgnoredAny>(&text).is_ok());
    }

    #[test]
    fn anchors_are_told_from_other_ampersands() {
        for (text, expected) in [
            ("a: &b c", 1),
            ("&a [&b {&c x: y},&d z]", 4),
            ("- &a\n  b: c", 1),
            ("run: cd /a && make & wait 2>&1; a &", 0),
            ("url: http://example.org/?a=1&b=2", 0),
        ] {
            assert_eq!(anchors(text).count(), expected, "{text}");
        }
    }
}
