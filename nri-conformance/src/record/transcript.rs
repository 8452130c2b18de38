//! Converts the bytes of connections to a recording.

use std::collections::HashMap;
use std::io::{BufWriter, Write};
use std::time::{Instant, SystemTime};

use nri::api::ConfigureRequest;
use nri::codec::Message as _;
use tokio::sync::OwnedSemaphorePermit;

use crate::error::{Error, Result};
use crate::record::conversation::{Conversation, shortened};
use crate::record::frame::{Frame, FrameEvent, Header, Party, Source};
use crate::record::limits::{MAX_HELD_BACK, MAX_NAME, Options, Recorded};
use crate::record::writer::Writer;

/// The content of a recording, and where it is written.
pub(super) struct Transcript<W: Write> {
    source: Source,
    options: Options,
    started: Instant,
    date: SystemTime,
    conversations: HashMap<u32, Conversation>,
    /// The file, until its first line is written.
    output: Option<W>,
    /// The frames before a plugin is configured, because the runtime, which the first line names,
    /// is unknown until then.
    held_back: Vec<Frame>,
    writer: Option<Writer<BufWriter<W>>>,
    figures: Recorded,
    /// The first error that occurred while writing. Later events are not recorded.
    failure: Option<Error>,
}

/// An event of a connection.
pub(super) enum TapEvent {
    Data {
        by: Party,
        bytes: Vec<u8>,
        /// The room that the bytes take up in the queue.
        room: OwnedSemaphorePermit,
    },
    /// An event that is written unchanged.
    Frame(FrameEvent),
}

impl<W: Write> Transcript<W> {
    pub(super) fn new(output: W, source: Source, options: Options) -> Self {
        Transcript {
            source,
            options,
            started: Instant::now(),
            date: SystemTime::now(),
            conversations: HashMap::new(),
            output: Some(output),
            held_back: Vec::new(),
            writer: None,
            figures: Recorded::default(),
            failure: None,
        }
    }

    /// Adds an event of a connection.
    pub(super) fn add(&mut self, connection: u32, at: Instant, event: TapEvent) {
        match event {
            TapEvent::Data { by, bytes, room } => {
                drop(room);
                self.receive(connection, at, by, &bytes);
            }
            TapEvent::Frame(event) => self.write(connection, at, event),
        }
    }

    /// Passes all frames to the operating system.
    pub(super) fn flush(&mut self) {
        if let Some(writer) = &mut self.writer
            && let Err(error) = writer.flush()
        {
            self.fail(error);
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
            let reason = format!("it cannot be decoded: {error}");
            self.write(connection, at, FrameEvent::Lost { reason });
        }
    }

    fn write(&mut self, connection: u32, at: Instant, event: FrameEvent) {
        match &event {
            FrameEvent::Opened => {
                self.figures.connections += 1;
                let conversation = Conversation::new(self.source, self.options.redact);
                self.conversations.insert(connection, conversation);
            }
            FrameEvent::Lost { reason } => {
                tracing::warn!(connection, "the connection is no longer recorded: {reason}");
                self.figures.lost += 1;
                self.conversations.remove(&connection);
            }
            FrameEvent::Closed { .. } => _ = self.conversations.remove(&connection),
            FrameEvent::Request(_) | FrameEvent::Response(_) | FrameEvent::Other { .. } => {}
        }
        if self.failure.is_some() {
            return;
        }
        let frame = Frame { at: at.saturating_duration_since(self.started), connection, event };
        if let Err(error) = self.try_write(frame) {
            self.fail(error);
        }
    }

    fn try_write(&mut self, frame: Frame) -> Result<()> {
        if let Some(writer) = &mut self.writer {
            return writer.write(&frame);
        }
        let runtime = runtime(&frame);
        self.held_back.push(frame);
        if runtime.is_some() || self.held_back.len() > MAX_HELD_BACK {
            self.open(runtime.unwrap_or_default())?;
        }
        Ok(())
    }

    /// Writes the header and the frames that were held back.
    fn open(&mut self, runtime: ConfigureRequest) -> Result<()> {
        let text = |text: String| Some(shortened(text, MAX_NAME)).filter(|text| !text.is_empty());
        let header = Header {
            nri: text(runtime.nri_version),
            runtime: text(runtime.runtime_name),
            runtime_version: text(runtime.runtime_version),
            source: self.source,
            redacted: self.options.redact,
            started: self.date,
        };
        let Some(output) = self.output.take() else {
            return Ok(());
        };
        let mut writer = Writer::new(BufWriter::new(output), &header, self.options.max_bytes)?;
        for frame in self.held_back.drain(..) {
            writer.write(&frame)?;
        }
        self.writer = Some(writer);
        Ok(())
    }

    fn fail(&mut self, error: Error) {
        tracing::error!("the recording ends here: {error}");
        self.writer = None;
        self.failure = Some(error);
    }

    /// Writes the last line.
    pub(super) fn finish(mut self) -> Result<Recorded> {
        if let Some(error) = self.failure {
            return Err(error);
        }
        self.open(ConfigureRequest::default())?;
        if let Some(writer) = self.writer {
            self.figures.bytes = writer.bytes();
            let end = writer.finish()?;
            self.figures.frames = end.frames;
            self.figures.dropped = end.dropped;
        }
        Ok(self.figures)
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
    let mut transcript = Transcript::new(&mut recording, Source::Proxy, options);
    let now = transcript.started;
    transcript.write(1, now, FrameEvent::Opened);
    for (by, bytes) in chunks {
        transcript.receive(1, now, by, bytes);
    }
    transcript.finish()?;
    Ok(recording)
}

/// Returns the Configure request in a frame, which identifies the runtime.
fn runtime(frame: &Frame) -> Option<ConfigureRequest> {
    let FrameEvent::Request(request) = &frame.event else {
        return None;
    };
    if request.by != Party::Runtime || request.method != "Configure" {
        return None;
    }
    ConfigureRequest::decode(request.payload.bytes()?.clone()).ok()
}
