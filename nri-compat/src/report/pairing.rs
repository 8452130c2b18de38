//! The pairing of a plugin of one protocol version with a runtime of another.

use serde::Serialize;

/// A plugin version on a runtime version, with the worst outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pairing {
    /// The protocol version of the plugin.
    pub plugin: String,
    /// The protocol version of the runtime.
    pub runtime: String,
    /// The worst outcome of any item.
    outcome: PairingOutcome,
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
    pub outcome: PairingOutcome,
    /// The fact behind the outcome, without the name of the element, so that similar items can be
    /// grouped.
    pub detail: String,
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
pub enum PairingOutcome {
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
    /// Creates a pairing with these items.
    pub fn new(plugin: &str, runtime: &str, items: Vec<PairingItem>) -> Self {
        let worst = items.iter().map(|item| item.outcome).max();
        Self {
            plugin: plugin.to_owned(),
            runtime: runtime.to_owned(),
            outcome: worst.unwrap_or(PairingOutcome::Works),
            items,
        }
    }

    /// Returns the worst outcome of any item.
    pub fn outcome(&self) -> PairingOutcome {
        self.outcome
    }

    /// Returns true if there is a problem with this element, an element that contains it, or a part
    /// of it. A problem with a service concerns everything, and a problem with the numbering of
    /// events concerns all events.
    pub fn concerns(&self, element: &str) -> bool {
        let mut troubled = self.items.iter().filter(|item| item.outcome != PairingOutcome::Works);
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
    part.strip_prefix(whole).is_some_and(|rest| rest.starts_with('.'))
}
