//! Plugins for NRI, the Node Resource Interface of containerd and CRI-O, that run under old
//! runtimes and new ones.
//!
//! A plugin is a type with a handler for each event that it subscribes to. With the attribute
//! [`plugin`](macro@plugin), the handlers are the methods of one block, and each leaves out the
//! context if it does not use it:
//!
//! ```no_run
//! use nri::prelude::*;
//!
//! struct PodLogger;
//!
//! #[nri::plugin(name = "pod-logger", index = "10")]
//! impl PodLogger {
//!     async fn run_pod_sandbox(&self, pod: PodSandbox) -> nri::Result<()> {
//!         println!("pod {}/{} runs", pod.namespace, pod.name);
//!         Ok(())
//!     }
//! }
//! # fn main() -> nri::Result<()> { nri::run(PodLogger) }
//! ```
//!
//! With the derive [`NriPlugin`], the handlers are impls of traits, which may be in several modules
//! or generic. A type has one of the two; the rest of this documentation uses the derive:
//!
//! ```no_run
//! use nri::prelude::*;
//!
//! #[derive(NriPlugin)]
//! #[nri(name = "pod-logger", index = "10")]
//! struct PodLogger;
//!
//! impl RunPodSandbox for PodLogger {
//!     async fn run_pod_sandbox(&self, _cx: &EventContext, pod: PodSandbox) -> nri::Result<()> {
//!         println!("pod {}/{} runs", pod.namespace, pod.name);
//!         Ok(())
//!     }
//! }
//!
//! impl CreateContainer for PodLogger {
//!     async fn create_container(
//!         &self,
//!         _cx: &EventContext,
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
//! fn main() -> nri::Result<()> {
//!     nri::run(PodLogger)
//! }
//! ```
//!
//! [`NriPlugin`] detects which handlers the type has. They determine the events that it subscribes
//! to, a dispatch table that works with old and new runtimes (before NRI v0.12.0, nine of the
//! events are sent as StateChange), and a [manifest] in the executable that lists them. The handler
//! traits are in [`plugin::handlers`], the messages in [`api`]; [`stub`] runs the plugin.
//!
//! The crate `nri-testing` runs plugins in tests, and `nri-adaptation` is the runtime's side of the
//! protocol.
//!
//! The answers of handlers are built with [`adjust`]. [`view`] helps to read pods
//! and containers; a [`store::PodStore`] keeps track of them and detects what the plugin has
//! missed.
//!
//! # Features
//!
//! All features are off by default.
//!
//! | Feature | Adds |
//! | --- | --- |
//! | `anyhow` | `?` in a handler converts the errors of anyhow |
//! | `cli` | module `cli`: the flags that most plugins have, such as socket, name, index, configuration, `--verbose` and `--help` |
//! | `http` | module `http`: `/healthz`, `/readyz` and `/metrics` on an address |
//! | `prost` | all messages implement `prost::Message` of prost 0.14, for generated messages that contain them, gRPC and generic code |
//! | `serde` | module `json`: protobuf's JSON mapping, as `Serialize` and `Deserialize` for all messages |
//!
//! # Further reading
//!
//! The trait of each event in [`plugin::handlers`] says what the pod and the container hold at that
//! time, what an error does, and what may be answered. [`guide::concurrency`] describes which
//! handlers may overlap, what a deadline leaves behind, and how to do long work. [`reload`] reads a
//! configuration file again when it changes, and updates the existing containers.

// The documentation on docs.rs says which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
// The parts that serve a connection are unused in a WebAssembly module.
#![cfg_attr(target_family = "wasm", allow(dead_code))]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::unreachable))]

pub mod adjust;
pub mod api;
#[cfg(all(feature = "cli", not(target_family = "wasm")))]
pub mod cli;
pub mod codec;
mod context;
mod error;
pub mod guide;
#[cfg(all(feature = "http", not(target_family = "wasm")))]
pub mod http;
#[cfg(feature = "serde")]
pub mod json;
mod lifecycle;
pub mod logging;
pub mod manifest;
pub mod plugin;
mod plugin_id;
pub mod prelude;
#[cfg(not(target_family = "wasm"))]
pub mod reload;
mod run;
mod runtime_calls;
pub mod store;
pub mod stub;
pub mod view;
pub mod wasm;
pub mod wire;

