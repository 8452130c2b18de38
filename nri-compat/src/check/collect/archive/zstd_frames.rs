//! Decompresses zstd frame by frame, and reserves the memory for the window of each frame before the
//! frame is decompressed.
//!
//! [RFC 8878, section 3.1](https://www.rfc-editor.org/rfc/rfc8878#section-3.1).

use std::io::{self, BufRead, Read};

use zstd::stream::raw::{DParameter, Decoder, Operation as _};

use crate::check::collect::budget::{Budget, Lent};
use crate::check::collect::scan::WINDOW_LOG;
use crate::check::content::Content;
use crate::skipped::{SkipKind, Unreadable};

/// The maximum number of skippable frames at the start that are passed over without reading them.
const MAX_SKIPPED_FRAMES: usize = 10_000;

/// The size of the magic number of a frame in bytes.
const MAGIC: usize = 4;

/// The size of the header of a skippable frame in bytes.
const SKIPPABLE_HEADER: usize = 8;

/// The decompressed bytes of all frames of a stream.
pub(super) struct Frames<'b, R> {
    input: R,
    /// The memory of all streams together; `None` if only the start is read.
    budget: Option<&'b Budget>,
    current: Option<Current<'b>>,
    /// The header of the frame, until it is decoded.
    header: Vec<u8>,
    is_within_frame: bool,
}

/// A decoder, and the memory for its window. The decoder is dropped first.
struct Current<'b> {
    decoder: Decoder<'static>,
    window: u64,
    _memory: Option<Lent<'b>>,
}

impl<'b, R: BufRead> Frames<'b, R> {
    pub(super) fn new(input: R, budget: Option<&'b Budget>) -> Self {
        Self {
            input,
            budget,
            current: None,
            header: Vec::new(),
            is_within_frame: false,
        }
    }

