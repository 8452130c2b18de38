//! The stub under a runtime that the test controls.

mod answers;
mod deadlines;
mod events;
mod handshake;
#[cfg(feature = "http")]
mod http;
mod lifecycle;
mod logging;
mod processes;
mod skipped;
mod support;
mod synchronize;
