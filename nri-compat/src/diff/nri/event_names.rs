//! The names of events. They are not on the wire, so a constant that was renamed is still the same event, and the RPC
//! that carries it is still the same RPC.

use heck::{ToShoutySnakeCase as _, ToUpperCamelCase as _};
use nri_schema::model::{Enum, EnumValue, NriView, Protocol};

use super::semantics::{PLUGIN, SENTINEL};
use super::side::events_enum;

/// Gives the events of a protocol the names that they have for both sides of a comparison: without the prefix that lint
/// rules ask for, and for a constant that was renamed the name by which an RPC carries the event. The full names stay.
pub(super) fn align(protocol: &mut Protocol, other: Option<&Protocol>) {
    let Some(own) = events_enum(protocol) else {
        return;
    };
    let mut own = without_prefix(own);
    if let Some((other, events)) = other.and_then(|other| Some((other, events_enum(other)?))) {
        let names = Names {
            sides: [protocol, other],
        };
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
struct Names<'p> {
    sides: [&'p Protocol; 2],
}

impl Names<'_> {
    /// Renames the constants that the other side has under another name, but with the same number.
    fn align(&self, own: &mut Enum, other: &Enum) {
        let before = own.clone();
        let sentinels = [sentinel(&before), sentinel(other)];
        for value in &mut own.values {
            if value.number == 0 || has(other, &value.name) {
                continue;
            }
            if sentinels[0] == Some(value.number) {
                if has(other, SENTINEL) && !has(&before, SENTINEL) && !self.is_known(&value.name) {
                    SENTINEL.clone_into(&mut value.name);
                }
                continue;
            }
            let mut others = other.values.iter();
            let renamed = others.find(|known| {
                known.number == value.number
                    && sentinels[1] != Some(known.number)
                    && !has(&before, &known.name)
            });
            if let Some(known) = renamed {
                value.name = self.common(&value.name, &known.name).to_owned();
            }
        }
    }

    /// Returns the name that both sides use for an event. An event whose RPC was renamed too is another event.
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

fn has(events: &Enum, name: &str) -> bool {
    events.values.iter().any(|value| value.name == name)
}

/// Returns the number of the sentinel: that of `LAST`, or else the highest.
fn sentinel(events: &Enum) -> Option<i32> {
    let last = events.values.iter().find(|value| value.name == SENTINEL);
    let numbers = events.values.iter().map(|value| value.number);
    last.map(|last| last.number).or_else(|| numbers.max())
}
