//! Decompression within limits of memory and size.

use std::io::{self, BufReader, Read};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use liblzma::bufread::XzDecoder;

use super::limits::Limits;
use super::zstd_frames::{self, Frames};
use crate::check::collect::budget::{Budget, Lent};
use crate::check::collect::scan::Scan;
use crate::check::content::{Content, Stream};
use crate::packing::Packing;
use crate::skipped::{SkipKind, Unreadable};

/// The number of compressed bytes that are read at a time.
pub(super) const BUFFER: usize = 64 << 10;

/// The maximum memory for decompressing xz in bytes: `xz -9` requires 65 MiB.
const MAX_XZ_MEMORY: u64 = 80 << 20;

/// The maximum memory for decompressing bzip2 in bytes.
const MAX_BZIP2_MEMORY: u64 = 4 << 20;

/// The decompressed bytes of content.
pub(super) struct Unpacked<'u> {
    input: Box<dyn Read + 'u>,
    limits: &'u Limits,
    _memory: Lent<'u>,
}

impl<'u> Unpacked<'u> {
    /// Waits until there is memory for the decoder, and starts decompressing. Memory for the windows
    /// of zstd is reserved frame by frame.
    pub(super) fn new(
        scan: &'u Scan<'_>,
        content: &'u dyn Content,
        packing: Packing,
        limits: &'u Limits,
    ) -> Result<Self, Unreadable> {
        let _memory = scan.windows.lend(memory(packing));
        Ok(Self {
            input: decode(content, packing, BUFFER, Some(&scan.windows))?,
            limits,
            _memory,
        })
    }
}

/// Returns a decoder for the start of content, without a limit; it reads `buffer` bytes at a time.
pub(super) fn decoder<'u>(
    content: &'u dyn Content,
    packing: Packing,
    buffer: usize,
) -> Result<Box<dyn Read + 'u>, Unreadable> {
    decode(content, packing, buffer, None)
}

fn decode<'u>(
    content: &'u dyn Content,
    packing: Packing,
    buffer: usize,
    windows: Option<&'u Budget>,
) -> Result<Box<dyn Read + 'u>, Unreadable> {
    let mut stream = Stream::new(content);
    if packing == Packing::Zstd && !content.is_forward() {
        stream.at = zstd_frames::first(content)?;
    }
    let stream = BufReader::with_capacity(buffer, stream);
    Ok(match packing {
        Packing::Not => Box::new(stream),
        Packing::Gzip => Box::new(MultiGzDecoder::new(stream)),
        Packing::Zstd => Box::new(Frames::new(stream, windows)),
        Packing::Xz => Box::new(XzDecoder::new_stream(stream, xz()?)),
        Packing::Bzip2 => Box::new(MultiBzDecoder::new(stream)),
    })
}

/// Returns a decoder that accepts concatenated streams, as in zstd and gzip.
fn xz() -> Result<liblzma::stream::Stream, Unreadable> {
    liblzma::stream::Stream::new_stream_decoder(MAX_XZ_MEMORY, liblzma::stream::CONCATENATED)
        .map_err(|error| reason(error.into()))
}

/// Returns the memory that decompression takes in bytes, without the windows of zstd.
fn memory(packing: Packing) -> u64 {
    match packing {
        Packing::Not | Packing::Gzip | Packing::Zstd => 0,
        Packing::Bzip2 => MAX_BZIP2_MEMORY,
        Packing::Xz => MAX_XZ_MEMORY,
    }
}

impl Read for Unpacked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.limits
            .unpacked(read as u64)
            .map_err(io::Error::other)?;
        Ok(read)
    }
}

/// Returns the reason why an archive cannot be read further: decompression libraries report broken
/// data as other errors.
pub(super) fn reason(error: io::Error) -> Unreadable {
    let is_format = matches!(
        error.kind(),
        io::ErrorKind::Other | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput
    );
    match Unreadable::from(error) {
        Unreadable {
            kind: SkipKind::Io,
            reason,
        } if is_format => Unreadable::new(SkipKind::Broken, reason),
        why => why,
    }
}

/// Returns the reason for an archive that ends too early.
pub(super) fn cut_short() -> Unreadable {
    Unreadable::new(SkipKind::Truncated, "cut short")
}
