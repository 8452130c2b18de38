//! The bytes of a tar, decompressed if necessary.

use std::cell::Cell;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::rc::Rc;

use crate::check::content::{Content, Stream};
use crate::packing::Packing;
use crate::skipped::{SkipKind, Unreadable};
use crate::unpack;

/// The size of the pieces in which the end of an archive is read, in bytes.
const END_PIECE: usize = 16 << 10;

/// The bytes of a tar, which is read from its start to its end.
pub(super) struct Input<'s> {
    source: Source<'s>,
    /// The offset of the next byte, which may be beyond the end.
    position: u64,
    /// The number of bytes that are known to be there.
    available: u64,
    /// The number of bytes that may still be read.
    allowance: Rc<Cell<u64>>,
}

enum Source<'s> {
    /// Content with random access: unneeded bytes are not read.
    Anywhere(Stream<'s>),
    /// A stream: unneeded bytes are read and discarded.
    Through(Box<dyn Read + 's>),
}

impl<'s> Input<'s> {
    pub(super) fn new(content: &'s dyn Content, packing: Packing) -> Result<Self, Unreadable> {
        let stream = Stream::new(content);
        let (source, available) = if packing == Packing::Not {
            (Source::Anywhere(stream), content.len())
        } else {
            let stream = BufReader::with_capacity(64 << 10, stream);
            let unpacked = unpack::limited(stream, packing, unpack::limit(content.len()));
            (Source::Through(unpacked.map_err(Unreadable::of_data)?), 0)
        };
        Ok(Self {
            source,
            position: 0,
            available,
            allowance: Rc::new(Cell::new(u64::MAX)),
        })
    }

    /// Returns the number of bytes that may still be read, which the caller sets.
    pub(super) fn allowance(&self) -> Rc<Cell<u64>> {
        Rc::clone(&self.allowance)
    }

    /// Returns true if the data of entries can be read again.
    pub(super) fn is_seekable(&self) -> bool {
        matches!(self.source, Source::Anywhere(_))
    }

    /// Checks that the data of the last entry, which ends at `data_end`, is there, and that only zeros
    /// follow: programs differ in whether they extract what follows the end.
    pub(super) fn check_end(mut self, data_end: u64) -> Result<(), Unreadable> {
        if data_end > self.available {
            return Err(cut_short());
        }
        let mut piece = vec![0; END_PIECE];
        loop {
            let read = self.read(&mut piece).map_err(Unreadable::of_data)?;
            if read == 0 {
                return Ok(());
            }
            if !piece.iter().take(read).all(|byte| *byte == 0) {
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
            Source::Anywhere(stream) => stream.read(buffer)?,
            Source::Through(stream) => {
                let read = stream.read(buffer)?;
                self.available += read as u64;
                read
            }
        };
        self.position += read as u64;
        let left = self.allowance.get().checked_sub(read as u64);
        self.allowance.set(left.ok_or_else(too_many_headers)?);
        Ok(read)
    }
}

impl Seek for Input<'_> {
    /// Moves forward, as far as the tar goes.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let SeekFrom::Current(distance) = to else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        let distance = u64::try_from(distance).map_err(io::Error::other)?;
        self.position = self.position.saturating_add(distance);
        match &mut self.source {
            Source::Anywhere(stream) => stream.at = self.position,
            Source::Through(stream) => {
                self.available += io::copy(&mut stream.take(distance), &mut io::sink())?;
            }
        }
        Ok(self.position)
    }
}

/// Returns the reason for an archive that ends too early.
pub(super) fn cut_short() -> Unreadable {
    Unreadable::new(SkipKind::Truncated, "cut short")
}

fn too_many_headers() -> io::Error {
    let reason = "headers of more than 1 MiB before an entry";
    io::Error::other(Unreadable::new(SkipKind::TooLarge, reason))
}
