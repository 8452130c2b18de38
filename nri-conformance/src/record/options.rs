//! The settings of a recording, and its figures.

use super::limits::DEFAULT_MAX_BYTES;

/// The settings of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// True if the values of environment variables and annotations are replaced; true by default.
    pub redact: bool,
    /// The maximum size in bytes, beyond which frames are only counted; [`DEFAULT_MAX_BYTES`] by default.
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
    /// The number of frames that were omitted because the recording reached its size limit.
    pub dropped: u64,
    /// The number of connections that were not recorded completely.
    pub lost: u64,
    /// The size of the recording in bytes, without its last line.
    pub bytes: u64,
}
