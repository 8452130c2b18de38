//! Detects whether a type implements [`Connection`], in the same way as the generated `Handlers`
//! detects handlers.

use super::{Connection, ConnectionHooks};

/// The hooks of `T`. This constant, for types that have hooks, hides the one in [`NoConnection`].
pub struct Connections<T>(std::marker::PhantomData<T>);

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
