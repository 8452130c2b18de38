//! Logs as streams of UTF-8 lines: decompressed, decoded, and with each entry on one line.

use std::io::{self, BufReader, Cursor, Read};

use bzip2::read::MultiBzDecoder;
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use encoding_rs_io::DecodeReaderBytesBuilder;
use flate2::bufread::MultiGzDecoder;
use liblzma::read::XzDecoder;
use liblzma::stream::{CONCATENATED, Stream};

use super::LONGEST_LINE;
use super::pieces::{self, Form, Joined};
use super::pretty::{self, OneLine};
use crate::check::packing::Packing;

/// The maximum window of a zstd stream, as a power of two: 64 MiB.
const MAX_WINDOW_LOG: u32 = 26;

/// The maximum memory for an xz stream: `xz -9` needs 65 MiB.
const MAX_XZ_MEMORY: u64 = 72 << 20;

/// The maximum decompressed size of a log in bytes.
const MAX_UNPACKED: u64 = 64 << 30;

/// The number of first bytes that identify the compression of a stream.
const MAGIC: usize = 10;

/// The number of first bytes that identify the encoding of a stream, and whether its entries are
/// spread over lines.
const HEAD: usize = 1024;

/// The number of first bytes that show that a file is not text: a tar header ends there.
const TEXT_HEAD: usize = 512;

/// The maximum number of control characters in these bytes of a text.
const MAX_CONTROLS: u32 = 3;

/// Returns the lines in `input`, decompressed if necessary, as UTF-8.
///
/// # Errors
///
/// Returns an error if `input` cannot be read.
pub(super) fn lines<'r>(input: impl Read + 'r) -> io::Result<Box<dyn Read + 'r>> {
    let (head, text) = peek(unpacked(input)?, HEAD)?;
    if head.starts_with(b"LPKSHHRH") {
        return Err(io::Error::other(
            "it is a journal in systemd's own format: use `journalctl --file` to read it",
        ));
    }
    if let Some(encoding) = utf_16(&head) {
        let decoded = DecodeReaderBytesBuilder::new()
            .encoding(Some(encoding))
            .build(text);
        let (head, text) = peek(Box::new(decoded), HEAD)?;
        return Ok(on_one_line(&head, text));
    }
    Ok(on_one_line(&head, text))
}

/// Puts entries on one line each, if the head shows that they are spread over several.
fn on_one_line<'r>(head: &[u8], text: Box<dyn Read + 'r>) -> Box<dyn Read + 'r> {
    let head = String::from_utf8_lossy(head);
    if pretty::is_spread(&head) {
        Box::new(OneLine::new(text))
    } else if pieces::is_in_cri_entries(&head) {
        Box::new(Joined::new(text, Form::Entries, LONGEST_LINE))
    } else {
        text
    }
}

/// Returns the first bytes of a stream, and the stream from its beginning.
fn peek<'r>(
    mut input: Box<dyn Read + 'r>,
    bytes: usize,
) -> io::Result<(Vec<u8>, Box<dyn Read + 'r>)> {
    let mut head = Vec::new();
    input.by_ref().take(bytes as u64).read_to_end(&mut head)?;
    let all = Cursor::new(head.clone()).chain(input);
    Ok((head, Box::new(all)))
}

/// Returns the encoding of UTF-16 text, from its byte order mark or else from the zeros in ASCII
/// characters.
pub(super) fn utf_16(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        // Other bytes may look like a byte order mark: a log has ASCII characters as well.
        [0xff, 0xfe, rest @ ..] if has_zero_at(rest, 1) => Some(UTF_16LE),
        [0xfe, 0xff, rest @ ..] if has_zero_at(rest, 0) => Some(UTF_16BE),
        [a, 0, b, 0, c, 0, d, 0, ..] if [a, b, c, d].into_iter().all(|byte| *byte != 0) => {
            Some(UTF_16LE)
        }
        [0, a, 0, b, 0, c, 0, d, ..] if [a, b, c, d].into_iter().all(|byte| *byte != 0) => {
            Some(UTF_16BE)
        }
        _ => None,
    }
}

