//! The frames of a zstd stream: the offset of the first one with data, and the memory that it
//! requires.
//!
//! [RFC 8878, section 3.1](https://www.rfc-editor.org/rfc/rfc8878#section-3.1).

use std::io;

use crate::check::content::Content;

/// The maximum number of skippable frames at the start.
const MAX_SKIPPED_FRAMES: usize = 10_000;

/// The maximum size of a frame header in bytes.
const MAX_HEADER: usize = 18;

/// The first frame with data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// The offset of the frame.
    pub(super) start: u64,
    /// The size of its window in bytes.
    pub(super) window: u64,
}

/// Returns the first frame with data; `None` if there is none, or its header is cut short.
pub(super) fn first(content: &dyn Content) -> io::Result<Option<Frame>> {
    let mut start = 0;
    for _ in 0..MAX_SKIPPED_FRAMES {
        let mut buffer = [0; MAX_HEADER];
        let read = content.read_at(start, &mut buffer)?;
        let (head, _) = buffer.split_at(read);
        match head {
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d, ..] => {
                start += 8 + u64::from(u32::from_le_bytes([*a, *b, *c, *d]));
            }
            _ => return Ok(window(head).map(|window| Frame { start, window })),
        }
    }
    Ok(None)
}

/// Returns the size of the window of the frame that starts here; `None` if its header is
/// incomplete.
fn window(head: &[u8]) -> Option<u64> {
    let descriptor = *head.get(4)?;
    if descriptor & 0x20 == 0 {
        let window = *head.get(5)?;
        let base = 1_u64 << (10 + u32::from(window >> 3));
        return Some(base + base / 8 * u64::from(window & 7));
    }
    // A single segment: the window is the content, whose size follows the dictionary id.
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
    use super::*;

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

    #[test]
    fn skippable_frames_are_passed_over() {
        let data = zstd::encode_all(&b"abc"[..], 3).unwrap();
        let skippable = |length: u32| {
            let mut frame = vec![0x5a, 0x2a, 0x4d, 0x18];
            frame.extend(length.to_le_bytes());
            frame.extend(vec![7; length as usize]);
            frame
        };
        let stream = [skippable(0), skippable(300_000), data].concat();
        let frame = first(&stream.as_slice()).unwrap().unwrap();
        assert_eq!(frame.start, 8 + 8 + 300_000);
        assert_eq!(first(&skippable(3).as_slice()).unwrap(), None);
        assert_eq!(first(&b"\x50\x2a\x4d\x18".as_slice()).unwrap(), None);
    }
}
