//! One schema seen as an NRI protocol, and the direction of its messages: from plugin to runtime,
//! or from runtime to plugin.

use std::collections::{BTreeMap, BTreeSet};

use nri_schema::Location;
use nri_schema::model::{Enum, Event, Field, FieldKind, Message, NriView, Protocol, Rpc};

use super::semantics::{PLUGIN, REGISTER, REQUIRED, Required};

/// A schema that is an NRI protocol.
#[derive(Clone, Copy)]
pub(in crate::diff) struct NriSide<'s> {
    pub(in crate::diff) protocol: &'s Protocol,
    pub(in crate::diff) nri: &'s NriView,
    /// The user's name for this version, for messages.
    pub(in crate::diff) name: &'s str,
}

impl<'s> NriSide<'s> {
    /// Creates a view; `None` if the schema is not an NRI protocol.
    pub(in crate::diff) fn new(protocol: &'s Protocol, name: &'s str) -> Option<Self> {
        Some(Self { protocol, nri: protocol.nri.as_ref()?, name })
    }

    /// Returns the name of an element without its package. Only the package of services is on the
    /// wire, so that a type in another package is the same type.
    pub(in crate::diff) fn relative<'n>(&self, full: &'n str) -> &'n str {
        without_package(full, &self.protocol.package).unwrap_or_else(|| {
            let messages = self.protocol.messages.iter().map(|message| message.full_name.as_str());
            let enums = self.protocol.enums.iter();
            let mut types = messages.chain(enums.map(|found| found.full_name.as_str()));
            let around =
                types.find(|known| *known == full || without_package(full, known).is_some());
            let relative = around.and_then(|known| without_package(full, package_of(known)));
            relative.unwrap_or(full)
        })
    }

    /// Returns the name of an element with this side's package.
    pub(in crate::diff) fn full(&self, relative: &str) -> String {
        full_name(&self.protocol.package, relative)
    }

    pub(in crate::diff) fn rpc(&self, service: &str, name: &str) -> Option<&'s Rpc> {
        self.protocol.service(service)?.rpc(name)
    }

    /// Returns the message of this name without package, nested or not.
    pub(in crate::diff) fn message(&self, relative: &str) -> Option<&'s Message> {
        let own = self.protocol.message(&self.full(relative));
        own.or_else(|| {
            let top = relative.split('.').next().unwrap_or(relative);
            let other = self.protocol.messages.iter().find(|message| message.name == top)?;
            let package = package_of(&other.full_name);
            self.protocol.message(&full_name(package, relative))
        })
    }

    pub(in crate::diff) fn field(&self, message: &str, name: &str) -> Option<&'s Field> {
        self.message(message)?.field(name)
    }

    /// Returns every message, nested ones after the one they stand in.
    pub(in crate::diff) fn messages(&self) -> Vec<&'s Message> {
        let mut all = Vec::new();
        let mut ahead: Vec<&Message> = self.protocol.messages.iter().rev().collect();
        while let Some(message) = ahead.pop() {
            all.push(message);
            ahead.extend(message.messages.iter().rev());
        }
        all
    }

    /// Returns every enum, nested or not.
    pub(in crate::diff) fn enums(&self) -> Vec<&'s Enum> {
        let nested = self.messages().into_iter().flat_map(|message| &message.enums);
        self.protocol.enums.iter().chain(nested).collect()
    }

    /// Returns the enum of events.
    pub(in crate::diff) fn events_enum(&self) -> Option<&'s Enum> {
        events_enum(self.protocol)
    }

    /// Returns true if this is the full name of an event, or of the sentinel.
    pub(in crate::diff) fn is_event(&self, value: &str) -> bool {
        let declared = self.events_enum().map(|events| events.full_name.as_str());
        declared.is_some() && value.rsplit_once('.').map(|(of, _)| of) == declared
    }

    /// Returns the event whose own RPC has this name.
    pub(in crate::diff) fn event_of(&self, rpc: &str) -> Option<&'s Event> {
        self.nri.events.iter().find(|event| event.rpc_name == rpc)
    }

    /// Returns the requirement on a field with this full name, if it has one.
    pub(in crate::diff) fn requirement(&self, field: &str) -> Option<&'static Required> {
        let relative = self.relative(field);
        REQUIRED.iter().find(|required| required.field == relative)
    }

    /// Returns where service Plugin is declared.
    pub(in crate::diff) fn plugin_place(&self) -> Option<Location> {
        self.protocol.service(PLUGIN)?.about.location.clone()
    }

    /// Returns where the message of this name is declared.
    pub(in crate::diff) fn message_place(&self, relative: &str) -> Option<Location> {
        self.message(relative)?.about.location.clone()
    }
}

