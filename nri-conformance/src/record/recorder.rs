//! The recorder: accepts bytes from connections without blocking them, and writes frames on a separate thread.

use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Instant, SystemTime};

use tokio::sync::oneshot;

use super::frame::{Closer, Party, Source};
use super::limits::{BATCH, BATCH_BYTES, MAX_QUEUED};
use super::limits::{Options, Recorded};
use super::transcript::Transcript;
use super::transcript::{Queue, QueueEntry, TapEvent};
use crate::error::{Error, ErrorKind, Result};
use crate::tapped::Record;

/// The niceness of the writing thread, relative to that of the process.
const NICENESS: i32 = 10;

/// A recording in progress.
pub(super) struct Recorder {
    shared: Arc<Shared>,
    connections: AtomicU32,
    done: oneshot::Receiver<Result<Recorded>>,
}

/// The recorder's end of a connection.
pub(super) struct Tap {
    shared: Arc<Shared>,
    connection: u32,
    /// True once the connection ended, or bytes were omitted, after which no message can be decoded.
    over: Mutex<bool>,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    filled: Condvar,
}

impl Recorder {
    /// Starts a recording.
    pub(super) fn start(
        output: impl Write + Send + 'static,
        source: Source,
        options: Options,
    ) -> Result<Self> {
        let shared = Arc::new(Shared::default());
        let (finished, done) = oneshot::channel();
        let transcript =
            Transcript::new(output, source, options, Instant::now(), SystemTime::now());
        let thread_shared = Arc::clone(&shared);
        thread::Builder::new()
            .name("nri-recorder".to_owned())
            .spawn(move || {
                yield_to_others();
                // The receiver is gone if the recording was dropped instead of finished.
                let _ = finished.send(write_all(&thread_shared, transcript));
            })
            .map_err(|error| Error::failed("cannot start a thread", error))?;
        Ok(Recorder {
            shared,
            connections: AtomicU32::new(0),
            done,
        })
    }

    /// Returns the recorder's end of a new connection.
    pub(super) fn open(&self) -> Tap {
        let connection = self.connections.fetch_add(1, Ordering::Relaxed) + 1;
        let tap = Tap {
            shared: Arc::clone(&self.shared),
            connection,
            over: Mutex::new(false),
        };
        tap.shared.push(connection, TapEvent::Opened, &[]);
        tap
    }

    /// Writes the remaining frames and the last line.
    pub(super) async fn finish(mut self) -> Result<Recorded> {
        self.shared.end();
        (&mut self.done).await.unwrap_or_else(|_| {
            Err(Error::of(
                ErrorKind::Io,
                "the thread that writes the recording has failed",
            ))
        })
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.shared.end();
    }
}

impl Tap {
    /// Records bytes that one end has sent. Never waits: if the queue is full, the rest of the connection is lost.
    pub(super) fn data(&self, by: Party, bytes: &[u8]) {
        let mut over = self.over();
        if *over || bytes.is_empty() {
            return;
        }
        let length = bytes.len();
        let fits = self
            .shared
            .push(self.connection, TapEvent::Data { by, length }, bytes);
        if !fits {
            *over = true;
            self.shared.push(self.connection, TapEvent::Overflow, &[]);
        }
    }

    /// Records the end of the connection, after which nothing else of it is recorded.
    pub(super) fn closed(&self, by: Closer, reason: Option<String>) {
        let mut over = self.over();
        *over = true;
        self.shared
            .push(self.connection, TapEvent::Closed { by, reason }, &[]);
    }

    fn over(&self) -> MutexGuard<'_, bool> {
        self.over.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The record of the bytes that a plugin receives and sends.
impl Record for Arc<Tap> {
    fn received(&self, bytes: &[u8]) {
        self.data(Party::Runtime, bytes);
    }

    fn sent(&self, bytes: &[u8]) {
        self.data(Party::Plugin, bytes);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an entry with its data. Returns false, and adds nothing, if the data does not fit.
    fn push(&self, connection: u32, event: TapEvent, data: &[u8]) -> bool {
        let at = Instant::now();
        let mut queue = self.lock();
        let before = queue.bytes.len();
        if before + data.len() > MAX_QUEUED {
            return false;
        }
        queue.bytes.extend_from_slice(data);
        queue.entries.push(QueueEntry {
            at,
            connection,
            event,
        });
        // Waking the thread costs more than the entry, so it is woken once per batch.
        let first = queue.entries.len() == 1;
        let many = before < BATCH_BYTES && queue.bytes.len() >= BATCH_BYTES;
        drop(queue);
        if first || many {
            self.filled.notify_one();
        }
        true
    }

    fn end(&self) {
        self.lock().ended = true;
        self.filled.notify_one();
    }

    /// Waits for a batch and exchanges it for an empty queue. Returns false if there are no further batches.
    fn take(&self, batch: &mut Queue) -> bool {
        let queue = self.lock();
        let waiting = |queue: &mut Queue| queue.entries.is_empty() && !queue.ended;
        let queue = self
            .filled
            .wait_while(queue, waiting)
            .unwrap_or_else(PoisonError::into_inner);
        let few = |queue: &mut Queue| queue.bytes.len() < BATCH_BYTES && !queue.ended;
        let (mut queue, _) = self
            .filled
            .wait_timeout_while(queue, BATCH, few)
            .unwrap_or_else(PoisonError::into_inner);
        let ended = queue.ended;
        std::mem::swap(&mut *queue, batch);
        queue.ended = ended;
        !ended
    }
}

/// Lowers the priority of this thread, so that events take precedence over their recording on a busy machine.
fn yield_to_others() {
    // On Linux, this is the priority of the thread, not of the process. A failure does not affect the recording.
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::debug!("cannot lower the priority of the recorder: {error}");
    }
}

/// Writes batches until the end.
fn write_all<W: Write>(shared: &Shared, mut transcript: Transcript<W>) -> Result<Recorded> {
    let mut batch = Queue::default();
    loop {
        let more = shared.take(&mut batch);
        transcript.add(&batch);
        batch.clear();
        if !more {
            return transcript.finish();
        }
    }
}
