//! The settings of a recording, and its figures.

use super::limits::DEFAULT_MAX_BYTES;

/// The settings of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Replaces the values of environment variables and annotations; true by default.
    pub redact: bool,
    /// The size in bytes above which frames are counted and left out; [`DEFAULT_MAX_BYTES`] by default.
    pub max_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            redact: true,
            max_bytes: DEFAULT_MAX_BYTES,
        }
    }
}

/// Figures about a finished recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// The number of connections.
    pub connections: u64,
    /// The number of frames in the recording.
    pub frames: u64,
    /// The number of frames that were left out because the recording reached its size limit.
    pub dropped: u64,
    /// The number of connections that were not recorded to their end.
    pub lost: u64,
    /// The size of the recording in bytes, without its last line.
    pub bytes: u64,
}
