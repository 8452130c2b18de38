//! The limits of recording and replaying, which are documented in `RECORDING.md`.

use std::time::Duration;

/// The maximum length of a line of a recording in bytes, including its line feed. The largest
/// message, 4 MiB, takes 5.6 MB as base64.
pub const MAX_LINE: usize = 6 << 20;

/// The maximum length of the first line in bytes, including its line feed.
pub const MAX_HEADER_LINE: usize = 64 << 10;

/// The maximum length in bytes of the recorded name of a service or method. Longer names are
/// truncated.
pub const MAX_NAME: usize = 256;

/// The maximum length in bytes of a recorded error message. Longer messages are truncated.
pub const MAX_MESSAGE_TEXT: usize = 16 << 10;

/// The maximum number of bytes, over all connections, that wait to be decoded and written. When it
/// is exceeded, the rest of the connection is not recorded; forwarding never waits for the
/// recording.
pub const MAX_QUEUED: usize = 64 << 20;

/// The maximum number of unanswered requests of a connection, in each direction, whose methods are
/// remembered. Answers to others are recorded without the name of their method, and withheld if the
/// recording is redacted.
pub const MAX_UNANSWERED: usize = 256;

/// The maximum number of plugins that are connected to the proxy at once. Others wait in the
/// socket's backlog.
pub const MAX_PLUGINS: usize = 64;

/// The maximum number of frames that are held back until a plugin is configured and the header can
/// name the runtime.
pub(super) const MAX_HELD_BACK: usize = 64;

/// The default maximum size of a recording in bytes: 1 GiB.
pub const DEFAULT_MAX_BYTES: u64 = 1 << 30;

/// The time for which frames are collected before they are written. A recorder that is killed loses
/// at most these frames.
pub(super) const BATCH: Duration = Duration::from_millis(20);

/// The settings of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// True if the values of environment variables and annotations are replaced; true by default.
    pub redact: bool,
    /// The maximum size in bytes, beyond which frames are only counted; [`DEFAULT_MAX_BYTES`] by
    /// default.
    pub max_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { redact: true, max_bytes: DEFAULT_MAX_BYTES }
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
