//! The newest protocol revision: its messages, the event mask, tables of its RPCs and events, and the handler traits.
//!
//! The API is additive, so this revision serves every runtime. Messages, tables and traits are
//! generated.

#[rustfmt::skip]
#[allow(deprecated)]
mod codec;
#[rustfmt::skip]
#[allow(deprecated)]
pub(crate) mod dispatch;
pub mod fields;
#[rustfmt::skip]
pub mod handlers;
#[rustfmt::skip]
mod messages;

pub use messages::*;
