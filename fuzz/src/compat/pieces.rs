//! Runs a reader on bytes in memory and on the same bytes in pieces.

use std::io;

use nri_compat::check::content::{Content, File, HEAD};

use super::reading::reader;

/// Bytes that do not reveal that they are in memory.
struct Pieces<'b>(&'b [u8]);

impl Content for Pieces<'_> {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(offset, buffer)
    }
}

/// Compares the results for the bytes, if the reader with this name recognises them.
pub(crate) fn read(name: &str, bytes: &[u8]) {
    let reader = reader(name);
    let file = |content| File {
        place: "10-fuzz".into(),
        name: "10-fuzz".into(),
        head: bytes[..bytes.len().min(HEAD)].to_vec().into(),
        content,
        disk: None,
    };
    let in_pieces = Pieces(bytes);
    let (whole, pieces) = (file(&bytes), file(&in_pieces));
    if reader.recognises(&whole) {
        let seen = reader.read(&whole);
        assert_eq!(seen, reader.read(&pieces));
        for sighting in seen.unwrap_or_default() {
            assert!(!sighting.evidence.is_empty());
        }
    }
}
