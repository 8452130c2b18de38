//! Unpacking within limits of memory and size.

use std::io::{self, BufReader, Read};

use super::limits::Limits;
use super::zstd_window;
use crate::check::collect::budget::Lent;
use crate::check::collect::scan::Scan;
use crate::check::content::Content;
use crate::check::packing::{Packing, Stream};
use crate::check::skipped::{SkipKind, Unreadable};

/// How much is read from the packed side at a time.
const BUFFER: usize = 64 << 10;

/// The largest window of zstd, as a power of two: what all windows together may take.
pub(in crate::check::collect) const WINDOW_LOG: u32 = 25;

/// The unpacked bytes of a content.
pub(super) struct Unpacked<'u> {
    input: Box<dyn Read + 'u>,
    limits: &'u Limits,
    _window: Lent<'u>,
}

impl<'u> Unpacked<'u> {
    /// Waits until there is memory for the window.
    pub(super) fn new(
        scan: &'u Scan<'_>,
        content: &'u dyn Content,
        kind: Packing,
        limits: &'u Limits,
    ) -> Result<Self, Unreadable> {
        let stream = BufReader::with_capacity(BUFFER, Stream::new(content));
        let window = window(content, kind)?;
        let _window = scan.windows.lend(window);
        let input: Box<dyn Read + 'u> = match kind {
            Packing::Not => Box::new(stream),
            Packing::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(stream)),
            Packing::Zstd => Box::new(zstd(stream).map_err(reason)?),
        };
        Ok(Self {
            input,
            limits,
            _window,
        })
    }
}

fn zstd<'r>(input: impl io::BufRead + 'r) -> io::Result<impl Read + 'r> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(input)?;
    decoder.window_log_max(WINDOW_LOG)?;
    Ok(decoder)
}

/// Memory that unpacking takes.
fn window(content: &dyn Content, kind: Packing) -> Result<u64, Unreadable> {
    if kind != Packing::Zstd {
        return Ok(0);
    }
    let mut head = [0; 18];
    let read = content.read_at(0, &mut head).map_err(reason)?;
    match zstd_window::window(head.get(..read).unwrap_or_default()) {
        Some(window) if window > 1 << WINDOW_LOG => Err(Unreadable::new(
            SkipKind::Limit,
            format!(
                "unpacking takes a window of {} MiB; at most {} are given",
                window >> 20,
                1 << (WINDOW_LOG - 20)
            ),
        )),
        Some(window) => Ok(window),
        None => Err(cut_short()),
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

/// Returns why an archive cannot be read on: libraries that unpack report broken data as other errors.
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

/// Returns the reason of an archive that ends too early.
pub(super) fn cut_short() -> Unreadable {
    Unreadable::new(SkipKind::Truncated, "cut short")
}