/// Returns the full name of an element of a package.
pub(super) fn full_name(package: &str, relative: &str) -> String {
    match package {
        "" => relative.to_owned(),
        package => format!("{package}.{relative}"),
    }
}

/// Returns the rest of a full name after a package or an outer element.
fn without_package<'n>(full: &'n str, package: &str) -> Option<&'n str> {
    if package.is_empty() {
        return Some(full);
    }
    full.strip_prefix(package)?.strip_prefix('.')
}

/// Returns the package of a top-level element with this full name.
pub(super) fn package_of(full_name: &str) -> &str {
    let parts = full_name.rsplit_once('.');
    parts.map_or("", |(package, _)| package)
}

/// Returns the enum of the events that the view of a protocol has. It has another name than `Event`
/// only in a schema that is compared with an NRI protocol.
pub(super) fn events_enum(protocol: &Protocol) -> Option<&Enum> {
    let first = protocol.nri.as_ref()?.events.first()?;
    let (name, _) = first.full_name.rsplit_once('.')?;
    enumeration(protocol, name)
}

/// Returns the enum with this full name that is not nested in a message.
pub(super) fn enumeration<'p>(protocol: &'p Protocol, full_name: &str) -> Option<&'p Enum> {
    protocol.enums.iter().find(|found| found.full_name == full_name)
}

/// The names, without package, of the messages and enums that travel in each direction.
#[derive(Debug, Default)]
pub(in crate::diff) struct Flows {
    /// Messages that plugins answer with, and send in calls other than registration.
    pub(in crate::diff) answers: BTreeSet<String>,
    /// Messages that plugins send when they register.
    pub(in crate::diff) registration: BTreeSet<String>,
    /// Messages that runtimes send in calls and answers.
    pub(in crate::diff) requests: BTreeSet<String>,
}

impl Flows {
    /// Follows the fields of every request and response.
    pub(in crate::diff) fn new(side: &NriSide<'_>) -> Self {
        let by_name = side
            .messages()
            .into_iter()
            .map(|message| (message.full_name.as_str(), message))
            .collect();
        let mut flows = Self::default();
        for service in &side.protocol.services {
            for rpc in &service.rpcs {
                let (down, up) = if service.name == PLUGIN {
                    (&rpc.input, &rpc.output)
                } else {
                    (&rpc.output, &rpc.input)
                };
                let sent =
                    if rpc.name == REGISTER { &mut flows.registration } else { &mut flows.answers };
                reach(side, &by_name, up, sent);
                reach(side, &by_name, down, &mut flows.requests);
            }
        }
        if flows.requests.contains("FieldOwners") {
            // The ids in FieldOwners are values of this enum, although they are declared as int32.
            flows.requests.insert("Field".to_owned());
        }
        flows
    }
}

type Messages<'s> = BTreeMap<&'s str, &'s Message>;

/// Adds the type with this full name and every type that its fields lead to.
fn reach(side: &NriSide<'_>, messages: &Messages<'_>, root: &str, seen: &mut BTreeSet<String>) {
    let mut ahead = vec![root];
    while let Some(full) = ahead.pop() {
        if seen.insert(side.relative(full).to_owned())
            && let Some(message) = messages.get(full)
        {
            let fields = message.fields.iter();
            ahead.extend(fields.filter_map(|field| type_name(&field.kind)));
        }
    }
}

fn type_name(kind: &FieldKind) -> Option<&str> {
    match kind {
        FieldKind::Scalar(_) => None,
        FieldKind::Message(name) | FieldKind::Enum(name) => Some(name),
        FieldKind::Map { value, .. } => type_name(value),
    }
}