/// Returns true if the byte at `place`, 0 or 1, of any pair of bytes is zero.
fn has_zero_at(bytes: &[u8], place: usize) -> bool {
    let mut pairs = bytes.chunks_exact(2);
    pairs.any(|pair| pair.get(place) == Some(&0))
}

/// Returns true if bytes are not the beginning of a text: they contain zeros, except at the very
/// beginning, where a crash may leave them in a log, or other control characters that logs do not
/// contain.
pub(super) fn is_binary(head: &[u8]) -> bool {
    let text = head.iter().skip_while(|byte| **byte == 0);
    let (mut zeros, mut controls) = (0, 0);
    for byte in text.take(TEXT_HEAD) {
        zeros += u32::from(*byte == 0);
        controls += u32::from(matches!(byte, 1..=6 | 14..=26));
    }
    zeros > 0 || controls > MAX_CONTROLS
}

/// A reader that notes whether its first bytes are those of a text.
pub(super) struct Noted<'r> {
    input: &'r mut dyn Read,
    head: Vec<u8>,
}

impl<'r> Noted<'r> {
    pub(super) fn new(input: &'r mut dyn Read) -> Self {
        let head = Vec::new();
        Self { input, head }
    }

    /// Returns true if what was read so far is not a text.
    pub(super) fn is_binary(&self) -> bool {
        is_binary(&self.head)
    }
}

impl Read for Noted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        let missing = HEAD.saturating_sub(self.head.len()).min(read);
        self.head.extend(buffer.iter().take(missing));
        Ok(read)
    }
}

/// Returns the bytes in `input`, decompressed if necessary.
///
/// # Errors
///
/// Returns an error if `input` cannot be read.
pub(crate) fn unpacked<'r>(input: impl Read + 'r) -> io::Result<Box<dyn Read + 'r>> {
    let (head, all) = peek(Box::new(input), MAGIC)?;
    Ok(match Packing::of(&head) {
        Packing::Not => all,
        Packing::Gzip => Box::new(Limited::new(MultiGzDecoder::new(BufReader::new(all)))),
        Packing::Zstd => Box::new(Limited::new(zstd(all)?)),
        Packing::Xz => Box::new(Limited::new(xz(all)?)),
        Packing::Bzip2 => Box::new(Limited::new(MultiBzDecoder::new(all))),
    })
}

/// Returns true if a stream is compressed, by its first bytes.
pub(super) fn is_packed(head: &[u8]) -> bool {
    Packing::of(head) != Packing::Not
}

fn xz<'r>(input: impl Read + 'r) -> io::Result<impl Read + 'r> {
    let stream = Stream::new_stream_decoder(MAX_XZ_MEMORY, CONCATENATED)?;
    Ok(XzDecoder::new_stream(input, stream))
}

fn zstd<'r>(input: impl Read + 'r) -> io::Result<impl Read + 'r> {
    let mut decoder = zstd::stream::read::Decoder::new(input)?;
    decoder.window_log_max(MAX_WINDOW_LOG)?;
    Ok(decoder)
}

/// Returns the first lines of a log, decompressed as far as possible.
pub(super) fn head(packed_head: &[u8], longest: usize) -> Vec<u8> {
    let mut head = vec![0; longest];
    let mut filled = 0;
    if let Ok(mut text) = lines(packed_head) {
        while let Some(room) = head.get_mut(filled..).filter(|room| !room.is_empty()) {
            match text.read(room) {
                Ok(read) if read > 0 => filled += read,
                _ => break,
            }
        }
    }
    head.truncate(filled);
    head
}

/// A reader that fails when a compressed stream yields too much data.
struct Limited<R> {
    input: R,
    left: u64,
}

impl<R> Limited<R> {
    fn new(input: R) -> Self {
        Self {
            input,
            left: MAX_UNPACKED,
        }
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            io::Error::other(format!(
                "it unpacks to more than {} GiB",
                MAX_UNPACKED >> 30
            ))
        })?;
        Ok(read)
    }
}
