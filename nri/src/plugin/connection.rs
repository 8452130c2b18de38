//! Hooks that run when the connection to the runtime is made, lost or made again.

use std::marker::PhantomData;
use std::pin::Pin;

use crate::{Error, EventContext};

/// Hooks of the connection to the runtime. The default implementations do nothing.
///
/// They are useful for plugins that the runtime did not launch, which outlive it and reconnect.
///
/// ```
/// use nri::prelude::*;
///
/// #[derive(NriPlugin)]
/// #[nri(name = "watcher", index = "10")]
/// struct Watcher;
///
/// impl RunPodSandbox for Watcher {
///     async fn run_pod_sandbox(&self, _cx: &EventContext, _pod: PodSandbox) -> nri::Result<()> {
///         Ok(())
///     }
/// }
///
/// impl Connection for Watcher {
///     async fn on_disconnect(&self, cx: &EventContext, reason: &nri::Error) {
///         eprintln!("lost the runtime for the {}th time: {reason:#}", cx.metrics().reconnects() + 1);
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not implement `Connection`",
    label = "there is no `impl Connection for {Self}`",
    note = "implement `Connection`, or remove it from `#[nri(handles(…))]`; if the impl needs a bound, add `#[nri(bound(…))]`"
)]
pub trait Connection: Send + Sync {
    /// Runs when the plugin is registered and synchronized for the first time.
    fn on_connect(&self, cx: &EventContext) -> impl Future<Output = ()> + Send {
        let _ = cx;
        async {}
    }

    /// Runs when the connection is lost. Until the plugin reconnects, its knowledge of pods and
    /// containers may be outdated.
    fn on_disconnect(&self, cx: &EventContext, reason: &Error) -> impl Future<Output = ()> + Send {
        let _ = (cx, reason);
        async {}
    }

    /// Runs when the plugin is registered and synchronized again after a disconnect.
    fn on_reconnect(&self, cx: &EventContext) -> impl Future<Output = ()> + Send {
        let _ = cx;
        async {}
    }
}

type Done<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The functions of a [`Connection`], as called by the stub.
pub struct ConnectionHooks<T: 'static> {
    /// Calls [`Connection::on_connect`].
    pub on_connect: for<'a> fn(&'a T, &'a EventContext) -> Done<'a>,
    /// Calls [`Connection::on_disconnect`].
    pub on_disconnect: for<'a> fn(&'a T, &'a EventContext, &'a Error) -> Done<'a>,
    /// Calls [`Connection::on_reconnect`].
    pub on_reconnect: for<'a> fn(&'a T, &'a EventContext) -> Done<'a>,
}

impl<T: Connection + 'static> ConnectionHooks<T> {
    /// Returns the hooks of a type that implements [`Connection`].
    pub const fn new() -> Self {
        ConnectionHooks {
            on_connect: |plugin, cx| Box::pin(plugin.on_connect(cx)),
            on_disconnect: |plugin, cx, reason| Box::pin(plugin.on_disconnect(cx, reason)),
            on_reconnect: |plugin, cx| Box::pin(plugin.on_reconnect(cx)),
        }
    }
}

/// The hooks of `T`, detected in the same way as handlers. This constant, for types that have hooks, hides the one in [`NoConnection`].
pub struct Connections<T>(PhantomData<T>);

impl<T: Connection + 'static> Connections<T> {
    /// The hooks of `T`.
    pub const HOOKS: Option<ConnectionHooks<T>> = Some(ConnectionHooks::new());
}

/// The fallback of [`Connections`].
pub trait NoConnection<T: 'static> {
    /// No hooks.
    const HOOKS: Option<ConnectionHooks<T>> = None;
}

impl<T: 'static> NoConnection<T> for Connections<T> {}
