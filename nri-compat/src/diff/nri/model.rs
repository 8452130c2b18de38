//! The model of a schema as an NRI protocol: reduced to the package of its services, and completed
//! if it lacks something that the other side has.
//!
//! The names of events are not on the wire, so a constant that was renamed is still the same event,
//! and the RPC that carries it is still the same RPC.

use heck::{ToShoutySnakeCase as _, ToUpperCamelCase as _};
use nri_schema::Schema;
use nri_schema::model::{Enum, EnumValue, FieldKind, NriView, Protocol, Service};

use super::semantics::{CONFIGURE, EVENT, PLUGIN, RUNTIME, SENTINEL, STATE_CHANGE};
use super::side::{enumeration, events_enum, full_name, package_of};

/// Returns the model of an NRI protocol: a schema with a service `Plugin` with `Configure`, and an
/// enum `Event`. Returns `None` for any other schema.
pub(in crate::diff) fn protocol(schema: &Schema) -> Option<Protocol> {
    if !may_be_nri(schema) {
        return None;
    }
    let protocol = Protocol::of_schema(schema);
    let services = protocol.services.iter();
    let complete_package = |service: &Service| {
        let is_complete = service.name == PLUGIN && service.rpc(CONFIGURE).is_some();
        let package = package_of(&service.full_name).to_owned();
        (is_complete && events(&protocol, &package, EVENT).is_some()).then_some(package)
    };
    // Of several packages both sides choose the same.
    let package = services.filter_map(complete_package).min()?;
    Some(reduced(protocol, package, EVENT, None))
}

/// Returns true if a schema has a service `Plugin` with `Configure`. The model of any other is not
/// made: it may be large.
fn may_be_nri(schema: &Schema) -> bool {
    schema.services.iter().any(|service| {
        service.id.name() == PLUGIN
            && service.methods.iter().any(|method| method.id.name() == CONFIGURE)
    })
}

/// Returns the model of a schema that is compared with an NRI protocol. Peers find each other by
/// the full names of services, so that a schema without one of them is still a side of a pairing:
/// one that cannot work.
pub(in crate::diff) fn like(protocol: Protocol, other: &Protocol) -> Protocol {
    let package = package_like(&protocol, &other.package);
    let events = events_like(&protocol, &package, other);
    reduced(protocol, package, &events, Some(other))
}

/// Returns true if the schema has a service `Plugin` or `Runtime` in this package.
fn serves(protocol: &Protocol, package: &str) -> bool {
    protocol
        .services
        .iter()
        .any(|service| is_known(service) && package_of(&service.full_name) == package)
}

fn is_known(service: &Service) -> bool {
    [PLUGIN, RUNTIME].contains(&service.name.as_str())
}

/// Returns the package of the protocol in a schema: the other side's, or else that of services or
/// messages.
fn package_like(protocol: &Protocol, other: &str) -> String {
    if serves(protocol, other) {
        return other.to_owned();
    }
    if let Some(service) = protocol.services.iter().find(|service| is_known(service)) {
        return package_of(&service.full_name).to_owned();
    }
    if protocol.messages.iter().any(|message| package_of(&message.full_name) == other) {
        other.to_owned()
    } else {
        protocol.package.clone()
    }
}

/// Returns the enum of events: the one with this name in the package, or else in another one, which
/// is not on the wire either.
fn events<'p>(protocol: &'p Protocol, package: &str, name: &str) -> Option<&'p Enum> {
    enumeration(protocol, &full_name(package, name))
        .or_else(|| protocol.enums.iter().find(|found| found.name == name))
}

/// Returns the name of the enum of events. It is not on the wire, so that it may have another name
/// than on the other side: that of the type of the same field in the request of `StateChange`.
fn events_like(protocol: &Protocol, package: &str, other: &Protocol) -> String {
    if events(protocol, package, EVENT).is_some() {
        return EVENT.to_owned();
    }
    renamed_events(protocol, package, other).unwrap_or_else(|| EVENT.to_owned())
}

