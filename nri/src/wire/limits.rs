//! Limits on what a peer can make us hold in memory.

use std::time::Duration;

use super::frame::MESSAGE_HEADER_LEN;

/// Largest ttrpc message data in bytes, without headers: 4 MiB, from the
/// [ttrpc specification](https://github.com/containerd/ttrpc/blob/v1.2.7/PROTOCOL.md).
pub const MAX_MESSAGE: usize = 4 << 20;

/// Largest encoded answer of a method in bytes: the ttrpc data without the key and length of its
/// field.
pub const MAX_ANSWER: usize = MAX_MESSAGE - 5;

/// Largest payload of one mux frame in bytes: a ttrpc header and the largest ttrpc data.
pub const MAX_FRAME: usize = MESSAGE_HEADER_LEN + MAX_MESSAGE;

/// Bounds on the memory of one connection, for any peer.
///
/// The sizes of frames and messages are fixed by the protocol ([`MAX_FRAME`], [`MAX_MESSAGE`]).
/// With the defaults, a connection holds at most about 32 MiB, not counting what the handlers
/// allocate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Number of requests of the peer in progress at once. Further ones are answered with
    /// RESOURCE_EXHAUSTED.
    ///
    /// A Go peer closes the connection after 256 unread frames. With the default of 64, the
    /// answers, at most two frames each, stay below that.
    pub requests: usize,
    /// Bytes of request data in progress at once. A request that exceeds it is answered with
    /// RESOURCE_EXHAUSTED, unless it is the only one.
    pub request_bytes: usize,
    /// Number of our own calls that wait for an answer at once. Further ones wait for their turn.
    pub calls: usize,
    /// Number of unsent bytes above which no handler is polled and no call is sent until the peer
    /// reads on.
    pub unsent_bytes: usize,
    /// The time that requests in progress may take to finish after the peer closed its side or a
    /// shutdown was requested. The default, 2 s, is how long the reference runtime waits for an
    /// answer.
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
    /// Returns the number of unsent bytes above which reading pauses too: room for one more answer
    /// than [`Limits::unsent_bytes`] allows, and for refusals.
    pub(crate) fn unsent_ceiling(&self) -> usize {
        self.unsent_bytes + MAX_FRAME + (64 << 10)
    }
}
