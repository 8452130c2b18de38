//! The bytes of a file under check, from any source, read in bounded pieces.

pub(super) mod compressed;
pub(super) mod disk;

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::place::Place;
use crate::unpack::{Packing, decoder};

/// Bytes that can be read at any offset: a file, an entry of a layer, a slice.
///
/// Readers read the pieces that they need, so that memory stays bounded for files of any size.
pub trait Content: Sync {
    /// Returns the number of bytes.
    fn len(&self) -> u64;

    /// Returns true if there are no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `buffer` with the bytes at `offset`, and returns their number, which is smaller than
    /// the buffer only at the end.
    ///
    /// # Errors
    ///
    /// Returns an error if the underlying file cannot be read.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Returns all bytes as one slice, if they are already in memory.
    fn as_slice(&self) -> Option<&[u8]> {
        None
    }
}

impl Content for &[u8] {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.get(start..).unwrap_or_default();
        let taken = rest.len().min(buffer.len());
        buffer[..taken].copy_from_slice(&rest[..taken]);
        Ok(taken)
    }

    fn as_slice(&self) -> Option<&[u8]> {
        Some(self)
    }
}

impl Content for Vec<u8> {
    fn len(&self) -> u64 {
        Vec::len(self) as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        (&self[..]).read_at(offset, buffer)
    }

    fn as_slice(&self) -> Option<&[u8]> {
        Some(self)
    }
}

/// A part of content, as content. It is as long as asked for, or ends with the whole.
pub(crate) struct Slice<'c> {
    whole: &'c dyn Content,
    offset: u64,
    size: u64,
}

impl<'c> Slice<'c> {
    pub(crate) fn new(whole: &'c dyn Content, offset: u64, size: u64) -> Self {
        Self { whole, offset, size: size.min(whole.len().saturating_sub(offset)) }
    }
}

impl Content for Slice<'_> {
    fn len(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.size.saturating_sub(offset);
        let length = usize::try_from(left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let (buffer, _) = buffer.split_at_mut(length);
        self.whole.read_at(self.offset.saturating_add(offset), buffer)
    }
}

/// A file under check.
pub struct File<'c> {
    /// The path.
    pub place: Place,
    /// The name by which it is started, such as `10-logger`; files are recognised by content alone.
    pub name: String,
    /// The first bytes, read once for all readers.
    pub head: Head,
    /// The whole file.
    pub content: &'c dyn Content,
    /// The path on disk, if it is a file there, so that its surroundings can be checked.
    pub disk: Option<PathBuf>,
}

/// The number of bytes that are read to recognise a file.
pub const HEAD: usize = 4096;

/// The number of lines that are read to recognise a log; the first may be the rest of a line that a
/// rotation cut.
pub(crate) const HEAD_LINES: usize = 8;

/// The first bytes of a file, up to [`HEAD`].
#[derive(Clone, Debug)]
pub struct Head {
    bytes: Vec<u8>,
    packing: Packing,
    unpacked: OnceLock<Vec<u8>>,
}

impl Head {
    /// Reads the first bytes of content.
    ///
    /// # Errors
    ///
    /// Returns an error if the content cannot be read.
    pub(crate) fn read(content: &dyn Content) -> io::Result<Self> {
        let mut head = vec![0; HEAD];
        let read = content.read_at(0, &mut head)?;
        head.truncate(read);
        Ok(head.into())
    }

    /// Returns the compression of the file.
    pub(crate) const fn packing(&self) -> Packing {
        self.packing
    }

    /// Returns the first bytes decompressed, as far as they can be without the rest of the file:
    /// up to [`HEAD`]. Nothing if the file is not compressed.
    pub(crate) fn unpacked(&self) -> &[u8] {
        self.unpacked.get_or_init(|| {
            let mut unpacked = Vec::new();
            if self.packing != Packing::Not
                && let Ok(decoder) = decoder(self.bytes.as_slice(), self.packing)
            {
                unpacked.reserve(HEAD);
                // Data decompressed before an error counts.
                let _ = decoder.take(HEAD as u64).read_to_end(&mut unpacked);
            }
            unpacked
        })
    }
}

impl From<Vec<u8>> for Head {
    fn from(bytes: Vec<u8>) -> Self {
        Self { packing: Packing::detect(&bytes), bytes, unpacked: OnceLock::new() }
    }
}

impl Deref for Head {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Content as a stream that continues at `at`.
pub(crate) struct Stream<'c> {
    pub(crate) content: &'c dyn Content,
    pub(crate) at: u64,
}

impl<'c> Stream<'c> {
    /// Returns a stream that starts at the beginning.
    pub(crate) fn new(content: &'c dyn Content) -> Self {
        Self { content, at: 0 }
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.content.read_at(self.at, buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for Stream<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.content.len().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
