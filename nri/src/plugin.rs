//! The trait that `#[derive(NriPlugin)]` implements, and the hooks of the connection.
//!
//! The hidden items are for the code that the derive generates; they may change in any release.

mod call;
mod configure;
pub(crate) mod connection;
#[rustfmt::skip]
#[allow(deprecated)]
pub(crate) mod dispatch;
pub(crate) mod facts;
#[rustfmt::skip]
pub mod handlers;
mod missing;
pub(crate) mod payload;
pub(crate) mod policy;
pub(crate) mod route;
#[rustfmt::skip]
pub(crate) mod rpcs;
mod table;

pub use configure::{Config, Subscription};
pub use connection::Connection;
#[doc(hidden)]
pub use dispatch::Handlers;
pub use missing::{MissingRpc, missing_rpc};
pub use route::state_change;
#[doc(hidden)]
pub use {
    call::{Answer, Call, Checked, Reply, Subject},
    connection::{Change, Hook},
    payload::Body,
    policy::{Policies, RequiredField},
    route::{Route, dispatch, resolve},
    table::{Deprecation, Handler, Row, Rpc},
};

#[cfg(feature = "in-process")]
#[doc(hidden)]
pub use payload::AnyMessage;
#[cfg(any(test, target_family = "wasm"))]
pub(crate) use payload::decode_encoded;
pub(crate) use payload::{decode, malformed, part_or_default};

use std::sync::Arc;

use crate::api::EventMask;

/// A plugin: a type with handlers. Implemented by `#[derive(NriPlugin)]`, and for every plugin
/// behind an [`Arc`]; not meant for manual implementation.
///
/// ```
/// use std::sync::Arc;
///
/// use nri::plugin::Plugin;
/// use nri::prelude::*;
/// use nri::stub::Stub;
///
/// #[derive(NriPlugin)]
/// #[nri(name = "counter", index = "10")]
/// struct Counter;
///
/// impl RunPodSandbox for Counter {
///     async fn run_pod_sandbox(&self, _cx: &EventContext, _pod: PodSandbox) -> nri::Result<()> {
///         Ok(())
///     }
/// }
///
/// assert_eq!(Counter::NAME, Some("counter"));
/// assert_eq!(Counter::EVENTS, EventMask::EMPTY.with(Event::RunPodSandbox));
///
/// let counter = Arc::new(Counter); // to keep a handle to what the stub runs
/// let stub = Stub::builder(Arc::clone(&counter)).build()?;
/// # drop(stub);
/// # Ok::<(), nri::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a plugin",
    label = "this type does not implement `Plugin`",
    note = "write `#[nri::plugin]` above an `impl` block with its handlers, or `#[derive(NriPlugin)]` above the type, which then \
            implements a handler trait such as `RunPodSandbox`"
)]
pub trait Plugin: Send + Sync + Sized + 'static {
    /// The name given by `#[nri(name = "…")]`.
    const NAME: Option<&'static str>;
    /// The two digits given by `#[nri(index = "…")]`.
    const INDEX: Option<&'static str>;
    /// The oldest supported NRI release, such as `v0.11.0`, given by `#[nri(protocol = "…")]`. The
    /// plugin does not run under older ones.
    const PROTOCOL: Option<&'static str>;
    /// The events that have a handler, either of their dedicated RPC or of StateChange; never
    /// empty.
    const EVENTS: EventMask;
    /// The type that has the handlers: the plugin itself, or the one behind an [`Arc`].
    #[doc(hidden)]
    type Inner: Send + Sync + 'static;
    /// The dispatch table: a row for each RPC of the Plugin service, in the order of the proto.
    #[doc(hidden)]
    const TABLE: &'static [Row<Self::Inner>];
    /// The settings for single events, and the failure policy.
    #[doc(hidden)]
    const POLICIES: Policies;
    /// The hook for changes of the connection.
    #[doc(hidden)]
    const CONNECTION: Option<Hook<Self::Inner>>;
    /// The [manifest](crate::manifest) with its marker. Code that runs the plugin calls
    /// [`embed`](crate::manifest::embed); otherwise it is optimized out.
    const MANIFEST: &'static [u8];

    /// Returns the value that the handlers take.
    #[doc(hidden)]
    fn inner(&self) -> &Self::Inner;
}

/// Lets `main` keep a handle to a plugin while the stub has another.
impl<P: Plugin> Plugin for Arc<P> {
    const NAME: Option<&'static str> = P::NAME;
    const INDEX: Option<&'static str> = P::INDEX;
    const PROTOCOL: Option<&'static str> = P::PROTOCOL;
    const EVENTS: EventMask = P::EVENTS;
    type Inner = P::Inner;
    const TABLE: &'static [Row<P::Inner>] = P::TABLE;
    const POLICIES: Policies = P::POLICIES;
    const CONNECTION: Option<Hook<P::Inner>> = P::CONNECTION;
    const MANIFEST: &'static [u8] = P::MANIFEST;

    fn inner(&self) -> &P::Inner {
        P::inner(self)
    }
}
