//! Text to fill messages with, the same as in `peers/internal/pad`.

/// The annotation with which messages are padded.
pub const KEY: &str = "peer/pad";

/// Returns text without short periods, so that a shifted, lost or repeated piece can be detected.
#[must_use]
pub fn text(bytes: usize) -> String {
    let mut x = 1_u32;
    let next = || {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + (x >> 24) as u8 % 26)
    };
    std::iter::repeat_with(next).take(bytes).collect()
}

/// Returns true if it is the text of its length.
#[must_use]
pub fn intact(given: &str) -> bool {
    given == text(given.len())
}
