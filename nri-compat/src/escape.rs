//! Escapes texts from outside so that they are safe to print.

use std::fmt::Write as _;
use std::path::Path;

/// Returns the text with every control and invisible format character spelled out (`\n`, `\u{1b}`).
///
/// These start escape sequences of a terminal, break lines, or change the direction of the
/// following text.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if acts(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Returns true if the character has an effect instead of a visible form: control characters, line
/// and paragraph separators, bidirectional formatting characters, zero-width joiners and spaces,
/// and noncharacters. None is above U+FFFF.
pub(crate) fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Returns the path as text. Bytes that are not UTF-8 become `\xNN` and control characters `\u{N}`,
/// so that a hostile name can neither break a line nor control a terminal.
pub(crate) fn path(path: &Path) -> String {
    bytes(path.as_os_str().as_encoded_bytes())
}

/// Returns a name given as bytes, escaped in the same way.
pub(crate) fn bytes(name: &[u8]) -> String {
    // Fast path for nearly all names, of which a scan of a machine has hundreds of thousands.
    // Without an early end, the compiler compares many bytes at a time.
    let is_plain = name.iter().fold(true, |all, byte| all & is_plain(byte));
    if let (true, Ok(plain)) = (is_plain, str::from_utf8(name)) {
        return plain.to_owned();
    }
    let mut shown = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            if acts(c) {
                shown.extend(c.escape_unicode());
            } else {
                shown.push(c);
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown
}

/// Returns a text from outside as one line of at most 200 characters, escaped in the same way.
pub(crate) fn short(text: &str) -> String {
    const MAX: usize = 200;
    let short: String = text.trim().chars().take(MAX).collect();
    bytes(short.replace(['\r', '\n', '\t'], " ").as_bytes())
}

/// Returns true if a byte is a printable ASCII character.
fn is_plain(byte: &u8) -> bool {
    matches!(byte, b' '..=b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_kept_and_the_rest_is_escaped() {
        for (text, shown) in [
            ("a\u{1b}[31mb\n\tc\r", "a\\u{1b}[31mb\\n\\tc\\r"),
            ("\u{9b}31m \u{202e}t\u{2066}", "\\u{9b}31m \\u{202e}t\\u{2066}"),
            ("größe 容器 \"q\" 'a' \\ |", "größe 容器 \"q\" 'a' \\ |"),
        ] {
            assert_eq!(visible(text), shown);
        }
        assert_eq!(bytes("/opt/é/10-x".as_bytes()), "/opt/é/10-x");
        assert_eq!(bytes(b"/a\xff\n\x1b[31m"), "/a\\xff\\u{a}\\u{1b}[31m");
    }
}
