//! The outcomes for files of a scan.

/// The outcome for a file. Every file that is met is counted under exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Readers found something of NRI in it, or it has to be reported as unknown.
    Evidence,
    /// It is of a kind that readers know, and has no trace of NRI.
    WithoutNri,
    /// It is of no kind that could hold a plugin.
    OtherFile,
    /// It has no bytes.
    Empty,
    /// It is another name of a file that was met before.
    OtherName,
    /// It is an archive, whose files are counted themselves.
    Archive,
    /// It could not be read.
    Unreadable,
}

/// The number of outcomes.
pub(super) const FATES: usize = 7;
