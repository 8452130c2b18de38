//! The full names of everything that a protocol declares.

use super::{Enum, Message, Protocol, Service};

/// Returns the names of services, RPCs, messages, fields, enums and enum values, nested ones too.
pub(super) fn of(protocol: &Protocol) -> impl Iterator<Item = &str> {
    let services = protocol.services.iter().flat_map(of_service);
    let messages = protocol.messages.iter().flat_map(of_message);
    let enums = protocol.enums.iter().flat_map(of_enum);
    services.chain(messages).chain(enums)
}

fn of_service(service: &Service) -> impl Iterator<Item = &str> {
    let rpcs = service.rpcs.iter().map(|rpc| rpc.full_name.as_str());
    std::iter::once(service.full_name.as_str()).chain(rpcs)
}

fn of_message(message: &Message) -> Box<dyn Iterator<Item = &str> + '_> {
    let fields = message.fields.iter().map(|field| field.full_name.as_str());
    let nested = message.messages.iter().flat_map(of_message);
    let enums = message.enums.iter().flat_map(of_enum);
    let name = std::iter::once(message.full_name.as_str());
    Box::new(name.chain(fields).chain(nested).chain(enums))
}

fn of_enum(declared: &Enum) -> impl Iterator<Item = &str> {
    let values = declared.values.iter().map(|value| value.full_name.as_str());
    std::iter::once(declared.full_name.as_str()).chain(values)
}
