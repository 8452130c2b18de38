//! Reads any bytes as a log, plain and compressed: to the end, without a panic, with the same
//! result for pieces of any size. The names in the result stay within the limits.

use std::io::Read;

use nri_compat::check::logs;

/// Returns at most this many bytes per read.
struct Pieces<'b>(&'b [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let piece = self.1.min(buffer.len());
        self.0.read(&mut buffer[..piece])
    }
}

/// Runs the target once.
pub(crate) fn run(input: (u8, &[u8])) {
    let (piece, bytes) = input;
    let whole = logs::read(&"log".into(), &mut &bytes[..]);
    let pieces = logs::read(&"log".into(), &mut Pieces(bytes, usize::from(piece) + 1));
    assert_eq!(whole, pieces);
    for sighting in &whole.sightings {
        assert!(sighting.events.names.len() <= 14 && !sighting.evidence.is_empty());
        assert!(sighting.evidence.iter().all(|one| !one.detail.contains(char::is_control)));
    }
}
