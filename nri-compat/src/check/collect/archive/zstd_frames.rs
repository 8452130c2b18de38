//! The frames of a zstd stream: the offset of the first one with data, and the memory that the
//! largest one requires.
//!
//! [RFC 8878, section 3.1](https://www.rfc-editor.org/rfc/rfc8878#section-3.1).

use std::io;

use crate::check::content::Content;

/// The maximum number of skippable frames at the start.
const MAX_SKIPPED_FRAMES: usize = 10_000;

/// The maximum number of frames and blocks that are visited for the largest window. A layer of 10 GB
/// has fewer than half of that.
const MAX_VISITED: usize = 1 << 20;

/// The maximum size of a frame header in bytes.
const MAX_HEADER: usize = 18;

/// The size of the header of a block in bytes.
const BLOCK_HEADER: usize = 3;

/// The size of the checksum after the last block in bytes.
const CHECKSUM: u64 = 4;

/// The header of a frame with data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    /// The number of bytes until the first block.
    length: u64,
    /// The size of the window in bytes.
    window: u64,
    /// True if a checksum follows the last block.
    checksum: bool,
}

/// Returns the offset of the first frame with data; `None` if there is none, or its header is cut
/// short.
pub(super) fn first(content: &dyn Content) -> io::Result<Option<u64>> {
    let mut start = 0;
    for _ in 0..MAX_SKIPPED_FRAMES {
        let mut buffer = [0; MAX_HEADER];
        let head = read(content, start, &mut buffer)?;
        match skippable(head) {
            Some(length) => start += length,
            None => return Ok(header(head).map(|_| start)),
        }
    }
    Ok(None)
}

/// Returns the size of the window of the first frame with data; `None` if there is none.
pub(super) fn first_window(content: &dyn Content) -> io::Result<Option<u64>> {
    let Some(start) = first(content)? else {
        return Ok(None);
    };
    let mut buffer = [0; MAX_HEADER];
    let head = read(content, start, &mut buffer)?;
    Ok(header(head).map(|header| header.window))
}

/// Returns the size of the largest window of all frames; `None` if there is no frame with data. If
/// there are too many frames and blocks to visit, or a header is damaged, the rest of the stream is
/// assumed to need `limit`.
pub(super) fn largest_window(content: &dyn Content, limit: u64) -> io::Result<Option<u64>> {
    let Some(mut at) = first(content)? else {
        return Ok(None);
    };
    let (mut largest, mut left) = (0, MAX_VISITED);
    while at < content.len() {
        let mut buffer = [0; MAX_HEADER];
        let head = read(content, at, &mut buffer)?;
        if let Some(length) = skippable(head) {
            at = at.saturating_add(length);
        } else if let Some(header) = header(head) {
            largest = largest.max(header.window);
            at = blocks(content, at.saturating_add(header.length), &mut left)?;
            at = at.saturating_add(if header.checksum { CHECKSUM } else { 0 });
        } else {
            return Ok(Some(largest.max(limit)));
        }
        left = left.saturating_sub(1);
        if left == 0 {
            return Ok(Some(largest.max(limit)));
        }
    }
    Ok(Some(largest))
}

/// Returns the offset after the last block of a frame, or the end of the content if it is cut short.
fn blocks(content: &dyn Content, start: u64, left: &mut usize) -> io::Result<u64> {
    let mut at = start;
    while *left > 0 {
        *left -= 1;
        let mut buffer = [0; BLOCK_HEADER];
        if read(content, at, &mut buffer)?.len() < BLOCK_HEADER {
            return Ok(content.len());
        }
        let block = little(&buffer);
        // A block of kind 1 repeats a single byte.
        let size = if block >> 1 & 3 == 1 { 1 } else { block >> 3 };
        at = at.saturating_add(BLOCK_HEADER as u64).saturating_add(size);
        if block & 1 == 1 {
            break;
        }
    }
    Ok(at)
}

