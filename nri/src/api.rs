//! The newest protocol revision: its messages, the event mask, tables of its RPCs and events, and the handler traits.
//!
//! The API is additive, so this revision serves every runtime. Messages, tables and traits are
//! generated.

/// Implements the encoding and, with the feature `serde`, the JSON of a message with these fields.
macro_rules! message {
    ($($row:tt)*) => {
        crate::codec::message! { $($row)* }
        #[cfg(feature = "serde")]
        crate::json::message! { $($row)* }
    };
}

/// Implements the conversions and, with the feature `serde`, the JSON of an enum with these values.
macro_rules! enumeration {
    ($($row:tt)*) => {
        crate::codec::enumeration! { $($row)* }
        #[cfg(feature = "serde")]
        crate::json::enumeration! { $($row)* }
    };
}

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
