//! The bytes of a file under check, wherever they come from, in bounded pieces.

use std::io;

/// Bytes that can be read at any place: a file, a layer's entry, a slice.
///
/// A reader takes what it needs in pieces, so that memory stays bounded whatever the file's size.
pub trait Content: Sync {
    /// How many bytes there are.
    fn len(&self) -> u64;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `buffer` with the bytes from `offset` on; fewer only at the end. Returns how many.
    ///
    /// # Errors
    ///
    /// When the file underneath cannot be read.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// All bytes as one slice, where they are in memory anyhow.
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

/// A file under check.
pub struct File<'c> {
    /// As reports show it: a path, or `image.tar: layer 3: /usr/bin/plugin` for an entry of an image.
    pub shown: String,
    /// Its last component, for what a name tells (`10-logger`); files are recognised by content alone.
    pub name: String,
    /// Its first bytes, up to [`HEAD`] of them, read once for all readers.
    pub head: Vec<u8>,
    /// All of it.
    pub content: &'c dyn Content,
}

/// How many bytes of a file are read to recognise it.
pub const HEAD: usize = 4096;