/// Returns the bytes at this offset, as many as there are up to the size of the buffer.
fn read<'b>(content: &dyn Content, at: u64, buffer: &'b mut [u8]) -> io::Result<&'b [u8]> {
    let read = content.read_at(at, buffer)?;
    Ok(buffer.get(..read).unwrap_or(buffer))
}

/// Returns the length of a skippable frame with its header.
fn skippable(head: &[u8]) -> Option<u64> {
    match head {
        [0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d, ..] => {
            Some(8 + u64::from(u32::from_le_bytes([*a, *b, *c, *d])))
        }
        _ => None,
    }
}

/// Returns the header of a frame with data; `None` if it is incomplete, or another format.
fn header(head: &[u8]) -> Option<Header> {
    let descriptor = *head.strip_prefix(&[0x28, 0xb5, 0x2f, 0xfd])?.first()?;
    let single_segment = descriptor & 0x20 != 0;
    let dictionary = [0, 1, 2, 4].get(usize::from(descriptor & 3))?;
    let start = 5 + usize::from(!single_segment) + dictionary;
    let size_bytes = match descriptor >> 6 {
        0 => usize::from(single_segment),
        flag => 1 << flag,
    };
    let size = little(head.get(start..start + size_bytes)?);
    let window = if single_segment {
        // The window is the content.
        size.saturating_add(if size_bytes == 2 { 256 } else { 0 })
    } else {
        let window = *head.get(5)?;
        let base = 1_u64 << (10 + u32::from(window >> 3));
        base + base / 8 * u64::from(window & 7)
    };
    Some(Header {
        length: (start + size_bytes) as u64,
        window,
        checksum: descriptor & 4 != 0,
    })
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

    fn with_window(log: u32) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
        encoder.window_log(log).unwrap();
        encoder.include_checksum(log.is_multiple_of(2)).unwrap();
        let text: Vec<u8> = (0_u32..1 << 18)
            .flat_map(|at| at.wrapping_mul(at).to_le_bytes())
            .collect();
        std::io::Write::write_all(&mut encoder, &text).unwrap();
        encoder.finish().unwrap()
    }

    fn skippable_frame(length: u32) -> Vec<u8> {
        let mut frame = vec![0x5a, 0x2a, 0x4d, 0x18];
        frame.extend(length.to_le_bytes());
        frame.extend(vec![7; length as usize]);
        frame
    }

    const LIMIT: u64 = 1 << 40;

    fn window(stream: &[u8]) -> Option<u64> {
        largest_window(&stream, LIMIT).unwrap()
    }

    #[test]
    fn windows_are_what_zstd_says() {
        let small = zstd::encode_all(&b"abc"[..], 3).unwrap();
        assert!(window(&small).unwrap() <= 1 << 21);
        assert_eq!(window(&with_window(24)), Some(1 << 24));
        assert_eq!(window(b"\x28\xb5\x2f\xfd"), None);
    }

    #[test]
    fn the_largest_window_may_be_that_of_a_later_frame() {
        let frames = [
            with_window(20),
            skippable_frame(5),
            with_window(23),
            with_window(21),
        ];
        assert_eq!(window(&frames.concat()), Some(1 << 23));
        assert_eq!(
            zstd::decode_all(frames.concat().as_slice()).unwrap().len(),
            3 << 20
        );
    }

    #[test]
    fn damaged_frames_are_assumed_to_need_the_limit() {
        assert_eq!(
            window(&[with_window(20), b"other".to_vec()].concat()),
            Some(LIMIT)
        );
        let whole = with_window(20);
        assert_eq!(window(&whole[..whole.len() / 2]), Some(1 << 20));
    }

    #[test]
    fn skippable_frames_are_passed_over() {
        let data = zstd::encode_all(&b"abc"[..], 3).unwrap();
        let stream = [skippable_frame(0), skippable_frame(300_000), data].concat();
        assert_eq!(first(&stream.as_slice()).unwrap(), Some(8 + 8 + 300_000));
        assert_eq!(first(&skippable_frame(3).as_slice()).unwrap(), None);
        assert_eq!(first(&b"\x50\x2a\x4d\x18".as_slice()).unwrap(), None);
    }
}
