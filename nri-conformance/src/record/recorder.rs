//! The recorder: accepts bytes from connections without blocking them, and writes frames on a
//! separate thread.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Instant;

use tokio::sync::{Semaphore, oneshot};

use super::frame::{Closer, FrameEvent, Party, Source};
use super::limits::{BATCH, MAX_QUEUED, Options, Recorded};
use super::transcript::{TapEvent, Transcript};
use crate::error::{Error, ErrorKind, Result};

/// The niceness of the writing thread, relative to that of the process.
const NICENESS: i32 = 10;

/// A recording in progress.
pub(super) struct Recorder {
    queue: Queue,
    connections: AtomicU32,
    done: oneshot::Receiver<Result<Recorded>>,
}

/// The recorder's end of a connection. When it is dropped, the connection has ended.
pub(super) struct Tap {
    queue: Queue,
    connection: u32,
    /// True once bytes were omitted, after which no message can be decoded.
    lost: AtomicBool,
    end: (Closer, Option<String>),
}

/// The queue of the writing thread.
#[derive(Clone)]
struct Queue {
    entries: Sender<QueueEntry>,
    /// The bytes that still fit.
    room: Arc<Semaphore>,
}

struct QueueEntry {
    at: Instant,
    connection: u32,
    event: TapEvent,
}

impl Recorder {
    /// Starts a recording.
    pub(super) fn start(
        output: impl Write + Send + 'static,
        source: Source,
        options: Options,
    ) -> Result<Self> {
        let (entries, queued) = channel();
        let queue = Queue { entries, room: Arc::new(Semaphore::new(MAX_QUEUED)) };
        let (finished, done) = oneshot::channel();
        let transcript = Transcript::new(output, source, options);
        thread::Builder::new()
            .name("nri-recorder".to_owned())
            .spawn(move || {
                yield_to_others();
                // The receiver is gone if the recording was dropped instead of finished.
                let _ = finished.send(write_all(&queued, transcript));
            })
            .map_err(|error| Error::failed("cannot start a thread", error))?;
        Ok(Recorder { queue, connections: AtomicU32::new(0), done })
    }

    /// Returns the recorder's end of a new connection.
    pub(super) fn open(&self) -> Tap {
        let connection = self.connections.fetch_add(1, Ordering::Relaxed) + 1;
        self.queue.push(connection, TapEvent::Frame(FrameEvent::Opened));
        Tap {
            queue: self.queue.clone(),
            connection,
            lost: AtomicBool::new(false),
            end: (Closer::Recorder, None),
        }
    }

    /// Writes the remaining frames and the last line, once every [`Tap`] is dropped.
    pub(super) async fn finish(self) -> Result<Recorded> {
        drop(self.queue);
        let message = "the thread that writes the recording has failed";
        let failed = |_| Err(Error::of(ErrorKind::Io, message));
        self.done.await.unwrap_or_else(failed)
    }
}

impl Tap {
    /// Records bytes that one end has sent. Never waits: if the queue is full, the rest of the
    /// connection is lost.
    pub(super) fn data(&self, by: Party, bytes: &[u8]) {
        if bytes.is_empty() || self.lost.load(Ordering::Relaxed) {
            return;
        }
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.queue.room).try_acquire_many_owned(length);
        let event = if let Ok(room) = room {
            let bytes = bytes.to_vec();
            TapEvent::Data { by, bytes, room }
        } else {
            self.lost.store(true, Ordering::Relaxed);
            let reason = "more data was sent than could be written in time".to_owned();
            TapEvent::Frame(FrameEvent::Lost { reason })
        };
        self.queue.push(self.connection, event);
    }

    /// Records which end closed the connection. Otherwise, it was the recorder.
    pub(super) fn closed(mut self, by: Closer, reason: Option<String>) {
        self.end = (by, reason);
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        let (by, reason) = (self.end.0, self.end.1.take());
        let event = TapEvent::Frame(FrameEvent::Closed { by, reason });
        self.queue.push(self.connection, event);
    }
}

impl Queue {
    fn push(&self, connection: u32, event: TapEvent) {
        // The receiver is gone only if the writing thread has panicked.
        let _ = self.entries.send(QueueEntry { at: Instant::now(), connection, event });
    }
}

/// Lowers the priority of this thread, so that events take precedence over their recording on a
/// busy machine.
fn yield_to_others() {
    // On Linux, this is the priority of the thread, not of the process. A failure does not affect
    // the recording.
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::debug!("cannot lower the priority of the recorder: {error}");
    }
}

/// Writes batches until nothing can be recorded any more.
fn write_all<W: Write>(
    queued: &Receiver<QueueEntry>,
    mut transcript: Transcript<W>,
) -> Result<Recorded> {
    while let Ok(first) = queued.recv() {
        // Waking the thread costs more than an entry, so it is woken once per batch.
        thread::sleep(BATCH);
        for entry in std::iter::once(first).chain(queued.try_iter()) {
            transcript.add(entry.connection, entry.at, entry.event);
        }
        transcript.flush();
    }
    transcript.finish()
}
