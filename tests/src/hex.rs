//! Bytes as hexadecimal digits, the form in which messages are exchanged with peers.

use std::fmt::Write as _;

/// Returns two lower-case digits per byte.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string cannot fail");
        text
    })
}

/// Returns the bytes that these digits represent.
///
/// # Panics
///
/// Panics if the text does not consist of an even number of digits.
#[must_use]
pub fn decode(text: &str) -> Vec<u8> {
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| {
            let pair = std::str::from_utf8(pair).expect("digits are ASCII");
            u8::from_str_radix(pair, 16).expect("digits are hexadecimal")
        })
        .collect()
}
