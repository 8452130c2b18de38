//! The queue between the connections and the thread that writes.

use std::time::Instant;

use super::frame::{Closer, Party};
use super::limits::BATCH_BYTES;

/// The events that the writing thread has not processed yet.
#[derive(Default)]
pub(super) struct Queue {
    pub(super) entries: Vec<QueueEntry>,
    /// The data of all entries, one after the other.
    pub(super) bytes: Vec<u8>,
    pub(super) ended: bool,
}

/// An event of a connection.
pub(super) struct QueueEntry {
    pub(super) at: Instant,
    pub(super) connection: u32,
    pub(super) event: TapEvent,
}

/// The kinds of events.
pub(super) enum TapEvent {
    Opened,
    /// Bytes, which are in [`Queue::bytes`].
    Data {
        by: Party,
        length: usize,
    },
    /// Bytes that did not fit into the queue.
    Overflow,
    Closed {
        by: Closer,
        reason: Option<String>,
    },
}

impl Queue {
    /// Empties the queue, and frees memory that was only needed for a burst.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.bytes.clear();
        self.bytes.shrink_to(2 * BATCH_BYTES);
        self.entries.shrink_to(BATCH_BYTES / 64);
    }
}
