//! Whether a type implements [`Connection`], in the way that the generated `Handlers` finds handlers.

use super::{Connection, ConnectionHooks};

/// Holds the hooks of `T`. The constant here, for types that have hooks, hides the one in [`NoConnection`].
pub struct Connections<T>(std::marker::PhantomData<T>);

impl<T: Connection> Connections<T> {
    /// The hooks of `T`.
    pub const HOOKS: Option<ConnectionHooks<T>> = Some(ConnectionHooks::new());
}

/// The fallback of [`Connections`].
pub trait NoConnection<T: 'static> {
    /// No hooks.
    const HOOKS: Option<ConnectionHooks<T>> = None;
}

impl<T: 'static> NoConnection<T> for Connections<T> {}
