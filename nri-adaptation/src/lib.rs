//! The runtime's side of the protocol: connects plugins of any age, and sends them events.
//!
//! A container runtime embeds an [`Adaptation`]. A unit test can use one to run
//! plugins without a container runtime:
//!
//! ```
//! use nri_adaptation::{Adaptation, OutcomeResult};
//! use nri::prelude::*;
//!
//! #[derive(NriPlugin)]
//! #[nri(name = "labeler", index = "10")]
//! struct Labeler;
//!
//! impl CreateContainer for Labeler {
//!     async fn create_container(
//!         &self,
//!         _cx: &EventContext,
//!         pod: PodSandbox,
//!         _container: Container,
//!     ) -> nri::Result<Adjustment> {
//!         Ok(Adjustment::new().annotation("created-in", pod.namespace))
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let adaptation = Adaptation::builder("my-runtime", "1.0").start().await?;
//! adaptation.builtin(Labeler).await?;
//!
//! let pod = PodSandbox { namespace: "default".into(), ..Default::default() };
//! let created = adaptation.create_container(&pod, &Container::default()).await?;
//! assert_eq!(created.answer.adjust.annotations["created-in"], "default");
//! assert_eq!(created.outcomes[0].result, OutcomeResult::Answered);
//!
//! adaptation.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! # Plugins
//!
//! | Plugin | Connection |
//! | --- | --- |
//! | external | connects to the socket of [`Builder::listen`] |
//! | launched | an executable in the directory of [`Builder::plugin_dir`] |
//! | WebAssembly module | a module in the same directory, recognized by its content; needs the feature `wasm` |
//! | connected by the runtime | [`Adaptation::connect`] with any stream |
//! | in the runtime's process | [`Adaptation::builtin`] |
//!
//! A plugin registers, is configured, gets the runtime's state in Synchronize, and takes part in
//! requests from then on, until its connection ends. Events that occur while it synchronizes are
//! queued for it. As in the reference, two plugins may have the same name and index: both take
//! part.
//!
//! # Requests
//!
//! Each event has a method, such as [`Adaptation::run_pod_sandbox`]. It returns one [`Outcome`] per
//! plugin, whether the request succeeds or fails.
//!
//! A plugin that lacks the RPC of an event gets the event as StateChange, if any revision sent the
//! event that way. The adaptation remembers that, and reports it to [`Deprecations`].
//!
//! | A plugin | The request | The plugin |
//! | --- | --- | --- |
//! | returns an error to a synchronous event | fails, unless a rule says [`OnError::Ignore`] | stays connected |
//! | returns an error to another event | continues, unless a rule says [`OnError::Fail`] | stays connected |
//! | does not implement an event that it subscribed to | continues, unless the plugin is [`OnError::Required`] | stays connected |
//! | does not answer in time | continues, unless the plugin's failure policy says `fail_request` or the plugin is required | is disconnected, unless its failure policy says `keep_connected` or [`ErrorPolicy::keep_for_timeouts`] allows it |
//! | loses the connection, or breaks the protocol | as above | is disconnected |
//! | fails in any of these ways while a pod or container is stopped or removed | continues | as above |
//!
//! Events of one pod are sent one after the other. Events of different pods are sent at the same
//! time, but each plugin gets one request at a time.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::unreachable))]

mod answers;
mod blocking;
mod builder;
mod callbacks;
#[cfg(feature = "serde")]
mod config;
mod core;
mod deprecation;
mod events;
mod exchange;
mod first;
mod identity;
mod intake;
mod join;
mod launch;
mod listen;
mod member;
pub mod merge;
mod message;
mod metrics;
#[cfg(feature = "oci")]
pub mod oci;
mod order;
mod outcome;
mod policy;
mod relay;
mod revision;
mod roster;
mod service;
mod session;
mod state;
mod sync_guard;
pub mod validate;
mod validation;
#[cfg(feature = "wasm")]
mod wasm;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;

use nri::plugin::Plugin;
use nri::{Error, ErrorKind, Result};

pub use blocking::BlockingAdaptation;
pub use builder::Builder;
pub use callbacks::{Origin, Requested, RuntimeCallbacks, Validator};
#[cfg(feature = "serde")]
pub use config::Config;
pub use deprecation::{Deprecated, DeprecationList, Deprecations, LogDeprecations};
pub use launch::pass_socket;
pub use metrics::{Metrics, OpenMetrics};
pub use nri::PluginId;
pub use outcome::{Outcome, OutcomeResult, Reason, Relayed, RequestError};
pub use policy::{ErrorPolicy, OnError};
pub use revision::{Revision, Via};
pub use state::State;
pub use sync_guard::SyncGuard;
#[cfg(feature = "wasm")]
pub use wasm::WasmModule;

