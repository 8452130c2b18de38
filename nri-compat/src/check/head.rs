//! The first bytes of a file, by which it is recognised.

use std::io::Read;
use std::ops::Deref;
use std::sync::OnceLock;

use crate::packing::Packing;
use crate::unpack::decoder;

/// The number of bytes that are read to recognise a file.
pub const HEAD: usize = 4096;

/// The number of lines that are read to recognise a log; the first may be the rest of a line that a
/// rotation cut.
pub(crate) const HEAD_LINES: usize = 8;

/// The number of decompressed bytes that are enough if they have these lines: they have the header
/// of a tar archive, and show the encoding of a text.
const ENOUGH: usize = 1024;

/// The first bytes of a file, up to [`HEAD`].
///
/// ```
/// use nri_compat::check::head::Head;
///
/// let head = Head::from(b"MARK".to_vec());
/// assert!(head.starts_with(b"MA"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Head {
    bytes: Vec<u8>,
    unpacked: OnceLock<Vec<u8>>,
}

impl Head {
    /// Returns the first bytes decompressed, as far as they can be without the rest of the file:
    /// up to [`HEAD`], but no more than the first lines of a text. Nothing if the file is not
    /// compressed.
    pub(crate) fn unpacked(&self) -> &[u8] {
        self.unpacked.get_or_init(|| {
            let packing = Packing::of(&self.bytes);
            if packing == Packing::Not {
                return Vec::new();
            }
            let decoder = decoder(self.bytes.as_slice(), packing);
            decoder.map_or_else(|_| Vec::new(), |mut decoder| first_lines(&mut decoder))
        })
    }
}

/// Decompresses up to [`HEAD`] bytes. Stops at [`ENOUGH`] if they have all lines that are checked.
fn first_lines(decoder: &mut dyn Read) -> Vec<u8> {
    let mut lines = Vec::with_capacity(HEAD);
    for size in [ENOUGH, HEAD - ENOUGH] {
        // Data decompressed before an error counts.
        let read = decoder.take(size as u64).read_to_end(&mut lines);
        if read.is_err() || has_lines(&lines) {
            break;
        }
    }
    lines
}

/// Reports whether a text has the lines by which a log is recognised.
fn has_lines(text: &[u8]) -> bool {
    memchr::memchr_iter(b'\n', text).count() >= HEAD_LINES
}

impl From<Vec<u8>> for Head {
    fn from(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            unpacked: OnceLock::new(),
        }
    }
}

impl Deref for Head {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}
