//! The newest protocol revision: its messages, the event mask and the table of its fields.
//!
//! The API is additive, so this revision serves every runtime. Messages and tables are
//! generated.
//!
//! Every release of NRI adds fields, events and values of enums, and a minor release of this crate
//! takes them in. Build messages with `..Default::default()`, and give a `match` on an enum an arm
//! for values to come:
//!
//! ```
//! use nri::api::{ContainerUpdate, Event};
//!
//! let update = ContainerUpdate { container_id: "c1".into(), ..Default::default() };
//! let is_stop = |event| match event {
//!     Event::StopContainer | Event::StopPodSandbox => true,
//!     _ => false,
//! };
//! assert_eq!(Event::ALL.iter().filter(|event| is_stop(**event)).count(), 2);
//! # assert!(!update.ignore_failure);
//! ```
//!
//! A value for which absent and 0 differ is an `Option`. The protocol has a message for each type
//! of these, such as `OptionalInt64`:
//!
//! ```
//! use nri::api::LinuxMemory;
//!
//! let memory = LinuxMemory { limit: Some(4096), swap: Some(0), ..Default::default() };
//! assert_eq!(memory.reservation, None);
//! ```
//!
//! A container, a pod and an update keep their large parts in a box, so that one without them is
//! small. Reading them is no different:
//!
//! ```
//! use nri::api::{Container, LinuxContainer};
//!
//! let linux = LinuxContainer { cgroups_path: "/pods/c1".into(), ..Default::default() };
//! let container = Container { linux: Some(linux.into()), ..Default::default() };
//! assert_eq!(container.linux.unwrap_or_default().cgroups_path, "/pods/c1");
//! ```

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
#[rustfmt::skip]
pub(crate) mod runtime;

pub use messages::*;