    /// Reads the header of the next frame with data, and prepares its decoder. Returns false at the
    /// end of the stream.
    fn start(&mut self) -> io::Result<bool> {
        loop {
            self.header.clear();
            self.read_header(MAGIC)?;
            if self.header.is_empty() {
                return Ok(false);
            }
            if !is_skippable(&self.header) {
                break;
            }
            self.read_header(SKIPPABLE_HEADER)?;
            let length = skippable(&self.header).ok_or(io::ErrorKind::UnexpectedEof)?;
            let rest = length - SKIPPABLE_HEADER as u64;
            if io::copy(&mut (&mut self.input).take(rest), &mut io::sink())? < rest {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        self.read_header(MAGIC + 1)?;
        self.read_header(header_length(&self.header)?)?;
        self.prepare(window(&self.header).ok_or(io::ErrorKind::UnexpectedEof)?)?;
        self.is_within_frame = true;
        Ok(true)
    }

    /// Reads until the header has this length, or the stream ends.
    fn read_header(&mut self, length: usize) -> io::Result<()> {
        let missing = length.saturating_sub(self.header.len()) as u64;
        let input = &mut self.input;
        input.take(missing).read_to_end(&mut self.header).map(drop)
    }

    /// Prepares a decoder for a frame with a window of this size. The memory of the previous one is
    /// returned first, so that two streams cannot wait for each other.
    fn prepare(&mut self, window: u64) -> io::Result<()> {
        if window > 1 << WINDOW_LOG {
            let reason = format!(
                "unpacking needs a window of {} MiB; the limit is {} MiB",
                window >> 20,
                1 << (WINDOW_LOG - 20)
            );
            return Err(io::Error::other(Unreadable::new(SkipKind::Limit, reason)));
        }
        if self
            .current
            .as_ref()
            .is_none_or(|known| known.window < window)
        {
            self.current = None;
            let memory = self.budget.map(|budget| budget.lend(window));
            let mut decoder = Decoder::new()?;
            decoder.set_parameter(DParameter::WindowLogMax(WINDOW_LOG))?;
            self.current = Some(Current {
                decoder,
                window,
                _memory: memory,
            });
        }
        Ok(())
    }

    /// Decompresses bytes of the current frame.
    fn step(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(current) = &mut self.current else {
            return Ok(0);
        };
        let is_header = !self.header.is_empty();
        let input = if is_header {
            self.header.as_slice()
        } else {
            self.input.fill_buf()?
        };
        let is_end = input.is_empty();
        let status = current.decoder.run_on_buffers(input, buffer)?;
        self.is_within_frame = status.remaining > 0;
        if is_header {
            self.header.drain(..status.bytes_read);
        } else {
            self.input.consume(status.bytes_read);
        }
        if is_end && status.bytes_written == 0 && self.is_within_frame {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(status.bytes_written)
    }
}

impl<R: BufRead> Read for Frames<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while self.is_within_frame || self.start()? {
            let read = self.step(buffer)?;
            if read > 0 {
                return Ok(read);
            }
        }
        Ok(0)
    }
}

/// Returns the offset of the first frame that is not skippable, so that what precedes it is not read.
pub(super) fn first(content: &dyn Content) -> io::Result<u64> {
    let mut start = 0;
    for _ in 0..MAX_SKIPPED_FRAMES {
        let mut buffer = [0; SKIPPABLE_HEADER];
        let read = content.read_at(start, &mut buffer)?;
        match skippable(buffer.get(..read).unwrap_or_default()) {
            Some(length) => start += length,
            None => break,
        }
    }
    Ok(start)
}

fn is_skippable(head: &[u8]) -> bool {
    matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// Returns the length of a skippable frame with its header.
fn skippable(head: &[u8]) -> Option<u64> {
    let length = head.get(MAGIC..SKIPPABLE_HEADER)?;
    is_skippable(head).then(|| SKIPPABLE_HEADER as u64 + little(length))
}

/// The positions of the parts of a header.
struct Layout {
    is_single_segment: bool,
    /// The offset of the size of the content, and its length in bytes.
    size: (usize, usize),
}

/// Returns the layout of a header with this descriptor.
fn layout(descriptor: u8) -> Layout {
    let is_single_segment = descriptor & 0x20 != 0;
    let dictionary = match descriptor & 3 {
        3 => 4,
        bytes => usize::from(bytes),
    };
    let size_bytes = match descriptor >> 6 {
        0 => usize::from(is_single_segment),
        flag => 1 << flag,
    };
    let start = MAGIC + 1 + usize::from(!is_single_segment) + dictionary;
    Layout {
        is_single_segment,
        size: (start, size_bytes),
    }
}

/// Returns the length of the header that starts with these bytes.
fn header_length(head: &[u8]) -> io::Result<usize> {
    let known = head.strip_prefix(&[0x28, 0xb5, 0x2f, 0xfd]);
    let unknown = || io::Error::new(io::ErrorKind::InvalidData, "unknown frame descriptor");
    match known.ok_or_else(unknown)?.first() {
        Some(descriptor) => {
            let (start, length) = layout(*descriptor).size;
            Ok(start + length)
        }
        None => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Returns the size of the window of the frame with this header in bytes; `None` if it is incomplete.
fn window(header: &[u8]) -> Option<u64> {
    let layout = layout(*header.get(MAGIC)?);
    let (start, length) = layout.size;
    let size = little(header.get(start..start + length)?);
    if layout.is_single_segment {
        // The window is the content.
        return Some(size.saturating_add(if length == 2 { 256 } else { 0 }));
    }
    let window = *header.get(MAGIC + 1)?;
    let base = 1_u64 << (10 + u32::from(window >> 3));
    Some(base + base / 8 * u64::from(window & 7))
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

    fn text() -> Vec<u8> {
        let words = (0_u32..1 << 18).map(|at| at.wrapping_mul(at));
        words.flat_map(u32::to_le_bytes).collect()
    }

    fn with_window(log: u32) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
        encoder.window_log(log).unwrap();
        encoder.include_checksum(log.is_multiple_of(2)).unwrap();
        io::Write::write_all(&mut encoder, &text()).unwrap();
        encoder.finish().unwrap()
    }

    fn skippable_frame(length: u32) -> Vec<u8> {
        let mut frame = vec![0x5a, 0x2a, 0x4d, 0x18];
        frame.extend(length.to_le_bytes());
        frame.extend(vec![7; length as usize]);
        frame
    }

    /// Decompresses a stream with input and output buffers of this size.
    fn unpacked(stream: &[u8], size: usize) -> io::Result<Vec<u8>> {
        let budget = Budget::new(1 << WINDOW_LOG);
        let input = io::BufReader::with_capacity(size, stream);
        let mut frames = Frames::new(input, Some(&budget));
        let (mut all, mut piece) = (Vec::new(), vec![0; size]);
        loop {
            match frames.read(&mut piece)? {
                0 => return Ok(all),
                read => all.extend(&piece[..read]),
            }
        }
    }

    #[test]
    fn all_frames_are_decompressed_whatever_the_size_of_the_buffers() {
        let stream = [
            skippable_frame(0),
            with_window(20),
            skippable_frame(70_000),
            with_window(23),
            zstd::encode_all(&b""[..], 3).unwrap(),
            zstd::bulk::compress(b"abc", 3).unwrap(),
            with_window(21),
            skippable_frame(9),
        ];
        let expected = [&text(), &text(), &b"abc"[..], &text()].concat();
        for size in [1 << 20, 64 << 10, 1021, 7] {
            assert!(
                unpacked(&stream.concat(), size).unwrap() == expected,
                "{size}"
            );
        }
        assert_eq!(unpacked(b"", 100).unwrap(), b"");
    }

    #[test]
    fn streams_that_end_early_are_errors() {
        let whole = [with_window(20), skippable_frame(30), with_window(21)].concat();
        let second = whole.len() - with_window(21).len();
        for end in (1..20).chain([
            second - 38 - 1,
            second - 20,
            second + 3,
            second + 9,
            whole.len() - 1,
        ]) {
            assert!(unpacked(&whole[..end], 1000).is_err(), "{end}");
        }
        for after in [&b"x"[..], b"other", &[0; 30]] {
            assert!(unpacked(&[&whole, after].concat(), 1000).is_err());
        }
    }

    #[test]
    fn windows_are_what_zstd_says() {
        let single = zstd::bulk::compress(&vec![0; 1000], 3).unwrap();
        assert_eq!(window(&single), Some(1000));
        assert_eq!(window(&with_window(24)), Some(1 << 24));
        assert_eq!(window(b"\x28\xb5\x2f\xfd"), None);
    }

    #[test]
    fn the_memory_of_each_frame_is_reserved() {
        let budget = Budget::new(1 << WINDOW_LOG);
        let stream = [
            with_window(20),
            with_window(24),
            with_window(22),
            with_window(25),
        ]
        .concat();
        let mut frames = Frames::new(stream.as_slice(), Some(&budget));
        let mut used = Vec::new();
        let mut piece = vec![0; 1 << 20];
        while frames.read(&mut piece).unwrap() > 0 {
            used.push((1 << WINDOW_LOG) - budget.free());
        }
        used.dedup();
        assert_eq!(used, [1 << 20, 1 << 24, 1 << 25]);
        drop(frames);
        assert_eq!(budget.free(), 1 << WINDOW_LOG);
        let refused = unpacked(&with_window(26), 1000).unwrap_err();
        assert!(
            refused
                .to_string()
                .contains("a window of 64 MiB; the limit is 32 MiB")
        );
    }

    #[test]
    fn skippable_frames_at_the_start_are_passed_over() {
        let data = zstd::encode_all(&b"abc"[..], 3).unwrap();
        let stream = [skippable_frame(0), skippable_frame(300_000), data].concat();
        assert_eq!(first(&stream.as_slice()).unwrap(), 8 + 8 + 300_000);
        assert_eq!(first(&skippable_frame(3).as_slice()).unwrap(), 11);
        assert_eq!(first(&b"\x50\x2a\x4d\x18".as_slice()).unwrap(), 0);
    }
}
