//! Text files, within limits.

use super::Unreadable;
use crate::check::content::Content;
use crate::skipped::SkipKind;

/// Returns the whole text of at most `largest` bytes; bytes that are not UTF-8 are replaced.
pub(super) fn whole(content: &dyn Content, largest: u64) -> Result<String, Unreadable> {
    Ok(match String::from_utf8(bytes(content, largest)?) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// Returns all bytes of a content, at most `largest`.
pub(in crate::check) fn bytes(content: &dyn Content, largest: u64) -> Result<Vec<u8>, Unreadable> {
    let too_large = || {
        let reason = format!("larger than {} MiB", largest >> 20);
        Unreadable::new(SkipKind::TooLarge, reason)
    };
    let len = usize::try_from(content.len()).ok().filter(|len| *len as u64 <= largest);
    let mut bytes = vec![0; len.ok_or_else(too_large)?];
    let read = content.read_at(0, &mut bytes)?;
    bytes.truncate(read);
    Ok(bytes)
}

/// Returns the text in the first bytes of a file; `None` if they are not text.
pub(in crate::check) fn head(head: &[u8]) -> Option<&str> {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // The head may end within a character.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(head.get(..error.valid_up_to())?).ok()?
        }
        Err(_) => return None,
    };
    (!text.contains('\0')).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_is_said() {
        let text = vec![b'x'; (1 << 20) + 1];
        let error = whole(&text.as_slice(), 1 << 20).unwrap_err();
        assert_eq!(error.reason, "larger than 1 MiB");
    }

    #[test]
    fn a_head_may_end_within_a_character() {
        assert_eq!(head("ab\u{e9}".as_bytes().get(..3).unwrap()), Some("ab"));
        assert_eq!(head(b"a\xffb"), None);
        assert_eq!(head(b"a\0b"), None);
    }
}
