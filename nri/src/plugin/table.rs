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
