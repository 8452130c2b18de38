//! What `#[derive(NriPlugin)]` makes of a type, and all that the stub needs to know of it.

mod bridge;
mod call;
mod connection;
pub(crate) mod facts;
mod policy;
pub(crate) mod probe;
mod route;
mod rpc;
mod subscription;
mod table;

pub use call::{Call, Reply, Subject};
pub use connection::{Connection, ConnectionHooks};
pub use policy::Policies;
pub use route::{Route, dispatch, resolve};
pub use rpc::{Deprecation, Rpc};
pub use table::{Handler, Row, Table};

#[cfg(feature = "adaptation")]
pub(crate) use bridge::to_change;
pub(crate) use call::decode;

use crate::api::EventMask;

/// A plugin, as the stub sees it. Implemented by `#[derive(NriPlugin)]` and not meant to be implemented by hand.
///
/// The handlers are reached through [`resolve`], which finds the [`Route`] of a request in [`TABLE`](Self::TABLE):
///
/// ```
/// use nri::prelude::*;
/// use nri::plugin::{Plugin, resolve};
///
/// #[derive(NriPlugin)]
/// #[nri(name = "counter", index = "10")]
/// struct Counter;
///
/// impl RunPodSandbox for Counter {
///     async fn run_pod_sandbox(&self, _: &Context, _: PodSandbox) -> nri::Result<()> {
///         Ok(())
///     }
/// }
///
/// assert_eq!(Counter::NAME, Some("counter"));
/// assert_eq!(Counter::EVENTS.bits(), 1);
/// assert!(resolve::<Counter>("RunPodSandbox", &[])?.is_some()); // goes to the handler
/// assert!(resolve::<Counter>("StopPodSandbox", &[])?.is_none()); // known: answered with an empty message
/// assert_eq!(resolve::<Counter>("Dance", &[]).unwrap_err().kind().code(), 12); // not known: UNIMPLEMENTED
/// # Ok::<(), nri::Error>(())
/// ```
pub trait Plugin: Send + Sync + Sized + 'static {
    /// The name given by `#[nri(name = "…")]`.
    const NAME: Option<&'static str>;
    /// The two digits given by `#[nri(index = "…")]`.
    const INDEX: Option<&'static str>;
    /// The oldest protocol release to serve, such as `v0.11.0`, given by `#[nri(protocol = "…")]`.
    const PROTOCOL: Option<&'static str>;
    /// The events that a handler takes, in a call of their own or through StateChange; never empty.
    const EVENTS: EventMask;
    /// A row for every RPC of the Plugin service.
    const TABLE: Table<Self>;
    /// What the attributes say about single events, and the failure policy.
    const POLICIES: Policies;
    /// What to call when the connection is lost and made again.
    const CONNECTION: Option<ConnectionHooks<Self>>;
    /// The [manifest](crate::manifest), marker and all. Whoever runs the plugin calls [`embed`](crate::manifest::embed), or
    /// it is optimized out.
    const MANIFEST: &'static [u8];
}
