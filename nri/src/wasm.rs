//! Plugins as WebAssembly modules, which runtimes load since NRI v0.9.0 instead of starting a
//! process.
//!
//! [`wasm_plugin!`](crate::wasm_plugin) turns a plugin into a module. On other targets it has no
//! effect, so one file serves as both:
//!
//! ```
//! use nri::prelude::*;
//!
//! #[derive(NriPlugin)]
//! #[nri(name = "pod-logger", index = "10")]
//! struct PodLogger;
//!
//! impl RunPodSandbox for PodLogger {
//!     async fn run_pod_sandbox(&self, _cx: &EventContext, pod: PodSandbox) -> nri::Result<()> {
//!         tracing::info!("pod {} runs", pod.full_name());
//!         Ok(())
//!     }
//! }
//!
//! nri::wasm_plugin!(PodLogger);
//! # fn main() {}
//! ```
//!
//! ```text
//! rustup target add wasm32-unknown-unknown
//! cargo build --release --target wasm32-unknown-unknown
//! install -m 755 target/wasm32-unknown-unknown/release/pod-logger.wasm /opt/nri/plugins/10-pod-logger
//! ```
//!
//! The runtime recognizes a module by its content. The file name gives the plugin its index and
//! name.
//!
//! # What differs from a process
//!
//! - The module has no files, network, clock, threads or environment. It gets its configuration
//!   through Configure.
//! - Handlers run to completion. One that waits for something that only another thread or a timer
//!   could bring fails, and so does one that uses tokio's timers.
//! - [`EventContext::time_left`](crate::EventContext::time_left) is `None`, and latencies are zero.
//!   The runtime enforces its timeout, and drops the module if a handler exceeds it.
//! - [`Updater`](crate::stub::Updater) is never connected: a module cannot call the runtime, except
//!   for its log. `tracing` events go there unless the plugin installs another subscriber.
//! - [`blocking`](crate::blocking) and `#[nri(blocking(…))]` run in place.
//! - A panic is logged and ends the module. Runtimes that link the Go adaptation keep calling it,
//!   so the plugin may misbehave from then on; [`adaptation`](crate#features) disconnects it.
//!
//! A runtime since v0.12.0 calls the dedicated RPCs, an older one StateChange. The module exports
//! the functions of both.

#[cfg(target_family = "wasm")]
pub(crate) mod exports;
#[cfg(any(test, target_family = "wasm"))]
mod guest;
#[cfg(target_family = "wasm")]
mod host;
#[cfg(any(test, target_family = "wasm"))]
mod memory;

#[cfg(all(target_family = "wasm", not(target_os = "unknown")))]
compile_error!("build WebAssembly plugins for the target wasm32-unknown-unknown");

/// Checks the type of an expression.
#[doc(hidden)]
pub fn is_plugin<P: crate::plugin::Plugin>(_: P) {}

/// Exports a plugin as a WebAssembly module, see [`wasm`](crate::wasm). Takes an expression that
/// creates the plugin, and is used once in a program, at the top level. Has no effect unless the
/// target is WebAssembly.
///
/// Exported symbols count as unsafe code, so `#![forbid(unsafe_code)]` has to become
/// `#![deny(unsafe_code)]`.
#[macro_export]
macro_rules! wasm_plugin {
    ($plugin:expr $(,)?) => {
        #[cfg(target_family = "wasm")]
        $crate::__private::wasm_exports! { $crate, $plugin }
        // So that mistakes show up on every target.
        #[cfg(not(target_family = "wasm"))]
        const _: fn() = || $crate::__private::is_plugin($plugin);
    };
}
