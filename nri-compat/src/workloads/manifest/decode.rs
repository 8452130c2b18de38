//! The encoding of a manifest.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Returns the text of a manifest, without a byte order mark. Windows shells write UTF-16. Invalid
/// bytes are replaced.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let (text, _, _) = encoding(bytes).decode(bytes);
    text
}

/// Returns the encoding that the first bytes suggest. In `decode`, a byte order mark takes precedence.
fn encoding(bytes: &[u8]) -> &'static Encoding {
    match bytes {
        [0, first, 0, second, ..] if *first != 0 && *second != 0 => UTF_16BE,
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => UTF_16LE,
        _ => UTF_8,
    }
}
