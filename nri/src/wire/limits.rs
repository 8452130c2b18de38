//! How much a peer may make us hold.

use std::time::Duration;

use super::frame::MESSAGE_HEADER_LEN;

/// Largest ttrpc message data in bytes, headers not counted: 4 MiB, as the
/// [ttrpc specification](https://github.com/containerd/ttrpc/blob/v1.2.7/PROTOCOL.md) sets it.
pub const MAX_MESSAGE: usize = 4 << 20;

/// Largest payload of one mux frame in bytes: a ttrpc header and the largest ttrpc data.
pub const MAX_FRAME: usize = MESSAGE_HEADER_LEN + MAX_MESSAGE;

/// Bounds on what one connection holds in memory, whatever the peer sends.
///
/// The sizes of frames and messages are the protocol's and therefore constants
/// ([`MAX_FRAME`], [`MAX_MESSAGE`]). With the defaults one connection holds at most some 32 MiB
/// besides what the handlers themselves allocate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Requests of the peer under way at once. One more is answered with RESOURCE_EXHAUSTED.
    ///
    /// The default of 64 keeps the answers (two frames each at most) below the 256 unread frames
    /// after which a Go peer closes the connection.
    pub requests: usize,
    /// Bytes of request data under way at once. A request beyond it is answered with
    /// RESOURCE_EXHAUSTED, unless it is the only one.
    pub request_bytes: usize,
    /// Own calls that wait for an answer at once. Further ones wait for their turn.
    pub calls: usize,
    /// Bytes written by us and not yet taken by the peer, above which no handler is polled and
    /// no call is sent until the peer has read on.
    pub unsent_bytes: usize,
    /// How long requests under way may take to finish once the peer has closed its side or a
    /// shutdown was asked for. The default, 2 s, is what the reference runtime waits for an answer.
    pub linger: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            requests: 64,
            request_bytes: 4 * MAX_MESSAGE,
            calls: 64,
            unsent_bytes: MAX_MESSAGE,
            linger: Duration::from_secs(2),
        }
    }
}

impl Limits {
    /// Unsent bytes above which reading pauses too: one answer more than [`Limits::unsent_bytes`],
    /// and room for refusals.
    pub(crate) fn unsent_ceiling(&self) -> usize {
        self.unsent_bytes + MAX_FRAME + (64 << 10)
    }
}