/// Returns the name of the enum in the request of `StateChange`, by the field in which the other
/// side has the event.
fn renamed_events(protocol: &Protocol, package: &str, other: &Protocol) -> Option<String> {
    let request = &other.service(PLUGIN)?.rpc(STATE_CHANGE)?.input;
    let events = events(other, &other.package, EVENT)?.full_name.clone();
    let field = other
        .message(request)?
        .fields
        .iter()
        .find(|field| field.kind == FieldKind::Enum(events.clone()))?;
    let name = request.strip_prefix(other.package.as_str())?;
    let own = protocol
        .message(&format!("{package}{name}"))?
        .fields
        .iter()
        .find(|own| own.number == field.number)?;
    match &own.kind {
        FieldKind::Enum(full_name) => full_name.rsplit('.').next().map(str::to_owned),
        FieldKind::Scalar(_) | FieldKind::Message(_) | FieldKind::Map { .. } => None,
    }
}

/// Returns the protocol with the services of one package, and the view of it, in which events have
/// the names that they have for both sides.
fn reduced(
    mut protocol: Protocol,
    package: String,
    events: &str,
    other: Option<&Protocol>,
) -> Protocol {
    protocol.services.retain(|service| package_of(&service.full_name) == package);
    let events = self::events(&protocol, &package, events);
    protocol.nri = Some(NriView::of(protocol.service(PLUGIN), events));
    protocol.package = package;
    align(&mut protocol, other);
    protocol
}

/// Gives the events of a protocol the names that they have for both sides of a comparison: without
/// the prefix that lint rules ask for, and for a constant that was renamed the name by which an RPC
/// carries the event. The full names stay.
fn align(protocol: &mut Protocol, other: Option<&Protocol>) {
    let Some(declared) = events_enum(protocol) else {
        return;
    };
    let mut own = without_prefix(declared);
    if let Some((other, events)) = other.and_then(|other| Some((other, events_enum(other)?))) {
        let names = EventNames { sides: [protocol, other] };
        names.align(&mut own, &without_prefix(events));
    }
    protocol.nri = Some(NriView::of(protocol.service(PLUGIN), Some(&own)));
}

/// Returns the enum with names that do not begin with the name of the enum, if all do.
fn without_prefix(events: &Enum) -> Enum {
    let mut events = events.clone();
    let prefix = format!("{}_", events.name.to_shouty_snake_case());
    let has_prefix =
        |value: &EnumValue| value.name.len() > prefix.len() && value.name.starts_with(&prefix);
    if events.values.iter().all(has_prefix) {
        for value in &mut events.values {
            value.name.drain(..prefix.len());
        }
    }
    events
}

/// Both sides, whose RPCs say by which name an event is known.
struct EventNames<'p> {
    sides: [&'p Protocol; 2],
}

impl EventNames<'_> {
    /// Renames the constants that the other side has under another name, but with the same number.
    fn align(&self, own: &mut Enum, other: &Enum) {
        let before = own.clone();
        let sentinels = [sentinel(&before), sentinel(other)];
        for value in &mut own.values {
            if value.number == 0 || has_value(other, &value.name) {
                continue;
            }
            if sentinels[0] == Some(value.number) {
                if has_value(other, SENTINEL)
                    && !has_value(&before, SENTINEL)
                    && !self.is_known(&value.name)
                {
                    SENTINEL.clone_into(&mut value.name);
                }
                continue;
            }
            let renamed = other.values.iter().find(|known| {
                known.number == value.number
                    && sentinels[1] != Some(known.number)
                    && !has_value(&before, &known.name)
            });
            if let Some(known) = renamed {
                value.name = self.common(&value.name, &known.name).to_owned();
            }
        }
    }

    /// Returns the name that both sides use for an event. An event whose RPC was renamed too is
    /// another event.
    fn common<'n>(&self, own: &'n str, other: &'n str) -> &'n str {
        match (self.is_known(own), self.is_known(other)) {
            (true, _) => own,
            (false, true) => other,
            (false, false) => own.min(other),
        }
    }

    fn is_known(&self, event: &str) -> bool {
        let rpc = event.to_upper_camel_case();
        let mut services = self.sides.iter().filter_map(|side| side.service(PLUGIN));
        services.any(|plugin| plugin.rpc(&rpc).is_some())
    }
}

fn has_value(events: &Enum, name: &str) -> bool {
    events.values.iter().any(|value| value.name == name)
}

/// Returns the number of the sentinel: that of `LAST`, or else the highest.
fn sentinel(events: &Enum) -> Option<i32> {
    let last = events.values.iter().find(|value| value.name == SENTINEL);
    let numbers = events.values.iter().map(|value| value.number);
    last.map(|last| last.number).or_else(|| numbers.max())
}
