//! Mux and unary ttrpc in one layer, with bounded memory. Independent of NRI's messages.
//!
//! For tools that speak NRI's protocol without being a plugin. Until version 1.0 of this crate, a
//! minor release may change this module.
//!
//! A [`Connection`] over a stream socket carries calls in both directions: a [`Service`] answers
//! the peer's requests, and a [`Caller`] calls the peer. Both ends are built alike and differ only
//! in their [`Channels`].
//!
//! ```
//! use nri::wire::{Channels, Connection, Limits, Request, Service, Status};
//!
//! struct Echo;
//!
//! impl Service for Echo {
//!     async fn call(&self, request: Request) -> Result<bytes::Bytes, Status> {
//!         match request.method.as_str() {
//!             "Echo" => Ok(request.payload),
//!             other => Err(Status::unknown_method(&request.service, other)),
//!         }
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (plugin_end, runtime_end) = tokio::io::duplex(4096);
//! let channels = Channels::PLUGIN;
//! let (plugin, _) = Connection::new(plugin_end, channels, Limits::default());
//! let (runtime, caller) = Connection::new(runtime_end, channels.flipped(), Limits::default());
//!
//! tokio::spawn(async move { plugin.serve(&Echo).await });
//! tokio::spawn(async move { runtime.serve(&Echo).await });
//! let answer = caller.call("example.Service", "Echo", "hello", None).await?;
//! assert_eq!(answer, "hello");
//! # Ok(())
//! # }
//! ```
//!
//! # One task
//!
//! [`Connection::serve`] reads, decodes, polls the handler in place and sends the answer in one
//! write, with no task or queue between socket and handler. Requests that arrive while another is
//! in progress run concurrently. Reading continues meanwhile, so that answers to our own calls
//! arrive.
//!
//! # What is sent
//!
//! A Go peer reads a logical connection through a buffer of 4096 bytes and refuses a frame that is
//! larger than the buffer it reads into. It also closes the connection when 256 frames are unread.
//! So a message of at most 4096 bytes, header included, is sent as one frame, and a larger one as
//! two: its ttrpc header, then its data. Incoming messages may be cut in any way: several in one
//! frame, one over many frames, connections interleaved.
//!
//! # How misbehaving peers are handled
//!
//! Go means the reference: `pkg/net/multiplex` of `github.com/containerd/nri` v0.12.5 over
//! `github.com/containerd/ttrpc` v1.2.7.
//!
//! | The peer sends | Here | Go |
//! | --- | --- | --- |
//! | a frame header that announces more than 10 bytes + 4 MiB | connection ends: [`ConnectionError::FrameTooLarge`] | closes (before v0.12.5: allocates it) |
//! | a message header that announces more than 4 MiB | connection ends: [`ConnectionError::MessageTooLarge`] | skips it, answers RESOURCE_EXHAUSTED |
//! | a frame for another connection id, or id 0 | dropped, unbuffered | dropped |
//! | a frame without payload | ignored | ignored, up to 99 in a row |
//! | a frame larger than 4096 bytes with header and data | read | refused: the connection ends |
//! | an even stream id where we serve | INVALID_ARGUMENT | the same |
//! | a request with a stream id used before, or smaller than the last | INVALID_ARGUMENT | the same |
//! | a request that cannot be decoded | INVALID_ARGUMENT | the same |
//! | a request with stream flags | flags ignored | the same for methods that do not stream |
//! | stream data where we serve | INVALID_ARGUMENT; a request in progress on that stream is dropped | INVALID_ARGUMENT on a stream method; else a nil pointer ends the process |
//! | a response or an unknown message type where we serve | ignored | ignored |
//! | more requests at once than [`Limits::requests`] or [`Limits::request_bytes`] | RESOURCE_EXHAUSTED | no limit |
//! | an answer on a stream without a pending call | ignored | ignored, logged |
//! | stream data, a request or an unknown type on the stream of a pending call | that call fails: [`CallError::Protocol`] | the same |
//! | an answer that cannot be decoded | that call fails: [`CallError::Unreadable`] | the same |
//! | nothing more, and does not read | above [`Limits::unsent_bytes`], no handler is polled and no call is sent; reading continues until one more answer is held | blocks in writing |
//! | its end of file between messages (half-closed socket) | calls fail with [`CallError::Closed`]; requests in progress have [`Limits::linger`] to finish, and their answers are sent; ends [`Ended::ByPeer`] | closes at once |
//! | nothing more, and is gone when we write (broken pipe) | ends [`Ended::ByPeer`], requests in progress are dropped | closes |
//! | its end of file within a frame or message | connection ends: [`ConnectionError::Truncated`] | closes |
//!
//! | We send | Here | Go |
//! | --- | --- | --- |
//! | a call larger than 4 MiB | [`CallError::TooLarge`], nothing is sent, and the connection stays open | the same |
//! | an answer larger than 4 MiB | RESOURCE_EXHAUSTED instead, and the connection stays open | closes |
//! | an unknown service or method | decided by the service, see [`Status::unknown_method`] | UNIMPLEMENTED |
//! | an answer of a handler that panics | INTERNAL, and the connection stays open | ends the process |
//!
//! # Memory
//!
//! Buffers grow with the bytes that arrive, never by what a header announces. Requests in progress
//! are bounded in number and bytes, and answers by how much the peer reads; see [`Limits`].
//! Metadata of requests and details of statuses are skipped, not decoded: a program that passes
//! requests on loses them. containerd sends the context of its traces in metadata if it exports
//! traces; nothing of NRI itself is in either.

mod calls;
mod connection;
mod error;
pub(crate) mod frame;
mod limits;
pub(crate) mod mux;
pub(crate) mod outbox;
pub(crate) mod requests;
#[cfg(not(target_family = "wasm"))]
mod socket;
pub(crate) mod status;
pub(crate) mod ttrpc;

pub use calls::Caller;
pub use connection::{Channels, Connection, Ended};
pub use error::{CallError, ConnectionError};
pub use limits::{Limits, MAX_ANSWER, MAX_FRAME, MAX_MESSAGE};
pub use outbox::TooLarge;
pub use requests::{Request, Service};
#[cfg(not(target_family = "wasm"))]
pub use socket::Socket;
pub use status::{Code, Status};
