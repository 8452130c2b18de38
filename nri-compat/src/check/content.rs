//! The bytes of a file under check, wherever they come from, read in bounded pieces.

use std::io;
use std::path::PathBuf;

use super::place::Place;

/// Bytes that can be read at any offset: a file, an entry of a layer, a slice.
///
/// A reader takes what it needs in pieces, so that memory stays bounded whatever the file's size.
pub trait Content: Sync {
    /// Returns the number of bytes.
    fn len(&self) -> u64;

    /// Reports whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `buffer` with the bytes from `offset` on, and returns how many there are; fewer only at the end.
    ///
    /// # Errors
    ///
    /// When the file underneath cannot be read.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Returns all bytes as one slice, if they are in memory anyway.
    fn as_slice(&self) -> Option<&[u8]> {
        None
    }
}

impl Content for [u8] {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.get(start..).unwrap_or_default();
        let taken = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..taken), rest.get(..taken)) {
            to.copy_from_slice(from);
        }
        Ok(taken)
    }

    fn as_slice(&self) -> Option<&[u8]> {
        Some(self)
    }
}

impl<C: Content + ?Sized> Content for &C {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        (**self).read_at(offset, buffer)
    }

    fn as_slice(&self) -> Option<&[u8]> {
        (**self).as_slice()
    }
}

impl<C: Content + ?Sized> Content for Box<C> {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        (**self).read_at(offset, buffer)
    }

    fn as_slice(&self) -> Option<&[u8]> {
        (**self).as_slice()
    }
}

/// A file under check.
pub struct File<'c> {
    /// Where it is.
    pub place: Place,
    /// The name that it is started by, such as `10-logger`; files are recognised by content alone.
    pub name: String,
    /// Its first bytes, up to [`HEAD`] of them, read once for all readers.
    pub head: Vec<u8>,
    /// The whole file.
    pub content: &'c dyn Content,
    /// Where it is on a disk, if it is a file of its own: what is around it can be looked at.
    pub disk: Option<PathBuf>,
}

/// The number of bytes of a file that are read to recognise it.
pub const HEAD: usize = 4096;
