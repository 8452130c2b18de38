//! The dispatch table of one plugin type.

use std::fmt;

use super::{Call, Payload, Rpc};
use crate::{EventContext, Result};

/// Decodes a request and calls the handler. Borrows nothing from the payload, because the reply may
/// outlive it.
pub type Handler<T> = for<'a> fn(&'a T, &'a EventContext, Payload<'_>) -> Result<Call<'a>>;

/// An RPC, with the plugin's handler for it, if any.
pub struct Row<T: 'static> {
    /// The RPC that the row describes.
    pub rpc: &'static Rpc,
    /// The handler; `None` if the plugin does not implement the trait.
    pub handler: Option<Handler<T>>,
}

impl<T> Clone for Row<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Row<T> {}

impl<T> fmt::Debug for Row<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let handled = self.handler.is_some();
        f.debug_struct("Row")
            .field("rpc", &self.rpc.name)
            .field("handled", &handled)
            .finish()
    }
}

impl<T> Row<T> {
    /// Creates the row of an RPC that the plugin handles.
    pub const fn handled(rpc: &'static Rpc, handler: Handler<T>) -> Self {
        Row {
            rpc,
            handler: Some(handler),
        }
    }

    /// Creates the row of an RPC that the plugin does not handle.
    pub const fn unhandled(rpc: &'static Rpc) -> Self {
        Row { rpc, handler: None }
    }
}

/// Writes what the derive needs of each RPC: the row of a type that lists its handlers, a constant of [`Handlers`], and the
/// function that decodes a request and calls the handler.
///
/// A row has the function that converts a request to the type that it shares with others, the subject, the arguments of
/// the handler, and the function that makes the response.
///
/// [`Handlers`]: super::Handlers
macro_rules! rows {
    ($(
        $(#[$lint:meta])?
        $constant:ident: $handler:ident::$method:ident($request:ident, $cx:ident) {
            $conversion:expr;
            $subject:expr;
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
                    Row::handled(&rpc::$constant, super::$method::<T>)
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
                pub const $constant: Row<T> = Row::handled(&rpc::$constant, $method::<T>);
            }

            fn $method<'a, T: $handler + 'static>(
                plugin: &'a T,
                $cx: &'a EventContext,
                payload: Payload<'_>,
            ) -> Result<Call<'a>> {
                let $request = decode(stringify!($handler), payload, $conversion)?;
                let subject = $subject;
                let handler = plugin.$method($cx, $($argument),*);
                Ok(Call::new($cx, subject, handler, $respond))
            }
        )*
    };
}

pub(super) use rows;

/// A row for each RPC of the Plugin service, in the order of the proto.
pub struct Table<T: 'static> {
    /// The derive writes this as a struct, because only then does the compiler promote the rows to
    /// `'static`.
    #[doc(hidden)]
    pub rows: &'static [Row<T>],
}

impl<T> Clone for Table<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Table<T> {}

impl<T> fmt::Debug for Table<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.rows).finish()
    }
}

impl<T> Table<T> {
    /// Returns the rows, in the order of the proto.
    pub const fn rows(self) -> &'static [Row<T>] {
        self.rows
    }

    /// Returns the row of the RPC with this name.
    pub fn by_name(self, rpc: &str) -> Option<Row<T>> {
        self.find(|row| row.rpc.name == rpc)
    }

    /// Returns the row of the RPC that carries the event with this number.
    pub fn by_event(self, event: i32) -> Option<Row<T>> {
        self.find(|row| row.rpc.event.is_some_and(|carried| carried as i32 == event))
    }

    /// Returns the deprecated RPCs that the plugin handles, for a warning at start.
    pub fn deprecated(self) -> impl Iterator<Item = &'static Rpc> {
        let handled = self.rows.iter().filter(|row| row.handler.is_some());
        handled
            .map(|row| row.rpc)
            .filter(|rpc| rpc.deprecated.is_some())
    }

    fn find(self, matches: impl Fn(&Row<T>) -> bool) -> Option<Row<T>> {
        self.rows.iter().find(|row| matches(row)).copied()
    }
}
