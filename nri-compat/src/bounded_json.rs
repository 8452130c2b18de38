//! JSON documents from outside, with a limit on the memory that they take when they are decoded: an
//! element of a list may have two bytes in the document and hundreds in memory.

use serde::Deserialize;
use serde::de::Error as _;

/// The bytes of memory that a decoded document may take.
pub(crate) const MAX_MEMORY: usize = 512 << 20;

/// The bytes of memory for each value of a document that is decoded into
/// [`Value`](serde_json::Value)s: an entry of an object with its share of a node, or an element of
/// a list while the list grows.
pub(crate) const VALUE: usize = 160;

/// Decodes a document of which a value takes up to `each` bytes of memory, without its text.
///
/// # Errors
///
/// Returns an error if the document is not valid, or would take more than [`MAX_MEMORY`].
pub(crate) fn read<'d, T: Deserialize<'d>>(
    document: &'d [u8],
    each: usize,
) -> Result<T, serde_json::Error> {
    if is_large(document, each) {
        let limit = MAX_MEMORY >> 20;
        let message = format!("its values would take more than {limit} MiB of memory");
        return Err(serde_json::Error::custom(message));
    }
    serde_json::from_slice(document)
}

/// Values of a document have two bytes or more, so that most documents need not be searched.
fn is_large(document: &[u8], each: usize) -> bool {
    let memory = |values: usize| values.saturating_mul(each).saturating_add(document.len());
    memory(document.len()) > MAX_MEMORY && memory(values(document)) > MAX_MEMORY
}

/// Returns how many values a document has at most: each is the first one of a list or an object, or
/// comes after a comma.
fn values(document: &[u8]) -> usize {
    let (mut count, mut is_text, mut is_escaped) = (1, false, false);
    for byte in document {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'"' => is_text = !is_text,
            b'\\' => is_escaped = is_text,
            b',' | b'[' | b'{' if !is_text => count += 1,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn values_are_counted_outside_of_texts() {
        for (document, expected) in [
            ("1", 1),
            ("[1, 2, 3]", 4),
            (r#"{"a": {"b": [1]}, "c,[{": "\",[{"}"#, 5),
            ("[[],[],[]]", 7),
        ] {
            assert_eq!(values(document.as_bytes()), expected, "{document}");
        }
    }

    #[test]
    fn a_document_of_many_small_values_is_refused() {
        let many_values = format!("[{}0]", "0,".repeat(4 << 20));
        let error = read::<Value>(many_values.as_bytes(), VALUE).unwrap_err();
        assert_eq!(error.to_string(), "its values would take more than 512 MiB of memory");
        let long_text = format!("[\"{}\"]", ",".repeat(8 << 20));
        assert!(read::<Value>(long_text.as_bytes(), VALUE).is_ok());
    }
}
