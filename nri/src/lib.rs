//! Plugins for NRI, the Node Resource Interface of containerd and CRI-O, that run under old runtimes and new ones.
//!
//! A plugin is a type with a handler for each event that it wants to hear of:
//!
//! ```
//! use nri::prelude::*;
//!
//! #[derive(NriPlugin)]
//! #[nri(name = "pod-logger", index = "10")]
//! struct PodLogger;
//!
//! impl RunPodSandbox for PodLogger {
//!     async fn run_pod_sandbox(&self, _cx: &Context, pod: PodSandbox) -> nri::Result<()> {
//!         println!("pod {}/{} runs", pod.namespace, pod.name);
//!         Ok(())
//!     }
//! }
//!
//! impl CreateContainer for PodLogger {
//!     async fn create_container(
//!         &self,
//!         _cx: &Context,
//!         _pod: PodSandbox,
//!         container: Container,
//!     ) -> nri::Result<Adjustment> {
//!         if container.name.is_empty() {
//!             return Err(nri::Error::new("a container without a name"));
//!         }
//!         Ok(Adjustment::default())
//!     }
//! }
//!
//! use nri::plugin::Plugin;
//! assert_eq!(PodLogger::EVENTS.bits(), 0b1001);
//! ```
//!
//! [`NriPlugin`] finds out which handlers the type has. From that follow the events that it subscribes to, a
//! [dispatch table](plugin::Table) that serves runtimes old and new (those before NRI v0.12.0 send nine of the events as
//! StateChange), and a [manifest] that names them in the built file. The handler traits are in
//! [`api::handlers`], the messages in [`api`]; [`stub`] runs the plugin.
//!
//! The feature `adaptation` brings the runtime's side of the protocol, the module of that name.
//!
//! The answers of handlers are built with [`adjust`]. [`view`] and [`optional`] read pods and containers; a
//! [`store::PodStore`] remembers them, and knows what the plugin has missed.

#[cfg(feature = "adaptation")]
pub mod adaptation;
pub mod adjust;
pub mod api;
mod context;
mod error;
#[cfg(feature = "http")]
pub mod http;
#[cfg(feature = "serde")]
pub mod json;
pub mod logging;
pub mod manifest;
pub mod optional;
pub mod plugin;
pub mod prelude;
pub mod store;
pub mod stub;
pub mod view;
pub mod wire;

pub use context::Context;
pub use error::{Error, ErrorKind, Result, ResultExt};
pub use nri_macros::NriPlugin;
pub use stub::blocking;

/// The building blocks of the code that `#[derive(NriPlugin)]` writes. Not part of the API: may change in any release.
#[doc(hidden)]
pub mod __private {
    pub use crate::api::dispatch::{PROTOCOL, Unhandled, add_missing_bounds_with_nri_bound, rpc};
    pub use crate::api::{Event, EventMask, FailurePolicy};
    pub use crate::manifest::render::Description;
    pub use crate::plugin::facts::{Fact, events, handles, handles_any, mask, takes};
    pub use crate::plugin::probe::{Connections, NoConnection};
    pub use crate::plugin::{Connection, ConnectionHooks, Handlers, Plugin, Policies, Row, Table};
}
