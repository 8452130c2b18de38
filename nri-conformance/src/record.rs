//! Recordings of the messages between a runtime and its plugins, and their replay.
//!
//! [`observe`] records the requests of a runtime with its own plugin; a [`Proxy`] between a runtime
//! and its plugins records the plugins' answers as well. [`replay()`](replay()) sends the requests
//! to a plugin again and compares its answers, which turns a problem in production into a test.
//!
//! `RECORDING.md` describes the format.

mod conversation;
mod decode;
mod frame;
mod limits;
mod observe;
mod proxy;
mod reader;
mod recorder;
mod redact;
pub mod replay;
mod schema;
mod transcript;
mod writer;

pub use crate::error::{Error, ErrorKind, Result};
#[doc(hidden)]
pub use frame::{
    Closer, End, Frame, FrameEvent, Header, Party, Payload, Request, Response, Source,
};
#[doc(hidden)]
pub use limits::{
    DEFAULT_MAX_BYTES, MAX_HEADER_LINE, MAX_LINE, MAX_MESSAGE_TEXT, MAX_NAME, MAX_PLUGINS,
    MAX_QUEUED, MAX_UNANSWERED,
};
pub use limits::{Options, Recorded};
pub use observe::observe;
pub use proxy::Proxy;
#[doc(hidden)]
pub use reader::Reader;
#[doc(hidden)]
pub use redact::REDACTED;
pub use replay::{Replay, Replayed, replay};
#[doc(hidden)]
pub use transcript::transcribe;
#[doc(hidden)]
pub use writer::Writer;
pub use writer::create_file;
