//! Receivers of the lines that a scan finds.

/// A relevant line.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoundLine<'l> {
    /// The text without the line end.
    pub(super) bytes: &'l [u8],
    /// The number of the line, counted from 1.
    pub(super) number: u64,
    /// False for the last line if it has no line end: it may have been cut.
    pub(super) ended: bool,
}

/// A receiver of relevant lines.
pub(super) trait LineHandler {
    /// Handles a relevant line. Returns true to receive the next line, whatever it contains.
    fn line(&mut self, line: FoundLine<'_>) -> bool;

    /// Counts bytes that were read.
    fn read(&mut self, bytes: usize);

    /// Counts a line that is too long to be read.
    fn too_long(&mut self);
}
