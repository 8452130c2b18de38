//! The outcomes for files of a scan.

/// The outcome for a file. Every file is counted under exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileOutcome {
    /// Readers found traces of NRI in it, or it has to be reported as unknown.
    Evidence,
    /// Readers know this kind of file, and it has no trace of NRI.
    WithoutNri,
    /// Files of this kind cannot hold a plugin.
    OtherFile,
    /// It is empty.
    Empty,
    /// It is another name of a file that was counted before.
    OtherName,
    /// It is an archive, whose files are counted separately.
    Archive,
    /// It could not be read.
    Unreadable,
}
