//! The bytes of a tar, decompressed if necessary.

use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;

use crate::check::collect::compressed;
use crate::check::content::{Content, Stream};
use crate::packing::Packing;
use crate::skipped::{SkipKind, Unreadable};

/// The size of the pieces in which the end of an archive is read, in bytes.
const END_PIECE: usize = 16 << 10;

/// The bytes of a tar, which is read from its start to its end.
pub(super) struct Input<'s> {
    source: Source<'s>,
    /// The offset of the next byte.
    position: u64,
    /// The number of bytes that may still be read.
    allowance: Rc<Cell<u64>>,
}

enum Source<'s> {
    /// Content with random access: unneeded bytes are not read.
    Plain(Stream<'s>),
    /// A decompressed stream: unneeded bytes are read and discarded.
    Packed(Box<dyn Read + 's>),
}

impl<'s> Input<'s> {
    pub(super) fn new(content: &'s dyn Content, packing: Packing) -> Result<Self, Unreadable> {
        let source = if packing == Packing::Not {
            Source::Plain(Stream::new(content))
        } else {
            Source::Packed(compressed::reader(content, packing)?)
        };
        Ok(Self {
            source,
            position: 0,
            allowance: Rc::new(Cell::new(u64::MAX)),
        })
    }

    /// Returns the number of bytes that may still be read, which the caller sets.
    pub(super) fn allowance(&self) -> Rc<Cell<u64>> {
        Rc::clone(&self.allowance)
    }

    /// Returns true if the data of entries can be read again.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self.source, Source::Plain(_))
    }

    /// Checks that only zeros follow the last entry: programs differ in whether they extract anything else.
    pub(super) fn check_end(mut self) -> Result<(), Unreadable> {
        let mut piece = vec![0; END_PIECE];
        loop {
            let read = self.read(&mut piece).map_err(Unreadable::of_data)?;
            if read == 0 {
                return Ok(());
            }
            if piece.iter().take(read).any(|byte| *byte != 0) {
                let reason = "data after the end of the archive";
                return Err(Unreadable::new(SkipKind::Broken, reason));
            }
        }
    }
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            // A compressed stream treats an empty buffer as an error.
            return Ok(0);
        }
        let read = match &mut self.source {
            Source::Plain(stream) => stream.read(buffer)?,
            Source::Packed(stream) => stream.read(buffer)?,
        };
        self.position += read as u64;
        let left = self.allowance.get().checked_sub(read as u64);
        self.allowance.set(left.ok_or_else(too_many_headers)?);
        Ok(read)
    }
}

impl Seek for Input<'_> {
    /// Moves forward. The end of the tar is an error.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let SeekFrom::Current(distance) = to else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        let distance = u64::try_from(distance).map_err(io::Error::other)?;
        let moved = match &mut self.source {
            Source::Plain(stream) => {
                let left = stream.content.len().saturating_sub(stream.at);
                stream.at += distance.min(left);
                distance.min(left)
            }
            Source::Packed(stream) => io::copy(&mut stream.take(distance), &mut io::sink())?,
        };
        if moved < distance {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.position += distance;
        Ok(self.position)
    }
}

fn too_many_headers() -> io::Error {
    let reason = "headers of more than 1 MiB before an entry";
    io::Error::other(Unreadable::new(SkipKind::TooLarge, reason))
}
