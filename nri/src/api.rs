//! The newest protocol revision: its messages, the event mask, the handler traits.

mod event_mask;
pub mod fields;
#[rustfmt::skip]
pub(crate) mod glue;
#[rustfmt::skip]
pub mod handlers;
#[rustfmt::skip]
#[allow(missing_docs, clippy::all)]
mod messages;

pub use event_mask::EventMask;
pub use messages::*;
