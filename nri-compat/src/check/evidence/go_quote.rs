//! Escapes in the string literals of Go and of its module files.

/// Replaces escapes by their values.
pub(super) fn unescaped(text: &str) -> String {
    let mut value = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'\\' {
            value.push(*first);
            continue;
        }
        let Some((kind, after)) = after.split_first() else {
            return String::new();
        };
        let (digits, radix) = match kind {
            b'x' => (2, 16),
            b'u' => (4, 16),
            b'U' => (8, 16),
            b'0'..=b'7' => (2, 8),
            _ => return String::new(),
        };
        let (code, after) = match after.split_at_checked(digits) {
            Some(split) => split,
            None => return String::new(),
        };
        let code = std::str::from_utf8(code).unwrap_or_default();
        let octal = format!("{}{code}", char::from(*kind));
        let code = if radix == 8 { octal.as_str() } else { code };
        let Ok(code) = u32::from_str_radix(code, radix) else {
            return String::new();
        };
        match (kind, u8::try_from(code), char::from_u32(code)) {
            (b'u' | b'U', _, Some(letter)) => value.extend(letter.to_string().bytes()),
            (_, Ok(byte), _) => value.push(byte),
            _ => return String::new(),
        }
        rest = after;
    }
    String::from_utf8(value).unwrap_or_default()
}
