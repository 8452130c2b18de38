//! The pairing of a plugin of one protocol version with a runtime of another.

use serde::Serialize;

use super::count::counted;
use crate::names::names;

/// A plugin version on a runtime version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// Protocol version of the plugin.
    pub plugin: String,
    /// Protocol version of the runtime.
    pub runtime: String,
    /// Events, fields and steps of the protocol, each with its outcome.
    pub items: Vec<PairingItem>,
}

/// An event, field or protocol step of a pairing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairingItem {
    /// Its kind.
    pub kind: ItemKind,
    /// Fully qualified name of the event value, field, RPC or service.
    pub element: String,
    /// The outcome for the item.
    pub outcome: Outcome,
    /// The fact behind the outcome, without the name of the element, so that similar items can be
    /// grouped.
    pub detail: String,
}

/// The items of a pairing with the same outcome and detail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairingGroup<'r> {
    /// The outcome.
    pub outcome: Outcome,
    /// The fact behind the outcome; empty if there is nothing to add.
    pub detail: &'r str,
    /// The items, in the order of the report; never empty.
    pub items: Vec<&'r PairingItem>,
}

/// The kind of a pairing item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    /// A whole service.
    Service,
    /// Synchronize and its splitting.
    Synchronize,
    /// An event, regardless of the RPC that carries it.
    Event,
    /// All events, if they cannot be judged one by one.
    Events,
    /// A call that is not an event.
    Rpc,
    /// A field of a message.
    Field,
    /// A value of an enum other than `Event`.
    EnumValue,
}

/// The outcome for one item, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It works as if both had the same version.
    Works,
    /// It is sent as StateChange, because one side lacks the dedicated RPC.
    #[serde(rename = "works_through_fallback")]
    Fallback,
    /// One side sends something that the other does not know and ignores.
    Loses,
    /// Its value arrives, but one side cannot tell the value 0 from an unset field.
    LosesPresence,
    /// Both sides know it, but its value arrives changed or not at all, without an error.
    Misreads,
    /// It cannot be determined from the two schemas.
    Unknown,
    /// A request fails.
    Fails,
    /// The runtime drops the plugin while it registers or synchronizes.
    #[serde(rename = "dropped_at_registration")]
    Dropped,
}

impl Pairing {
    /// Returns the worst outcome of any item.
    pub fn outcome(&self) -> Outcome {
        self.items
            .iter()
            .map(|item| item.outcome)
            .max()
            .unwrap_or(Outcome::Works)
    }

    /// Returns the outcome in a short phrase, with counts: `works; 9 events through fallback`,
    /// `loses 2 fields`.
    pub fn headline(&self) -> String {
        let worse = Outcome::ALL
            .into_iter()
            .filter(|&outcome| outcome != Outcome::Works);
        let parts: Vec<String> = worse.filter_map(|outcome| self.part(outcome)).collect();
        match self.outcome() {
            Outcome::Works => "works".to_owned(),
            Outcome::Fallback => format!("works; {}", parts.join(", ")),
            Outcome::Loses
            | Outcome::LosesPresence
            | Outcome::Misreads
            | Outcome::Unknown
            | Outcome::Fails
            | Outcome::Dropped => parts.join(", "),
        }
    }

