//! Resolves the name of a method to the handler of the request, and converts between dedicated
//! requests and StateChangeEvent, which have the same fields with different numbers.

use bytes::Bytes;

use super::payload::malformed;
use super::rpcs::RPCS;
use super::{Body, Call, Handler, Plugin, Row, Rpc};
use crate::api::Event;
use crate::codec::DecodeError;
use crate::codec::wire::{WireType, fields as raw_fields, put_key, put_varint};
use crate::{Error, ErrorKind, EventContext, Result};

/// The handler of a request, and how the request is converted for it.
pub struct Route<P: Plugin> {
    /// The RPC whose handler takes the request, which may differ from the RPC that was called.
    pub rpc: &'static Rpc,
    /// The event of the request; `None` for Configure, Synchronize and Shutdown.
    pub event: Option<Event>,
    handler: Handler<P::Inner>,
    bridge: Bridge,
}

/// The conversion of a request for its handler.
enum Bridge {
    /// No conversion.
    None,
    /// The runtime sent StateChange, and the handler is that of the dedicated RPC.
    FromChange(&'static [(u32, u32)]),
    /// The runtime called the dedicated RPC, and the handler is that of StateChange.
    ToChange(Event, &'static [(u32, u32)]),
}

impl<P: Plugin> Route<P> {
    /// Decodes the request and passes it to the handler, which starts when the reply is first
    /// polled.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Malformed`] if the payload is not the message of this RPC.
    pub fn call<'a>(&self, plugin: &'a P, cx: &'a EventContext, request: Body) -> Result<Call<'a>> {
        let plugin = plugin.inner();
        let rewritten = match self.bridge {
            Bridge::None => return (self.handler)(plugin, cx, request),
            Bridge::FromChange(fields) => from_change(&request.into_bytes(), fields),
            Bridge::ToChange(event, fields) => to_change(&request.into_bytes(), event, fields),
        };
        let rewritten = rewritten.map_err(|error| malformed(self.rpc.name, error))?;
        (self.handler)(plugin, cx, Body::Encoded(rewritten.into()))
    }
}

/// Finds the handler that takes a request.
///
/// Returns `None` for an RPC or event that the plugin does not handle: the answer is then success
/// with an empty message. With UNIMPLEMENTED the runtime would repeat the request as StateChange
/// and record a deprecation even if there is none.
///
/// # Errors
///
/// Returns [`ErrorKind::Unimplemented`] for an RPC that this protocol revision does not have, and
/// [`ErrorKind::Malformed`] for a StateChange whose event cannot be read.
pub fn resolve<P: Plugin>(method: &str, payload: &[u8]) -> Result<Option<Route<P>>> {
    let row = by_name::<P>(method).ok_or_else(|| unimplemented(method))?;
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
    request: Bytes,
) -> Result<Vec<u8>> {
    match resolve::<P>(method, &request)? {
        Some(route) => {
            let answer = route.call(plugin, cx, Body::Encoded(request))?.reply.await?;
            Ok(answer.response.into_bytes().into())
        }
        None => Ok(Vec::new()),
    }
}

/// The RPC that older runtimes and plugins use for nine of the events.
const STATE_CHANGE: &str = "StateChange";

fn by_name<P: Plugin>(rpc: &str) -> Option<&'static Row<P::Inner>> {
    P::TABLE.iter().find(|row| row.rpc.name == rpc)
}

/// Routes a StateChange to the handler of its event, or if there is none to the handler of
/// StateChange.
fn from_state_change<P: Plugin>(
    state_change: &Row<P::Inner>,
    payload: &[u8],
) -> Result<Option<Route<P>>> {
    let number = event_number(payload).map_err(|error| malformed(STATE_CHANGE, error))?;
    let event = Event::try_from(number).ok();
    let carries =
        |row: &&Row<P::Inner>| row.rpc.event.is_some_and(|carried| carried as i32 == number);
    let dedicated = P::TABLE.iter().find(carries).and_then(|row| {
        let bridge = Bridge::FromChange(row.rpc.change_fields?);
        Some(Route { rpc: row.rpc, event, handler: row.handler?, bridge })
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
    let state_change = by_name::<P>(STATE_CHANGE)?;
    Some(Route { rpc: state_change.rpc, event: rpc.event, handler: state_change.handler?, bridge })
}

fn unimplemented(method: &str) -> Error {
    let shown: String = method.chars().take(64).collect();
    Error::with_kind(
        ErrorKind::Unimplemented,
        format!("{shown:?} is not an RPC of the Plugin service"),
    )
}

/// The number of `event` in StateChangeEvent.
const EVENT_FIELD: u32 = 1;

/// Returns the event number in a StateChangeEvent; 0 if it has none.
fn event_number(change: &[u8]) -> Result<i32, DecodeError> {
    let mut event = 0;
    for field in raw_fields(change) {
        let field = field?;
        if let (EVENT_FIELD, Some(number)) = (field.number, field.varint()) {
            event = number as i32;
        }
    }
    Ok(event)
}

/// Converts a StateChangeEvent to the dedicated request. `fields`: (number in the request, number
/// in StateChangeEvent).
fn from_change(change: &[u8], fields: &[(u32, u32)]) -> Result<Vec<u8>, DecodeError> {
    let mut request = Vec::with_capacity(change.len());
    renumber(change, &mut request, |from| {
        fields.iter().find(|(_, in_change)| *in_change == from).map(|(own, _)| *own)
    })?;
    Ok(request)
}

/// Converts the request of a dedicated RPC, such as `RunPodSandbox`, to the request of
/// `StateChange` with the same event; `None` for an RPC whose event `StateChange` never carried.
/// Both have the same fields with different numbers; a field that StateChange does not have is left
/// out.
///
/// For programs between a runtime and a plugin, which see messages as bytes. The `nri` crate
/// converts by itself.
///
/// ```
/// use nri::api::{Event, RunPodSandboxRequest, StateChangeEvent};
/// use nri::codec::Message as _;
///
/// let request = RunPodSandboxRequest::default().encode_to_vec();
/// let change = nri::plugin::state_change("RunPodSandbox", &request)?.expect("StateChange has it");
/// assert_eq!(StateChangeEvent::decode(&change[..])?.event(), Event::RunPodSandbox);
/// assert_eq!(nri::plugin::state_change("CreateContainer", b"")?, None);
/// # Ok::<(), nri::codec::DecodeError>(())
/// ```
///
/// # Errors
///
/// Returns an error if the request is not a protobuf message.
pub fn state_change(method: &str, request: &[u8]) -> Result<Option<Vec<u8>>, DecodeError> {
    let rpc = RPCS.iter().find(|rpc| rpc.name == method);
    let carried = rpc.and_then(|rpc| Some((rpc.event?, rpc.change_fields?)));
    carried.map(|(event, fields)| to_change(request, event, fields)).transpose()
}

/// Converts a dedicated request to a StateChangeEvent.
pub fn to_change(
    request: &[u8],
    event: Event,
    fields: &[(u32, u32)],
) -> Result<Vec<u8>, DecodeError> {
    let mut change = Vec::with_capacity(request.len() + 2);
    put_key(EVENT_FIELD, WireType::Varint, &mut change);
    put_varint(event as u64, &mut change);
    renumber(request, &mut change, |from| {
        fields.iter().find(|(own, _)| *own == from).map(|(_, in_change)| *in_change)
    })?;
    Ok(change)
}

/// Copies the fields that have a new number, and drops the others. Only the keys change, so nothing
/// is decoded twice.
fn renumber(
    from: &[u8],
    to: &mut Vec<u8>,
    number: impl Fn(u32) -> Option<u32>,
) -> Result<(), DecodeError> {
    for field in raw_fields(from) {
        let field = field?;
        if let Some(number) = number(field.number) {
            put_key(number, field.wire_type, to);
            to.extend_from_slice(field.value);
        }
    }
    Ok(())
}
