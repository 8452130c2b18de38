//! Converts the bytes of connections to a recording.

use std::collections::HashMap;
use std::io::{BufWriter, Write};
use std::time::{Instant, SystemTime};

use nri::api::ConfigureRequest;
use nri::codec::Message as _;

use crate::error::{Error, Result};
use crate::record::conversation::{Conversation, shortened};
use crate::record::frame::{Closer, Frame, FrameEvent, Header, Party, Source};
use crate::record::limits::{BATCH_BYTES, MAX_HELD_BACK, MAX_NAME, Options, Recorded};
use crate::record::writer::Writer;

/// The content of a recording, and where it is written.
pub(super) struct Transcript<W: Write> {
    source: Source,
    options: Options,
    started: Instant,
    conversations: HashMap<u32, Conversation>,
    output: Output<W>,
    figures: Recorded,
    /// The first error that occurred while writing. Later events are not recorded.
    failure: Option<Error>,
}

/// The file, whose first line is delayed until a plugin is configured, because the runtime is unknown until then.
enum Output<W: Write> {
    Waiting {
        output: W,
        header: Header,
        frames: Vec<Frame>,
    },
    Open(Box<Writer<BufWriter<W>>>),
    Failed,
}

impl<W: Write> Transcript<W> {
    pub(super) fn new(
        output: W,
        source: Source,
        options: Options,
        started: Instant,
        date: SystemTime,
    ) -> Self {
        let header = Header {
            nri: None,
            runtime: None,
            runtime_version: None,
            source,
            redacted: options.redact,
            started: date,
        };
        Transcript {
            source,
            options,
            started,
            conversations: HashMap::new(),
            output: Output::Waiting {
                output,
                header,
                frames: Vec::new(),
            },
            figures: Recorded::default(),
            failure: None,
        }
    }

    /// Writes a batch.
    pub(super) fn add(&mut self, batch: &Queue) {
        let mut rest = batch.bytes.as_slice();
        for entry in &batch.entries {
            let length = match entry.event {
                TapEvent::Data { length, .. } => length,
                TapEvent::Opened | TapEvent::Overflow | TapEvent::Closed { .. } => 0,
            };
            let (bytes, after) = rest.split_at(length);
            rest = after;
            self.note(entry.connection, entry.at, &entry.event, bytes);
        }
        if let Output::Open(writer) = &mut self.output
            && let Err(error) = writer.flush()
        {
            self.fail(error);
        }
    }

    fn note(&mut self, connection: u32, at: Instant, event: &TapEvent, bytes: &[u8]) {
        match event {
            TapEvent::Opened => {
                self.figures.connections += 1;
                let conversation = Conversation::new(self.source, self.options.redact);
                self.conversations.insert(connection, conversation);
                self.write(connection, at, FrameEvent::Opened);
            }
            TapEvent::Data { by, .. } => self.receive(connection, at, *by, bytes),
            TapEvent::Overflow => {
                let reason = "more data was sent than could be written in time".to_owned();
                self.lose(connection, at, reason);
            }
            TapEvent::Closed { by, reason } => {
                self.conversations.remove(&connection);
                let (by, reason) = (*by, reason.clone());
                self.write(connection, at, FrameEvent::Closed { by, reason });
            }
        }
    }

    fn receive(&mut self, connection: u32, at: Instant, by: Party, bytes: &[u8]) {
        let Some(conversation) = self.conversations.get_mut(&connection) else {
            return;
        };
        let mut events = Vec::new();
        let outcome = conversation.receive(by, bytes, |event| events.push(event));
        for event in events {
            self.write(connection, at, event);
        }
        if let Err(error) = outcome {
            self.lose(connection, at, format!("it cannot be decoded: {error}"));
        }
    }

    fn lose(&mut self, connection: u32, at: Instant, reason: String) {
        tracing::warn!(connection, "the connection is no longer recorded: {reason}");
        self.figures.lost += 1;
        self.conversations.remove(&connection);
        self.write(connection, at, FrameEvent::Lost { reason });
    }