use self::core::Core;

/// Connects plugins to a runtime. Clones share the plugins.
///
/// The adaptation stops when [`stop`](Self::stop) is called or the last clone is dropped.
#[derive(Clone)]
pub struct Adaptation(Arc<Inner>);

struct Inner {
    core: Arc<Core>,
    listening: Mutex<Option<JoinHandle<()>>>,
}

impl Adaptation {
    /// Returns a builder for the adaptation of a runtime with this name and version, such as
    /// `containerd` and `v2.2.1`.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> Builder {
        Builder::new(name.into(), version.into())
    }

    /// Registers, configures and synchronizes the plugin at the other end of a connected stream.
    ///
    /// # Errors
    ///
    /// Returns why the plugin was refused.
    pub async fn connect<S>(&self, stream: S) -> Result<PluginId>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        self.connect_with_config(stream, String::new()).await
    }

    /// Does the same as [`connect`](Self::connect), and sends the plugin this configuration.
    ///
    /// # Errors
    ///
    /// Returns why the plugin was refused.
    pub async fn connect_with_config<S>(&self, stream: S, config: String) -> Result<PluginId>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let origin = session::Origin::new("external", None, config);
        session::attach(&self.0.core, stream, origin).await
    }

    /// Runs a plugin in this process, with the name and index of its `#[nri(…)]`. Returns when it
    /// is synchronized.
    ///
    /// A request calls the handler directly, in the task that sends the request and under the same
    /// deadline as over a socket. Each handler gets its own copy of the pod and the container. A
    /// handler that blocks its thread delays the request, regardless of the deadline;
    /// [`stub`](nri::stub) describes the alternatives.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Config`] if name or index is missing or invalid, and the
    /// reason if the plugin was refused.
    pub async fn builtin<P: Plugin>(&self, plugin: P) -> Result<PluginId> {
        let Some((index, name)) = P::INDEX.zip(P::NAME) else {
            let message = "builtin plugin without index or name";
            let help = "write name = \"…\" and index = \"…\" in #[nri::plugin(…)] or #[nri(…)], or call Adaptation::builtin_as";
            return Err(Error::with_kind(ErrorKind::Config, message).with_help(help));
        };
        let id = PluginId::new(index, name).map_err(|invalid| {
            Error::with_kind(ErrorKind::Config, invalid.to_string()).with_help(invalid.help())
        })?;
        self.builtin_as(plugin, id).await
    }

    /// Runs a plugin in this process, with this index and name.
    ///
    /// # Errors
    ///
    /// Returns the reason if the plugin was refused.
    pub async fn builtin_as<P: Plugin>(&self, plugin: P, id: PluginId) -> Result<PluginId> {
        session::run_builtin(&self.0.core, plugin, id).await
    }

    /// Returns a guard that prevents plugins from synchronizing while the runtime changes its
    /// state. Waits until no plugin is shown the state. [`RuntimeCallbacks::synchronize`] gets a
    /// guard at once.
    pub async fn sync_guard(&self) -> SyncGuard {
        self.0.core.sync.guard().await
    }

    /// Returns the plugins that are synchronized, in the order in which they get events.
    pub fn plugins(&self) -> Vec<PluginId> {
        let members = self.0.core.roster.members();
        members.iter().filter(|member| member.is_ready()).map(|member| member.id.clone()).collect()
    }

    /// Stops listening, disconnects all plugins, and ends those that were launched. Returns when
    /// their processes have ended; one that does not end within two seconds is killed.
    pub async fn stop(&self) {
        self.0.stop();
        let listening = self.0.listening().take();
        if let Some(listening) = listening {
            // An error means that the task was aborted, as it was asked to.
            let _ = listening.await;
        }
        self.0.core.processes.ended().await;
    }
}

impl Inner {
    fn listening(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        let listening = self.listening.lock();
        listening.unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self) {
        self.core.stopping.send_replace(true);
        if let Some(listening) = &*self.listening() {
            listening.abort();
        }
        for member in self.core.roster.members().iter() {
            self.core.disconnect(member);
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for Adaptation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Adaptation").field("plugins", &self.plugins()).finish_non_exhaustive()
    }
}

/// Runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
