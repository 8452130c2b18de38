//! The bytes of a tar, decompressed if necessary.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

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
        if packing == Packing::Not {
            return Ok(Self {
                source: Source::Anywhere(stream),
                position: 0,
                available: content.len(),
            });
        }
        let most = unpack::limit(content.len());
        let unpacked = unpack::limited(BufReader::with_capacity(64 << 10, stream), packing, most);
        Ok(Self {
            source: Source::Through(unpacked.map_err(reason)?),
            position: 0,
            available: 0,
        })
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
            let read = self.read(&mut piece).map_err(reason)?;
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

/// Returns the reason why an archive cannot be read further. Decompression libraries and the `tar`
/// crate report broken data as other errors.
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

/// Returns the reason for an archive that ends too early.
pub(super) fn cut_short() -> Unreadable {
    Unreadable::new(SkipKind::Truncated, "cut short")
}
