//! Decompresses streams that are recognised by their first bytes, within limits of size and memory.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use liblzma::bufread::XzDecoder;
use liblzma::stream::{CONCATENATED, Stream};

pub(crate) use crate::magic::{LONGEST_MAGIC, Packing};
use crate::skipped::{SkipKind, Unreadable};

/// The maximum window of a zstd stream, as a power of two: 64 MiB.
const MAX_WINDOW_LOG: u32 = 26;

/// The maximum memory for an xz stream: `xz -9` needs 65 MiB.
const MAX_XZ_MEMORY: u64 = 72 << 20;

/// The size in bytes to which any stream may be decompressed.
const SMALL: u64 = 1 << 30;

/// The maximum ratio between the decompressed and the compressed size of larger streams. Gzip
/// reaches up to 1032, layers of real images about 5.
const MAX_RATIO: u64 = 250;

/// The maximum decompressed size in bytes of every stream.
const MAX_UNPACKED: u64 = 64 << 30;

/// Returns the maximum size in bytes to which a stream of this size may be decompressed.
pub(crate) fn limit(size: u64) -> u64 {
    size.saturating_mul(MAX_RATIO).clamp(SMALL, MAX_UNPACKED)
}

/// Returns the bytes in `input`, decompressed if necessary.
///
/// # Errors
///
/// Returns an error if `input` cannot be read.
pub(crate) fn unpacked<'r>(input: impl Read + 'r) -> io::Result<Box<dyn Read + 'r>> {
    let (head, all) = peek(Box::new(input), LONGEST_MAGIC)?;
    let packing = Packing::detect(&head);
    if packing == Packing::Not {
        return Ok(all);
    }
    limited(BufReader::new(all), packing, MAX_UNPACKED)
}

/// Returns a decoder within limits of memory, and of `most` decompressed bytes.
///
/// # Errors
///
/// Returns an error if there is no memory for the decoder.
pub(crate) fn limited<'r>(
    input: impl BufRead + 'r,
    packing: Packing,
    most: u64,
) -> io::Result<Box<dyn Read + 'r>> {
    let (input, left) = (decoder(input, packing)?, most);
    Ok(Box::new(Limited { input, left, most }))
}

/// Returns the first bytes of a stream, and the stream from its beginning. If it fails after some
/// of these bytes, so does the returned stream.
pub(crate) fn peek<'r>(
    mut input: Box<dyn Read + 'r>,
    bytes: usize,
) -> io::Result<(Vec<u8>, Box<dyn Read + 'r>)> {
    let mut head = Vec::new();
    let end = input.by_ref().take(bytes as u64).read_to_end(&mut head);
    let start = Cursor::new(head.clone());
    match end {
        Ok(_) => Ok((head, Box::new(start.chain(input)))),
        Err(error) if head.is_empty() => Err(error),
        Err(error) => Ok((head, Box::new(start.chain(Failing(Some(error)))))),
    }
}

/// The end of a stream that cannot be read further.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        let error = self.0.take();
        Err(error.unwrap_or_else(|| io::ErrorKind::UnexpectedEof.into()))
    }
}

/// Returns a decoder within limits of memory, for concatenated streams, too.
///
/// # Errors
///
/// Returns an error if there is no memory for the decoder.
pub(crate) fn decoder<'r>(
    input: impl BufRead + 'r,
    packing: Packing,
) -> io::Result<Box<dyn Read + 'r>> {
    Ok(match packing {
        Packing::Not => Box::new(input),
        Packing::Gzip => Box::new(MultiGzDecoder::new(input)),
        Packing::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(input)?;
            decoder.window_log_max(MAX_WINDOW_LOG)?;
            Box::new(decoder)
        }
        Packing::Xz => {
            let stream = Stream::new_stream_decoder(MAX_XZ_MEMORY, CONCATENATED)?;
            Box::new(XzDecoder::new_stream(input, stream))
        }
        Packing::Bzip2 => Box::new(MultiBzDecoder::new(input)),
    })
}

/// A reader that fails when a compressed stream yields too much data.
struct Limited<R> {
    input: R,
    left: u64,
    most: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            let reason = format!("it unpacks to more than {} GiB", self.most >> 30);
            io::Error::other(Unreadable::new(SkipKind::Limit, reason))
        })?;
        Ok(read)
    }
}
