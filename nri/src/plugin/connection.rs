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

/// The end of a hook.
pub(super) type Done<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// A change of the connection.
#[derive(Clone, Copy)]
pub enum Change<'a> {
    /// Runs [`Connection::on_connect`].
    Connected,
    /// Runs [`Connection::on_disconnect`] with this reason.
    Disconnected(&'a Error),
    /// Runs [`Connection::on_reconnect`].
    Reconnected,
}

/// The function that the stub calls with each change.
pub type Hook<T> = for<'a> fn(&'a T, &'a EventContext, Change<'a>) -> Done<'a>;

/// Runs the method of a [`Connection`] for a change.
pub fn hook<'a, T: Connection>(
    plugin: &'a T,
    cx: &'a EventContext,
    change: Change<'a>,
) -> Done<'a> {
    match change {
        Change::Connected => Box::pin(plugin.on_connect(cx)),
        Change::Disconnected(reason) => Box::pin(plugin.on_disconnect(cx, reason)),
        Change::Reconnected => Box::pin(plugin.on_reconnect(cx)),
    }
}

/// The hook of `T`, detected in the same way as handlers. This constant, for types that have one,
/// hides the one in [`NoConnection`].
pub struct Connections<T>(PhantomData<T>);

impl<T: Connection + 'static> Connections<T> {
    /// The hook of `T`.
    pub const HOOK: Option<Hook<T>> = Some(hook::<T>);
}

/// The fallback of [`Connections`].
pub trait NoConnection<T: 'static> {
    /// No hook.
    const HOOK: Option<Hook<T>> = None;
}

impl<T: 'static> NoConnection<T> for Connections<T> {}