    fn write(&mut self, connection: u32, at: Instant, event: FrameEvent) {
        let frame = Frame {
            at: at.saturating_duration_since(self.started),
            connection,
            event,
        };
        if let Err(error) = self.try_write(frame) {
            self.fail(error);
        }
    }

    fn try_write(&mut self, frame: Frame) -> Result<()> {
        match &mut self.output {
            Output::Open(writer) => writer.write(&frame),
            Output::Failed => Ok(()),
            Output::Waiting { header, frames, .. } => {
                let configured = runtime(&frame);
                let known = configured.is_some();
                if let Some(runtime) = configured {
                    complete(header, runtime);
                }
                frames.push(frame);
                if known || frames.len() > MAX_HELD_BACK {
                    self.open()?;
                }
                Ok(())
            }
        }
    }

    /// Writes the header and the frames that were held back.
    fn open(&mut self) -> Result<()> {
        let waiting = std::mem::replace(&mut self.output, Output::Failed);
        let Output::Waiting {
            output,
            header,
            frames,
        } = waiting
        else {
            self.output = waiting;
            return Ok(());
        };
        let mut writer = Writer::new(BufWriter::new(output), &header, self.options.max_bytes)?;
        for frame in frames {
            writer.write(&frame)?;
        }
        self.output = Output::Open(Box::new(writer));
        Ok(())
    }

    fn fail(&mut self, error: Error) {
        tracing::error!("the recording ends here: {error}");
        self.output = Output::Failed;
        self.failure.get_or_insert(error);
    }

    /// Writes the last line.
    pub(super) fn finish(mut self) -> Result<Recorded> {
        self.open()?;
        match (self.failure, self.output) {
            (Some(error), _) => Err(error),
            (None, Output::Open(writer)) => {
                self.figures.bytes = writer.bytes();
                let end = writer.finish()?;
                self.figures.frames = end.frames;
                self.figures.dropped = end.dropped;
                Ok(self.figures)
            }
            (None, Output::Waiting { .. } | Output::Failed) => Ok(self.figures),
        }
    }
}

/// Returns the recording of a connection that carried these bytes. For the fuzz targets.
///
/// # Errors
///
/// Fails only if writing to memory fails.
#[doc(hidden)]
pub fn transcribe<'a>(
    chunks: impl IntoIterator<Item = (Party, &'a [u8])>,
    options: Options,
) -> Result<Vec<u8>> {
    let mut recording = Vec::new();
    let now = Instant::now();
    let mut transcript = Transcript::new(
        &mut recording,
        Source::Proxy,
        options,
        now,
        SystemTime::UNIX_EPOCH,
    );
    transcript.note(1, now, &TapEvent::Opened, &[]);
    for (by, bytes) in chunks {
        transcript.receive(1, now, by, bytes);
    }
    transcript.finish()?;
    Ok(recording)
}

/// Returns the Configure request in a frame, which identifies the runtime.
fn runtime(frame: &Frame) -> Option<ConfigureRequest> {
    match &frame.event {
        FrameEvent::Request(request)
            if request.by == Party::Runtime && request.method == "Configure" =>
        {
            ConfigureRequest::decode(request.payload.bytes()?.clone()).ok()
        }
        FrameEvent::Opened
        | FrameEvent::Request(_)
        | FrameEvent::Response(_)
        | FrameEvent::Other { .. }
        | FrameEvent::Lost { .. }
        | FrameEvent::Closed { .. } => None,
    }
}

/// Adds the runtime to a header.
fn complete(header: &mut Header, runtime: ConfigureRequest) {
    let text = |text: String| Some(shortened(text, MAX_NAME)).filter(|text| !text.is_empty());
    header.nri = text(runtime.nri_version);
    header.runtime = text(runtime.runtime_name);
    header.runtime_version = text(runtime.runtime_version);
}

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
