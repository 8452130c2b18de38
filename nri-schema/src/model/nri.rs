//! The NRI view of a schema: events, their mask, and the RPC that carries each.

use heck::ToUpperCamelCase;

use super::{About, Enum, EnumValue, Protocol, Rpc, Service};

/// Name of the service that plugins serve.
pub const PLUGIN: &str = "Plugin";
/// Name of the enum of events.
pub const EVENT: &str = "Event";
/// The value of `Event` that is one above the last event.
pub(crate) const LAST: &str = "LAST";
/// The RPC for events without a dedicated one.
pub const STATE_CHANGE: &str = "StateChange";

/// Events of a protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NriView {
    /// Events, ascending by number, without the zero value and the sentinel `LAST`.
    pub events: Vec<Event>,
    /// Number of the sentinel `LAST`; `None` if the enum lacks it.
    pub last: Option<i32>,
    /// The mask of all events that a runtime of this protocol accepts: bits for 1 to `LAST` - 1.
    pub valid_mask: u32,
    /// True if service `Plugin` has `StateChange`.
    pub state_change: bool,
}

/// An event that a plugin can subscribe to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// `RUN_POD_SANDBOX`
    pub name: String,
    /// Full name of the enum value.
    pub full_name: String,
    /// The value of the enum, starting at 1.
    pub number: i32,
    /// Its bit in the mask: `1 << (number - 1)`; 0 if the number does not fit into a mask of 32
    /// bits.
    pub bit: u32,
    /// `RunPodSandbox`: the name of the event, and of its dedicated RPC if there is one.
    pub rpc_name: String,
    /// The RPC of service `Plugin` that carries it in this protocol.
    pub carrier: Carrier,
    /// Full name of the request that carries it; `None` if nothing does.
    pub request: Option<String>,
    /// Full name of the answer; `None` if nothing carries it.
    pub response: Option<String>,
    /// The subject of the event.
    pub scope: Scope,
    /// The comment and location.
    pub about: About,
}

/// The way in which an event reaches a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Carrier {
    /// In its dedicated RPC.
    Dedicated,
    /// As `StateChange`.
    StateChange,
    /// The protocol has neither a dedicated RPC nor StateChange.
    Nothing,
}

/// The names `pod` and `container` that select an event, as in the Go API: those that its name
/// contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The name of the event contains `Pod`.
    Pod,
    /// The name of the event contains `Container`.
    Container,
    /// The name of the event contains neither.
    Other,
}

impl NriView {
    /// Returns the view of a protocol with this service as `Plugin`, and this enum as `Event`.
    ///
    /// Without a service nothing carries the events; without an enum there are none.
    pub fn of(plugin: Option<&Service>, events: Option<&Enum>) -> Self {
        let values = events.map_or(&[][..], |events| &events.values);
        let last = values.iter().find(|value| value.name == LAST).map(|value| value.number);
        Self {
            events: real_events(values, plugin),
            last,
            valid_mask: valid_mask(last),
            state_change: plugin.is_some_and(|plugin| plugin.rpc(STATE_CHANGE).is_some()),
        }
    }

    /// Returns the event with this enum value name.
    pub fn event(&self, name: &str) -> Option<&Event> {
        self.events.iter().find(|event| event.name == name)
    }

    /// Returns the event that the RPC with this name carries, except `StateChange`.
    pub fn event_of_rpc(&self, rpc: &str) -> Option<&Event> {
        self.events
            .iter()
            .find(|event| event.carrier == Carrier::Dedicated && event.rpc_name == rpc)
    }
}

/// Returns the view of `protocol`, if it has a service `Plugin` with `Configure`, and an enum
/// `Event`.
pub(super) fn view(protocol: &Protocol) -> Option<NriView> {
    let plugin = protocol.service(PLUGIN)?;
    plugin.rpc("Configure")?;
    let events = protocol.enumeration(EVENT)?;
    Some(NriView::of(Some(plugin), Some(events)))
}

fn real_events(values: &[EnumValue], plugin: Option<&Service>) -> Vec<Event> {
    let mut real: Vec<Event> = values
        .iter()
        .filter(|value| value.number > 0 && value.name != LAST)
        .map(|value| {
            let rpc_name = value.name.to_upper_camel_case();
            let (carrier, rpc) = carrier(&rpc_name, plugin);
            Event {
                name: value.name.clone(),
                full_name: value.full_name.clone(),
                number: value.number,
                bit: bit(value.number),
                carrier,
                request: rpc.map(|rpc| rpc.input.clone()),
                response: rpc.map(|rpc| rpc.output.clone()),
                scope: scope(&rpc_name),
                rpc_name,
                about: value.about.clone(),
            }
        })
        .collect();
    real.sort_by_key(|event| event.number);
    real
}

fn carrier<'p>(rpc_name: &str, plugin: Option<&'p Service>) -> (Carrier, Option<&'p Rpc>) {
    let rpc = |name| plugin.and_then(|plugin| plugin.rpc(name));
    if let Some(rpc) = rpc(rpc_name) {
        return (Carrier::Dedicated, Some(rpc));
    }
    match rpc(STATE_CHANGE) {
        Some(rpc) => (Carrier::StateChange, Some(rpc)),
        None => (Carrier::Nothing, None),
    }
}

fn bit(number: i32) -> u32 {
    let shift = u32::try_from(number - 1).ok();
    shift.and_then(|shift| 1_u32.checked_shl(shift)).unwrap_or(0)
}

/// Returns the mask of the valid events. The rule is `LAST - 1`:
/// <https://github.com/containerd/nri/blob/v0.12.5/pkg/api/event.go>.
fn valid_mask(last: Option<i32>) -> u32 {
    let count = last.map_or(0, |last| last.clamp(1, 32) - 1);
    (1..=count).map(bit).fold(0, |mask, bit| mask | bit)
}

fn scope(rpc_name: &str) -> Scope {
    match rpc_name {
        name if name.contains("Pod") => Scope::Pod,
        name if name.contains("Container") => Scope::Container,
        _ => Scope::Other,
    }
}
