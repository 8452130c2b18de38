//! Base64 for `bytes`. No NRI field has that type so far, so a dependency would not be worthwhile.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes with the standard alphabet and padding.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk
            .iter()
            .fold(0, |group, byte| group << 8 | u32::from(*byte));
        let group = group << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let sextet = group >> (18 - 6 * at) & 0x3f;
            let letter = ALPHABET.get(sextet as usize).filter(|_| at <= chunk.len());
            text.push(letter.map_or('=', |letter| char::from(*letter)));
        }
    }
    text
}

/// Decodes the standard or the URL-safe alphabet, with or without padding. Returns `None` if the
/// text is neither.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let letters = text.trim_end_matches('=');
    let padding = text.len() - letters.len();
    if padding > 0 && (padding > 2 || !text.len().is_multiple_of(4)) || letters.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(letters.len() * 3 / 4);
    for chunk in letters.as_bytes().chunks(4) {
        let mut group = 0;
        for letter in chunk {
            group = group << 6 | u32::from(sextet(*letter)?);
        }
        group <<= 6 * (4 - chunk.len());
        let whole = group.to_be_bytes();
        bytes.extend(whole.get(1..chunk.len())?);
    }
    Some(bytes)
}

fn sextet(letter: u8) -> Option<u8> {
    match letter {
        b'-' => Some(62),
        b'_' => Some(63),
        _ => ALPHABET
            .iter()
            .position(|known| *known == letter)
            .and_then(|at| u8::try_from(at).ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the test vectors of RFC 4648, section 10.
    #[test]
    fn encodes_and_decodes_the_vectors_of_the_standard() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
            assert_eq!(
                decode(text.trim_end_matches('=')).as_deref(),
                Some(bytes.as_bytes())
            );
        }
    }

    #[test]
    fn takes_both_alphabets_and_refuses_everything_else() {
        assert_eq!(encode(&[0xfb, 0xff]), "+/8=");
        assert_eq!(decode("-_8").as_deref(), Some([0xfb, 0xff].as_slice()));
        for wrong in ["A", "A===", "Zg=", "Z g=", "Zg==Zg==", "=", "Zm9v====", "ä"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
