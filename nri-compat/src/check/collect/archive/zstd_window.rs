//! How much memory a zstd stream asks for, from its first frame's header.
//!
//! [RFC 8878, section 3.1.1.1](https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1.1).

/// Bytes of the window of the frame that starts here; `None` if its header is not all there.
pub(super) fn window(head: &[u8]) -> Option<u64> {
    let descriptor = *head.get(4)?;
    if descriptor & 0x20 == 0 {
        let window = *head.get(5)?;
        let base = 1_u64 << (10 + u32::from(window >> 3));
        return Some(base + base / 8 * u64::from(window & 7));
    }
    // A single segment: the window is the content, whose size follows the dictionary's id.
    let dictionary = [0, 1, 2, 4].get(usize::from(descriptor & 3))?;
    let start = 5 + dictionary;
    let size = match descriptor >> 6 {
        0 => u64::from(*head.get(start)?),
        1 => little(head.get(start..start + 2)?) + 256,
        2 => little(head.get(start..start + 4)?),
        _ => little(head.get(start..start + 8)?),
    };
    Some(size)
}

fn little(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |value, byte| value << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::window;

    #[test]
    fn windows_are_what_zstd_says() {
        let small = zstd::encode_all(&b"abc"[..], 3).unwrap();
        assert!(window(&small).unwrap() <= 1 << 21);
        let mut large = zstd::Encoder::new(Vec::new(), 3).unwrap();
        large.window_log(24).unwrap();
        std::io::Write::write_all(&mut large, &vec![7; 1 << 20]).unwrap();
        assert_eq!(window(&large.finish().unwrap()), Some(1 << 24));
        assert_eq!(window(b"\x28\xb5\x2f\xfd"), None);
    }
}
