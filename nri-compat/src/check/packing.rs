//! How streams are packed, and contents as streams.

use std::io::{self, Read};

use super::content::Content;

/// How a stream is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Not,
    Gzip,
    Zstd,
}

impl Packing {
    /// Tells by the first bytes.
    pub(crate) fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, 8, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            _ => Self::Not,
        }
    }
}

/// Reads a content from `at` on.
pub(crate) struct Stream<'c> {
    pub(crate) content: &'c dyn Content,
    pub(crate) at: u64,
}

impl<'c> Stream<'c> {
    /// From its beginning.
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
