//! Receivers of the lines that a scan finds.

/// A receiver of relevant lines.
pub(super) trait LineHandler {
    /// Handles a relevant line, without its end. Returns true to receive the next line, whatever it
    /// contains. A line that is not `ended` is the last one, and may have been cut.
    fn line(&mut self, line: &[u8], ended: bool) -> bool;

    /// Counts bytes that were read.
    fn read(&mut self, bytes: usize);

    /// Handles a relevant part of a line that is too long; `word` is the position of the word that
    /// makes it relevant.
    fn excerpt(&mut self, part: &[u8], word: usize);

    /// Counts a line that was too long and has relevant parts.
    fn too_long(&mut self);
}