pub use context::EventContext;
pub use error::{Error, ErrorKind, Result, ResultExt};
/// ```
/// use nri::plugin::Plugin;
/// use nri::prelude::*;
///
/// #[derive(NriPlugin)]
/// #[nri(name = "gate", index = "10", required(RunPodSandbox), on_error(StopPodSandbox = "ignore"))]
/// struct Gate;
///
/// impl RunPodSandbox for Gate {
///     async fn run_pod_sandbox(&self, _cx: &EventContext, pod: PodSandbox) -> nri::Result<()> {
///         match pod.annotation("example.org/blocked") {
///             Some(reason) => Err(nri::Error::new(reason.to_owned())),
///             None => Ok(()),
///         }
///     }
/// }
///
/// impl StopPodSandbox for Gate {
///     async fn stop_pod_sandbox(&self, _cx: &EventContext, pod: PodSandbox) -> nri::Result<()> {
///         println!("pod {} stops", pod.full_name());
///         Ok(())
///     }
/// }
///
/// assert_eq!(Gate::NAME, Some("gate"));
/// assert_eq!(Gate::EVENTS, EventMask::EMPTY.with(Event::RunPodSandbox).with(Event::StopPodSandbox));
/// ```
///
/// A handler that `handles(…)` of a generic type does not list is an error as soon as the program
/// uses the plugin:
///
/// ```compile_fail
/// # use nri::prelude::*;
/// #[derive(NriPlugin)]
/// #[nri(handles(RunPodSandbox))] // not StopPodSandbox
/// struct Gate<B>(B);
///
/// # impl<B: Send + Sync + 'static> RunPodSandbox for Gate<B> {
/// #     async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> { Ok(()) }
/// # }
/// impl<B: Send + Sync + 'static> StopPodSandbox for Gate<B> {
///     // …
/// #     async fn stop_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> { Ok(()) }
/// }
///
/// fn main() -> nri::Result<()> {
///     nri::run(Gate(1))
/// }
/// ```
pub use nri_macros::NriPlugin;
/// ```
/// use nri::plugin::Plugin;
/// use nri::prelude::*;
///
/// /// Where the plugin reads the greeting of a pod.
/// trait Source: Send + Sync + 'static {
///     fn greeting(&self, pod: &PodSandbox) -> Option<String>;
/// }
///
/// struct Greeter<S>(S);
///
/// #[nri::plugin(name = "greeter", index = "10")]
/// impl<S: Source> Greeter<S> {
///     async fn create_container(&self, pod: PodSandbox, _container: Container) -> nri::Result<Adjustment> {
///         let greeting = self.0.greeting(&pod).unwrap_or_default();
///         Ok(Adjustment::new().env("GREETING", greeting))
///     }
///
///     async fn stop_pod_sandbox(&self, cx: &EventContext, pod: PodSandbox) -> nri::Result<()> {
///         println!("pod {} stops, {:?} left to answer", pod.full_name(), cx.time_left());
///         Ok(())
///     }
/// }
///
/// # struct Fixed;
/// # impl Source for Fixed {
/// #     fn greeting(&self, _: &PodSandbox) -> Option<String> { None }
/// # }
/// let handled = EventMask::EMPTY.with(Event::CreateContainer).with(Event::StopPodSandbox);
/// assert_eq!(Greeter::<Fixed>::EVENTS, handled);
/// ```
pub use nri_macros::plugin;
pub use plugin_id::{InvalidPluginId, PluginId};
pub use run::{block_on, run};
pub use stub::blocking;

/// The building blocks of the code generated by `#[derive(NriPlugin)]`, and what nri-adaptation
/// shares with this crate. Not part of the API: they may change in any release.
#[doc(hidden)]
pub mod __private {
    pub use crate::api::{Event, EventMask, FailurePolicy};
    pub use crate::manifest::render::Description;
    pub use crate::plugin::connection::{Connections, Hook, NoConnection, hook};
    pub use crate::plugin::dispatch::{Unhandled, add_missing_bounds_with_nri_bound};
    pub use crate::plugin::facts::{Fact, events, handles, takes};
    pub use crate::plugin::policy::{RequiredField, oldest_release};
    pub use crate::plugin::rpcs::{PROTOCOL, RPCS, rpc};
    pub use crate::plugin::{Connection, Handlers, Plugin, Policies, Row};
    #[cfg(target_family = "wasm")]
    pub use crate::wasm::exports::{Boxed, boxed, call, free, malloc};
    pub use crate::wasm::is_plugin;
    pub use nri_macros::wasm_exports;

    // For nri-adaptation.
    pub use crate::api::fields::walk::{is_outdated, newer_than, numbers, rows};
    pub use crate::codec::budget::{WORST_FACTOR, limit as decoded_limit};
    pub use crate::codec::wire::{RawField, WireType, fields, put_bytes, put_key, put_varint};
    pub use crate::context::metrics::{Exposition, Histogram};
    #[cfg(feature = "in-process")]
    pub use crate::lifecycle::{Changes, changes, request};
    pub use crate::lifecycle::{ContainerStage, EventKind, RequestParts, STAGES, Stage};
    pub use crate::logging::{EventSubscriber, Line};
    #[cfg(feature = "in-process")]
    pub use crate::plugin::payload::downcast;
    pub use crate::plugin::route::to_change;
    pub use crate::runtime_calls::{RuntimeRpc, called, register};
    #[cfg(all(feature = "in-process", not(target_family = "wasm")))]
    pub use crate::stub::direct::Direct;
    #[cfg(not(target_family = "wasm"))]
    pub use crate::stub::session::first;
    pub use crate::stub::synchronize::{Assembly, Part};
    pub use crate::wire::status::OneLine;

    /// The frames and envelopes of the wire, for peers that misbehave in tests and checks.
    pub mod wire {
        pub use crate::wire::frame::{
            FRAME_HEADER_LEN, FrameHeader, Kind, MESSAGE_HEADER_LEN, MessageHeader,
        };
        pub use crate::wire::mux::{Demux, Message};
        pub use crate::wire::outbox::Outbox;
        pub use crate::wire::ttrpc::{RequestEnvelope, ResponseEnvelope, StatusEnvelope};
    }
}

/// Runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
