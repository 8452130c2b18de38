//! The rows of a dispatch table, and the facts about an RPC that do not depend on a plugin.

use super::{Body, Call};
use crate::api::Event;
use crate::{EventContext, Result};

/// One RPC of the Plugin service.
#[derive(Debug)]
pub struct Rpc {
    /// The name, such as `RunPodSandbox`, which is also the name of its handler trait.
    pub name: &'static str,
    /// The event that it carries; `None` for Configure, Synchronize, Shutdown and StateChange.
    pub event: Option<Event>,
    /// The event's name in the proto, such as `RUN_POD_SANDBOX`.
    pub event_name: Option<&'static str>,
    /// The first NRI release that has the RPC, such as `v0.12.0`.
    pub since: &'static str,
    /// The first NRI release that has the event. It may be untagged: CRI-O ships two untagged
    /// releases. Older runtimes drop a plugin that subscribes to the event.
    pub event_since: Option<&'static str>,
    /// The field numbers of the request, each with the number of the same field in
    /// StateChangeEvent, for an event that StateChange carries too.
    pub change_fields: Option<&'static [(u32, u32)]>,
    /// The deprecation of the RPC, if it is deprecated.
    pub deprecated: Option<Deprecation>,
}

/// A deprecated interface, described for authors and operators of plugins.
#[derive(Clone, Copy, Debug)]
pub struct Deprecation {
    /// The NRI release that deprecated it, such as `v0.12.0`.
    pub since: &'static str,
    /// The planned removal, such as `containerd 2.7`.
    pub removal: &'static str,
    /// The handler traits to implement instead.
    pub instead: &'static [&'static str],
}

/// Decodes a request and calls the handler.
pub type Handler<T> = for<'a> fn(&'a T, &'a EventContext, Body) -> Result<Call<'a>>;

/// An RPC, with the plugin's handler for it, if any.
pub struct Row<T: 'static> {
    /// The RPC that the row describes.
    pub rpc: &'static Rpc,
    /// The handler; `None` if the plugin does not implement the trait.
    pub handler: Option<Handler<T>>,
}

impl<T> Row<T> {
    /// Creates the row of an RPC that the plugin does not handle.
    pub const fn unhandled(rpc: &'static Rpc) -> Self {
        Row { rpc, handler: None }
    }
}

/// Writes what the derive needs of each RPC: the row of a type that lists its handlers, a constant
/// of [`Handlers`], and the function that decodes a request and calls the handler.
///
/// A row has the function that converts a request to the type that it shares with others, the
/// subject, the arguments of the handler, and the function that makes the response. Between these,
/// `keep` gives the context the fields of the request that are not arguments, for an RPC whose
/// request got fields after its first release.
///
/// [`Handlers`]: super::Handlers
macro_rules! rows {
    ($(
        $(#[$lint:meta])?
        $constant:ident: $handler:ident::$method:ident($request:ident, $cx:ident) {
            $conversion:expr;
            $subject:expr;
            $(keep $later:expr;)?
            ($($argument:expr),*) => $respond:expr
        }
    )*) => {
        /// The rows of types that list their handlers. The compiler names this path in the error
        /// about a missing bound of a handler impl.
        pub mod add_missing_bounds_with_nri_bound {
            use super::*;
            $(
                #[doc = concat!("`", stringify!($handler), "`.")]
                $(#[$lint])?
                pub const fn $method<T: $handler + 'static>() -> Row<T> {
                    Row { rpc: &rpc::$constant, handler: Some(super::$method::<T>) }
                }
            )*
        }

        /// The handlers of `T`: a constant for each RPC. A constant here, for an RPC that `T`
        /// handles, hides the constant with the same name in [`Unhandled`].
        pub struct Handlers<T>(std::marker::PhantomData<T>);

        /// The fallback of [`Handlers`].
        pub trait Unhandled<T: 'static> {
            $(
                #[doc = concat!("`", stringify!($handler), "`.")]
                const $constant: Row<T> = Row::unhandled(&rpc::$constant);
            )*
        }

        impl<T: 'static> Unhandled<T> for Handlers<T> {}

        $(
            impl<T: $handler + 'static> Handlers<T> {
                #[doc = concat!("`", stringify!($handler), "`.")]
                $(#[$lint])?
                pub const $constant: Row<T> =
                    Row { rpc: &rpc::$constant, handler: Some($method::<T>) };
            }

            fn $method<'a, T: $handler + 'static>(
                plugin: &'a T,
                $cx: &'a EventContext,
                request: Body,
            ) -> Result<Call<'a>> {
                let $request = decode(stringify!($handler), request, $conversion)?;
                let subject = $subject;
                $($cx.keep($later);)?
                let handler = plugin.$method($cx, $($argument),*);
                Ok(Call::new($cx, subject, handler, $respond))
            }
        )*
    };
}

pub(super) use rows;
