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
    /// up to [`HEAD`]. Nothing if the file is not compressed.
    pub(crate) fn unpacked(&self) -> &[u8] {
        self.unpacked.get_or_init(|| {
            let mut unpacked = Vec::new();
            let packing = Packing::detect(&self.bytes);
            if packing != Packing::Not
                && let Ok(decoder) = decoder(self.bytes.as_slice(), packing)
            {
                // Data decompressed before an error counts.
                let _ = decoder.take(HEAD as u64).read_to_end(&mut unpacked);
            }
            unpacked
        })
    }
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
