//! Conformance tests for the lifecycle contract of NRI, for plugins and for runtimes.
//!
//! Every statement of the [contract] has an id, such as `P7`. [`mod@plugin`] acts as the runtime of
//! a plugin and tests which statements the plugin keeps, under every revision of the protocol.
//! `runtime`, behind the feature of that name, observes a runtime with plugins. [`record`] records
//! the messages between a runtime and its plugins, and replays them.
//!
//! Items that only `nri-compat` needs, such as the module behind `nri-compat probe`, are hidden from
//! this documentation and not promised.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::unreachable))]

mod blocking;
pub mod contract;
pub mod error;
pub mod incident;
mod names;
mod peer;
pub mod plugin;
#[doc(hidden)]
pub mod probe;
pub mod record;
pub mod result;
#[cfg(feature = "runtime")]
pub mod runtime;
pub mod session;
pub mod subject;
mod tapped;

pub use error::{Error, ErrorKind, Result};
pub use plugin::{plugin, plugin_with};
pub use record::replay::replay;
