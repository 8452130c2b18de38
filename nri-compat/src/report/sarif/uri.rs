//! A path as a URI reference.

/// Returns a path as a URI: an absolute path becomes a `file:` URI, any other stays relative. All
/// special characters are percent-encoded. <https://www.rfc-editor.org/rfc/rfc3986#section-2>
pub(super) fn reference(path: &str) -> String {
    let encoded: String = path.bytes().map(encoded).collect();
    match (path.starts_with('/'), path.is_empty()) {
        (true, _) => format!("file://{encoded}"),
        (false, true) => ".".to_owned(),
        (false, false) => encoded,
    }
}

fn encoded(byte: u8) -> String {
    match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    }
}

#[cfg(test)]
mod tests {
    use super::reference;

    #[test]
    fn paths_are_distinguished_from_schemes() {
        assert_eq!(reference("/opt/a b"), "file:///opt/a%20b");
        assert_eq!(reference("go.mod"), "go.mod");
        assert_eq!(reference("javascript:x"), "javascript%3Ax");
        assert_eq!(reference("ä%"), "%C3%A4%25");
    }
}
