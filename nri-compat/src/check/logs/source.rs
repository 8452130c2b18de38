//! Logs as streams: plain, gzip or zstd, told by their first bytes.

use std::io::{self, BufReader, Cursor, Read};

use flate2::bufread::MultiGzDecoder;

use crate::check::packing::Packing;

/// Largest window of a zstd stream, as a power of two: 64 MiB.
const WINDOW_LOG: u32 = 26;

/// Most bytes that a packed log may unpack to.
const UNPACKED: u64 = 64 << 30;

/// First bytes looked at to tell how a stream is packed.
const MAGIC: usize = 4;

/// The text in `input`, unpacked if it is packed.
///
/// # Errors
///
/// When `input` cannot be read.
pub(super) fn unpacked<'r>(mut input: impl Read + 'r) -> io::Result<Box<dyn Read + 'r>> {
    let mut head = Vec::new();
    input.by_ref().take(MAGIC as u64).read_to_end(&mut head)?;
    let packed = Packing::of(&head);
    let all = Cursor::new(head).chain(input);
    Ok(match packed {
        Packing::Not => Box::new(all),
        Packing::Gzip => Box::new(Limited::new(MultiGzDecoder::new(BufReader::new(all)))),
        Packing::Zstd => Box::new(Limited::new(zstd(all)?)),
    })
}

fn zstd<'r>(input: impl Read + 'r) -> io::Result<impl Read + 'r> {
    let mut decoder = zstd::stream::read::Decoder::new(input)?;
    decoder.window_log_max(WINDOW_LOG)?;
    Ok(decoder)
}

/// The first bytes of a log, unpacked as far as they go; a head that was cut still unpacks to something.
pub(super) fn head(packed_head: &[u8], longest: usize) -> Vec<u8> {
    let mut head = vec![0; longest];
    let mut filled = 0;
    if let Ok(mut text) = unpacked(packed_head) {
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

/// Ends with an error when too much comes out of a packed stream.
struct Limited<R> {
    input: R,
    left: u64,
}

impl<R> Limited<R> {
    fn new(input: R) -> Self {
        Self {
            input,
            left: UNPACKED,
        }
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            io::Error::other(format!("it unpacks to more than {} GiB", UNPACKED >> 30))
        })?;
        Ok(read)
    }
}