    /// Returns the items with this outcome, grouped by detail.
    pub fn groups(&self, outcome: Outcome) -> Vec<PairingGroup<'_>> {
        let mut groups: Vec<PairingGroup<'_>> = Vec::new();
        for item in self.items.iter().filter(|item| item.outcome == outcome) {
            match groups.iter_mut().find(|group| group.detail == item.detail) {
                Some(group) => group.items.push(item),
                None => groups.push(PairingGroup {
                    outcome,
                    detail: &item.detail,
                    items: vec![item],
                }),
            }
        }
        groups
    }

    /// Returns true if there is a problem with this element, an element that contains it, or a part
    /// of it. A problem with a service concerns everything, and a problem with the numbering of events
    /// concerns all events.
    pub fn concerns(&self, element: &str) -> bool {
        let mut troubled = self
            .items
            .iter()
            .filter(|item| item.outcome != Outcome::Works);
        troubled.any(|item| {
            item.kind == ItemKind::Service
                || item.element == element
                || is_part_of(&item.element, element)
                || is_part_of(element, &item.element)
                || is_in_entry(element, &item.element)
                || item.kind == ItemKind::Synchronize && element.contains(".Synchronize")
                || item.kind == ItemKind::Events
                || item.kind == ItemKind::Event && parent(&item.element) == parent(element)
        })
    }

    /// Returns the items with an outcome in a short phrase: `9 events through fallback`; `None` if
    /// there are none.
    pub fn part(&self, outcome: Outcome) -> Option<String> {
        let counts = ItemKind::ALL
            .into_iter()
            .map(|kind| (kind, self.count(kind, outcome)));
        let counted: Vec<String> = counts
            .filter(|(_, count)| *count > 0)
            .map(|(kind, count)| kind.counted(count))
            .collect();
        let what = counted.join(" and ");
        (!what.is_empty()).then(|| match outcome {
            Outcome::Works => what,
            Outcome::Fallback => format!("{what} through fallback"),
            Outcome::Loses => format!("loses {what}"),
            Outcome::LosesPresence => format!("cannot tell 0 from unset in {what}"),
            Outcome::Misreads => format!("misreads {what}"),
            Outcome::Unknown => format!("cannot judge {what}"),
            Outcome::Fails => format!("can fail over {what}"),
            Outcome::Dropped => format!("can be dropped at registration over {what}"),
        })
    }

    /// Returns the number of items with this kind and outcome.
    pub fn count(&self, kind: ItemKind, outcome: Outcome) -> usize {
        self.items
            .iter()
            .filter(|item| item.kind == kind && item.outcome == outcome)
            .count()
    }
}

fn parent(element: &str) -> Option<&str> {
    element.rsplit_once('.').map(|(parent, _)| parent)
}

/// Returns true if an element is the message of the entries of a map field, or a part of it. protoc
/// names the message after the field: `LabelsEntry` for `labels`.
fn is_in_entry(element: &str, field: &str) -> bool {
    let Some((message, name)) = field.rsplit_once('.') else {
        return false;
    };
    let mut entry = format!("{message}.");
    for word in name.split('_') {
        let mut letters = word.chars();
        entry.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        entry.push_str(letters.as_str());
    }
    entry.push_str("Entry");
    element == entry || is_part_of(element, &entry)
}

/// Returns true if the full name `part` is inside `whole`.
fn is_part_of(part: &str, whole: &str) -> bool {
    part.strip_prefix(whole)
        .is_some_and(|rest| rest.starts_with('.'))
}

impl Outcome {
    /// All outcomes, best first.
    pub const ALL: [Self; 8] = [
        Self::Works,
        Self::Fallback,
        Self::Loses,
        Self::LosesPresence,
        Self::Misreads,
        Self::Unknown,
        Self::Fails,
        Self::Dropped,
    ];

    /// Returns the heading of its items.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::Fallback => "fallback",
            Self::Loses => "loses",
            Self::LosesPresence => "presence",
            Self::Misreads => "misreads",
            Self::Unknown => "unknown",
            Self::Fails => "fails",
            Self::Dropped => "dropped",
        }
    }
}

names! {
    ItemKind {
        Service = "service",
        Synchronize = "synchronize",
        Event = "event",
        Events = "events",
        Rpc = "rpc",
        Field = "field",
        EnumValue = "enum_value",
    }
}

impl ItemKind {
    /// Returns `1 event`, `2 events`.
    fn counted(self, count: usize) -> String {
        match self {
            Self::Service => counted(count, "service"),
            Self::Synchronize => "split Synchronize".to_owned(),
            Self::Event => counted(count, "event"),
            Self::Events => "the events".to_owned(),
            Self::Rpc => counted(count, "call"),
            Self::Field => counted(count, "field"),
            Self::EnumValue => counted(count, "enum value"),
        }
    }
}
