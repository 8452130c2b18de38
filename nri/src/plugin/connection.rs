//! Being told that the connection to the runtime went away and came back.

use std::pin::Pin;

use crate::{Context, Error};

/// Told about the connection to the runtime. Both do nothing unless written.
///
/// Matters to plugins that the runtime did not launch: they outlive it and connect again.
pub trait Connection: Send + Sync + 'static {
    /// The connection was lost: what the plugin knows about pods and containers is out of date from now on.
    fn on_disconnect(&self, cx: &Context, reason: &Error) -> impl Future<Output = ()> + Send {
        let _ = (cx, reason);
        async {}
    }

    /// The plugin is registered again, and Synchronize has told it what there is.
    fn on_reconnect(&self, cx: &Context) -> impl Future<Output = ()> + Send {
        let _ = cx;
        async {}
    }
}

type Done<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The functions of a [`Connection`], as the stub calls them.
pub struct ConnectionHooks<T: 'static> {
    /// Calls [`Connection::on_disconnect`].
    pub on_disconnect: for<'a> fn(&'a T, &'a Context, &'a Error) -> Done<'a>,
    /// Calls [`Connection::on_reconnect`].
    pub on_reconnect: for<'a> fn(&'a T, &'a Context) -> Done<'a>,
}

impl<T: Connection> ConnectionHooks<T> {
    /// The hooks of a type that implements [`Connection`].
    pub const fn new() -> Self {
        ConnectionHooks {
            on_disconnect: |plugin, cx, reason| Box::pin(plugin.on_disconnect(cx, reason)),
            on_reconnect: |plugin, cx| Box::pin(plugin.on_reconnect(cx)),
        }
    }
}

impl<T: Connection> Default for ConnectionHooks<T> {
    fn default() -> Self {
        Self::new()
    }
}
