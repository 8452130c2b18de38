//! Resolves the name of a method to the handler of the request.

use std::fmt;

use super::payload::malformed;
use super::{Call, Handler, Payload, Plugin, Row, Rpc, bridge};
use crate::api::Event;
use crate::{Error, ErrorKind, EventContext, Result};

/// The handler of a request, and how the request is converted for it.
pub struct Route<P: Plugin> {
    rpc: &'static Rpc,
    event: Option<Event>,
    handler: Handler<P>,
    bridge: Bridge,
}

/// The conversion of a request for its handler.
#[derive(Clone, Copy, Debug)]
enum Bridge {
    /// No conversion.
    None,
    /// The runtime sent StateChange, and the handler is that of the dedicated RPC.
    FromChange(&'static [(u32, u32)]),
    /// The runtime called the dedicated RPC, and the handler is that of StateChange.
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
    /// Returns the RPC whose handler takes the request, which may differ from the RPC that was
    /// called.
    pub fn rpc(self) -> &'static Rpc {
        self.rpc
    }

    /// Returns the event of the request, or `None` for Configure, Synchronize and Shutdown.
    pub fn event(self) -> Option<Event> {
        self.event
    }

    /// Decodes the request and passes it to the handler, which starts when the reply is first
    /// polled.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Malformed`] if the payload is not the message of this RPC.
    pub fn call<'a, 'p>(
        self,
        plugin: &'a P,
        cx: &'a EventContext,
        payload: impl Into<Payload<'p>>,
    ) -> Result<Call<'a>> {
        let payload = payload.into();
        let rewritten = match self.bridge {
            Bridge::None => return (self.handler)(plugin, cx, payload),
            Bridge::FromChange(fields) => bridge::from_change(&payload.to_bytes(), fields),
            Bridge::ToChange(event, fields) => {
                bridge::to_change(&payload.to_bytes(), event, fields)
            }
        };
        let rewritten = rewritten.map_err(|error| malformed(self.rpc.name, error))?;
        (self.handler)(plugin, cx, Payload::Encoded(&rewritten))
    }
}

/// Finds the handler that takes a request.
///
/// Returns `None` for an RPC or event that the plugin does not handle: the answer is then success
/// with an empty message. With UNIMPLEMENTED the runtime would repeat the request as StateChange
/// and record a deprecation although there is none.
///
/// # Errors
///
/// Returns [`ErrorKind::Unimplemented`] for an RPC that this protocol revision does not have, and
/// [`ErrorKind::Malformed`] for a StateChange whose event cannot be read.
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

/// Answers one request with [`resolve`] and [`Route::call`], or with an empty message if there is
/// no handler.
///
/// # Errors
///
/// Returns the errors of [`resolve`], [`Route::call`] and the handler.
pub async fn dispatch<P: Plugin>(
    plugin: &P,
    cx: &EventContext,
    method: &str,
    payload: &[u8],
) -> Result<Vec<u8>> {
    match resolve::<P>(method, payload)? {
        Some(route) => {
            let answer = route.call(plugin, cx, payload)?.reply.await?;
            Ok(answer.response.into_bytes().into())
        }
        None => Ok(Vec::new()),
    }
}

/// The RPC that older runtimes and plugins use for nine of the events.
const STATE_CHANGE: &str = "StateChange";

/// Routes a StateChange to the handler of its event, or if there is none to the handler of
/// StateChange.
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

/// Routes an RPC whose event used to be sent as StateChange to the handler of StateChange, if it
/// has no handler itself.
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
