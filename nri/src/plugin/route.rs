//! From the name of a method to the handler that takes it.

use std::fmt;

use super::call::malformed;
use super::{Call, Handler, Plugin, Row, Rpc, bridge};
use crate::api::Event;
use crate::{Context, Error, ErrorKind, Result};

/// The way of one request to its handler.
pub struct Route<P: Plugin> {
    rpc: &'static Rpc,
    event: Option<Event>,
    handler: Handler<P>,
    bridge: Bridge,
}

/// How a request is to be rewritten for its handler.
#[derive(Clone, Copy, Debug)]
enum Bridge {
    /// Not at all.
    None,
    /// The runtime sent StateChange, the handler is of the dedicated RPC.
    FromChange(&'static [(u32, u32)]),
    /// The runtime called the dedicated RPC, the handler is of StateChange.
    ToChange(Event, &'static [(u32, u32)]),
}

impl<P: Plugin> Clone for Route<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Plugin> Copy for Route<P> {}

impl<P: Plugin> fmt::Debug for Route<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Route");
        shown
            .field("rpc", &self.rpc.name)
            .field("event", &self.event)
            .field("bridge", &self.bridge);
        shown.finish_non_exhaustive()
    }
}

impl<P: Plugin> Route<P> {
    /// The RPC whose handler takes the request, which need not be the one that was called.
    pub fn rpc(self) -> &'static Rpc {
        self.rpc
    }

    /// The event that the request tells of; `None` for Configure, Synchronize and Shutdown.
    pub fn event(self) -> Option<Event> {
        self.event
    }

    /// Decodes the request and gives it to the handler, which starts when the answer is first polled.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Malformed`] when the payload is not the message of this RPC.
    pub fn call<'a>(self, plugin: &'a P, cx: &'a Context, payload: &[u8]) -> Result<Call<'a>> {
        let rewritten = match self.bridge {
            Bridge::None => return (self.handler)(plugin, cx, payload),
            Bridge::FromChange(fields) => bridge::from_change(payload, fields),
            Bridge::ToChange(event, fields) => bridge::to_change(payload, event, fields),
        };
        (self.handler)(
            plugin,
            cx,
            &rewritten.map_err(|error| malformed(self.rpc.name, error))?,
        )
    }
}

/// Finds the handler that takes a request.
///
/// `None` for an RPC or event that the plugin has no handler for: the answer is success and an empty message. An
/// UNIMPLEMENTED there would make the runtime try again with StateChange and record a deprecation that is none.
///
/// # Errors
///
/// [`ErrorKind::Unimplemented`] for an RPC that this protocol revision does not have, [`ErrorKind::Malformed`] for a
/// StateChange whose event cannot be read.
pub fn resolve<P: Plugin>(method: &str, payload: &[u8]) -> Result<Option<Route<P>>> {
    let row = P::TABLE
        .by_name(method)
        .ok_or_else(|| unimplemented(method))?;
    if row.rpc.name == STATE_CHANGE {
        return from_state_change(row, payload);
    }
    let dedicated = row.handler.map(|handler| Route {
        rpc: row.rpc,
        event: row.rpc.event,
        handler,
        bridge: Bridge::None,
    });
    Ok(dedicated.or_else(|| to_state_change(row.rpc)))
}

/// Answers one request: [`resolve`], [`Route::call`], and an empty message where there is no handler.
///
/// # Errors
///
/// Those of [`resolve`] and [`Route::call`], and the handler's own.
pub async fn dispatch<P: Plugin>(
    plugin: &P,
    cx: &Context,
    method: &str,
    payload: &[u8],
) -> Result<Vec<u8>> {
    match resolve::<P>(method, payload)? {
        Some(route) => Ok(route.call(plugin, cx, payload)?.reply.await?.response),
        None => Ok(Vec::new()),
    }
}

/// The RPC that older runtimes, and older plugins, have for nine of the events.
const STATE_CHANGE: &str = "StateChange";

/// A StateChange goes to the handler of its event; what has none goes to the handler of StateChange.
fn from_state_change<P: Plugin>(state_change: Row<P>, payload: &[u8]) -> Result<Option<Route<P>>> {
    let number = bridge::event_number(payload).map_err(|error| malformed(STATE_CHANGE, error))?;
    let event = Event::try_from(number).ok();
    let dedicated = P::TABLE.by_event(number).and_then(|row| {
        let bridge = Bridge::FromChange(row.rpc.change_fields?);
        Some(Route {
            rpc: row.rpc,
            event,
            handler: row.handler?,
            bridge,
        })
    });
    let own = state_change.handler.map(|handler| Route {
        rpc: state_change.rpc,
        event,
        handler,
        bridge: Bridge::None,
    });
    Ok(dedicated.or(own))
}

/// An RPC that took an event over from StateChange goes to the handler of StateChange if it has none of its own.
fn to_state_change<P: Plugin>(rpc: &'static Rpc) -> Option<Route<P>> {
    let bridge = Bridge::ToChange(rpc.event?, rpc.change_fields?);
    let state_change = P::TABLE.by_name(STATE_CHANGE)?;
    Some(Route {
        rpc: state_change.rpc,
        event: rpc.event,
        handler: state_change.handler?,
        bridge,
    })
}

pub(super) fn unimplemented(method: &str) -> Error {
    let shown: String = method.chars().take(64).collect();
    Error::with_kind(
        ErrorKind::Unimplemented,
        format!("{shown:?} is not an RPC of the Plugin service"),
    )
}
