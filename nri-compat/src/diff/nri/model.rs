//! The model of a schema as an NRI protocol: reduced to the package of its services, and completed
//! if it lacks something that the other side has.

use nri_schema::Schema;
use nri_schema::model::{Enum, FieldKind, NriView, Protocol, Service};

use super::event_names;
use super::semantics::{CONFIGURE, EVENT, PLUGIN, RUNTIME, STATE_CHANGE};
use super::side::{enumeration, full_name, package_of};

/// Returns the model of an NRI protocol: a schema with a service `Plugin` with `Configure`, and an
/// enum `Event`. Returns `None` for any other schema.
pub(in crate::diff) fn protocol(schema: &Schema) -> Option<Protocol> {
    if !may_be_nri(schema) {
        return None;
    }
    let protocol = Protocol::of_schema(schema);
    let services = protocol.services.iter();
    let package = |service: &Service| {
        let is_complete = service.name == PLUGIN && service.rpc(CONFIGURE).is_some();
        let package = package_of(&service.full_name).to_owned();
        (is_complete && events(&protocol, &package, EVENT).is_some()).then_some(package)
    };
    // Of several packages both sides choose the same.
    let package = services.filter_map(package).min()?;
    Some(reduced(protocol, package, EVENT, None))
}

/// Returns true if a schema has a service `Plugin` with `Configure`. The model of any other is not made: it may be large.
fn may_be_nri(schema: &Schema) -> bool {
    let mut services = schema.services.iter();
    services.any(|service| {
        let mut methods = service.methods.iter();
        service.id.name() == PLUGIN && methods.any(|method| method.id.name() == CONFIGURE)
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
    let mut services = protocol.services.iter();
    services.any(|service| is_known(service) && package_of(&service.full_name) == package)
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
    let mut services = protocol.services.iter();
    if let Some(service) = services.find(|service| is_known(service)) {
        return package_of(&service.full_name).to_owned();
    }
    let mut messages = protocol.messages.iter();
    if messages.any(|message| package_of(&message.full_name) == other) {
        other.to_owned()
    } else {
        protocol.package.clone()
    }
}

/// Returns the enum of events: the one with this name in the package, or else in another one, which is not on the wire
/// either.
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
    let renamed = || {
        let request = &other.service(PLUGIN)?.rpc(STATE_CHANGE)?.input;
        let events = events(other, &other.package, EVENT)?.full_name.clone();
        let mut fields = other.message(request)?.fields.iter();
        let field = fields.find(|field| field.kind == FieldKind::Enum(events.clone()))?;
        let name = request.strip_prefix(other.package.as_str())?;
        let mut fields = protocol.message(&format!("{package}{name}"))?.fields.iter();
        let known = fields.find(|known| known.number == field.number)?;
        match &known.kind {
            FieldKind::Enum(name) => name.rsplit('.').next().map(str::to_owned),
            FieldKind::Scalar(_) | FieldKind::Message(_) | FieldKind::Map { .. } => None,
        }
    };
    renamed().unwrap_or_else(|| EVENT.to_owned())
}

/// Returns the protocol with the services of one package, and the view of it, in which events have the names that they
/// have for both sides.
fn reduced(
    mut protocol: Protocol,
    package: String,
    events: &str,
    other: Option<&Protocol>,
) -> Protocol {
    protocol
        .services
        .retain(|service| package_of(&service.full_name) == package);
    let events = self::events(&protocol, &package, events);
    protocol.nri = Some(NriView::of(protocol.service(PLUGIN), events));
    protocol.package = package;
    event_names::align(&mut protocol, other);
    protocol
}
