//! The limits of recording and replaying. Each is part of the documentation in `RECORDING.md`.

use std::time::Duration;

/// Longest line of a recording in bytes, its end included. The largest message, 4 MiB, takes 5.6 MB as base64.
pub const MAX_LINE: usize = 6 << 20;

/// Longest first line in bytes, its end included.
pub const MAX_HEADER_LINE: usize = 64 << 10;

/// Longest name of a service or method that is recorded, in bytes. The rest is cut off.
pub const MAX_NAME: usize = 256;

/// Longest error message that is recorded, in bytes. The rest is cut off.
pub const MAX_MESSAGE_TEXT: usize = 16 << 10;

/// Bytes that wait to be decoded and written, of all connections together. When they do not fit, the rest of the connection
/// that they belong to is not recorded; forwarding never waits for the recording.
pub const MAX_QUEUED: usize = 64 << 20;

/// Requests of one connection that wait for an answer, in each direction. The answers to more are recorded without
/// the name of their method, and withheld if the recording is redacted.
pub const MAX_UNANSWERED: usize = 256;

/// Plugins that may be connected to the proxy at once. Further ones wait in the socket's backlog.
pub const MAX_PLUGINS: usize = 64;

/// Frames that are held back until a plugin is configured and the header can name the runtime.
pub(super) const MAX_HELD_BACK: usize = 64;

/// The default limit of a recording in bytes: 1 GiB.
pub const DEFAULT_MAX_BYTES: u64 = 1 << 30;

/// The time that frames are collected before they are written. A recorder that is killed loses at most these.
pub(super) const BATCH: Duration = Duration::from_millis(20);

/// Bytes that are written without waiting for the batch to end.
pub(super) const BATCH_BYTES: usize = 1 << 20;
