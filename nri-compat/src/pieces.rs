//! Streams that are made piece by piece, such as line by line.

use std::io::{self, Cursor, Read};

/// A source of the pieces of a stream.
pub(crate) trait Pieces {
    /// Writes the next piece, which may be empty, to `piece`, which is empty. Returns false at the
    /// end.
    ///
    /// # Errors
    ///
    /// Returns the error that ended the stream early.
    fn next(&mut self, piece: &mut Vec<u8>) -> io::Result<bool>;
}

/// The pieces of a source as one stream.
pub(crate) struct PieceStream<P> {
    source: P,
    /// The piece that is being read.
    piece: Cursor<Vec<u8>>,
}

impl<P: Pieces> PieceStream<P> {
    pub(crate) fn new(source: P) -> Self {
        Self { source, piece: Cursor::default() }
    }
}

impl<P: Pieces> Read for PieceStream<P> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.piece.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            let mut piece = std::mem::take(&mut self.piece).into_inner();
            piece.clear();
            if !self.source.next(&mut piece)? {
                return Ok(0);
            }
            self.piece = Cursor::new(piece);
        }
    }
}
