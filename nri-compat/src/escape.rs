//! Escapes names from outside so that they are safe to print.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Returns the path as text. Bytes that are not UTF-8 become `\xNN` and control characters `\u{N}`,
/// so that a hostile name can neither break a line nor control a terminal.
pub(crate) fn path(path: &Path) -> String {
    bytes(path.as_os_str().as_bytes())
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
        for char in chunk.valid().chars() {
            push(&mut shown, char);
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

fn push(shown: &mut String, char: char) {
    if char.is_control() || is_bidi(char) {
        let _ = write!(shown, "\\u{{{:x}}}", u32::from(char));
    } else {
        shown.push(char);
    }
}

/// Returns true if a character changes the direction of the text around it.
fn is_bidi(char: char) -> bool {
    matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_text_and_escapes_the_rest() {
        assert_eq!(bytes("/opt/é/10-x".as_bytes()), "/opt/é/10-x");
        assert_eq!(bytes(b"/a\xff\n\x1b[31m"), "/a\\xff\\u{a}\\u{1b}[31m");
        assert_eq!(bytes("a\u{202e}b".as_bytes()), "a\\u{202e}b");
    }
}
