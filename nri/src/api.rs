//! The newest protocol revision: its messages, the event mask and the table of its fields.
//!
//! The API is additive, so this revision serves every runtime. Messages and tables are
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
pub mod fields;
#[rustfmt::skip]
#[allow(deprecated, missing_docs)]
mod messages;

pub use messages::*;
