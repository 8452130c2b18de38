//! The effect of a field whose number both sides have.

use super::end::{End, WireType};
use super::of_number;
use super::value::{self, Arrival};
use crate::diff::buf_rules::default;
use nri_schema::schema::{Cardinality, MessageDescriptor, number as n};

/// The effect of a field on each kind of receiver, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Effect {
    /// At a Go peer.
    pub go: Arrival,
    /// At a peer that decodes with prost.
    pub prost: Arrival,
    /// The reason, without the name of the field; empty if it arrives as sent.
    pub reason: String,
}

impl Effect {
    /// Returns the worse of both arrivals.
    pub fn worst(&self) -> Arrival {
        self.go.max(self.prost)
    }

    fn same() -> Self {
        Self::both(Arrival::Same, "")
    }

    pub(super) fn altered(reason: &str) -> Self {
        Self::both(Arrival::Altered, reason)
    }

    fn both(arrival: Arrival, reason: impl Into<String>) -> Self {
        Self { go: arrival, prost: arrival, reason: reason.into() }
    }
}

/// Returns the effect of the field at `sent` on `read`: the worst that its values, their number or
/// its absence can cause.
pub(super) fn of_field(sent: End<'_>, read: End<'_>) -> Effect {
    let effects = [
        Some(of_values(sent, read)),
        of_requirement(sent, read),
        of_default(sent, read),
        of_presence(sent, read),
        of_number_of_values(sent, read),
    ];
    let mut worst = Effect::same();
    for effect in effects.into_iter().flatten() {
        if effect.worst() > worst.worst() {
            worst.reason = effect.reason;
        }
        worst.go = worst.go.max(effect.go);
        worst.prost = worst.prost.max(effect.prost);
    }
    worst
}

/// Returns the effect of a missing field on a Go peer that requires it. A skipped value counts as
/// missing.
fn of_requirement(sent: End<'_>, read: End<'_>) -> Option<Effect> {
    let is_required = |end: End<'_>| end.field.cardinality == Cardinality::Required;
    let may_be_missing = !is_required(sent) || of_values(sent, read).go == Arrival::Skipped;
    (is_required(read) && may_be_missing).then(|| Effect {
        go: Arrival::Refused,
        prost: Arrival::Same,
        reason: "required by the receiver, and may be missing: a Go peer rejects the message"
            .to_owned(),
    })
}

/// Returns the effect of an unset field.
fn of_default(sent: End<'_>, read: End<'_>) -> Option<Effect> {
    let differs = if read.is_list() {
        default::is_other_than_zero(sent.schema, sent.field)
    } else {
        default::differ((sent.schema, sent.field), (read.schema, read.field))
    };
    let is_always_set = sent.field.cardinality == Cardinality::Required;
    (differs && !is_always_set).then(|| Effect::altered("unset is read as another default"))
}

/// Returns the effect on the difference between a field with the value 0 and an unset one, which
/// only one of the peers can express.
fn of_presence(sent: End<'_>, read: End<'_>) -> Option<Effect> {
    let reason = match (sent.field.cardinality, read.field.cardinality) {
        (Cardinality::Explicit, Cardinality::Required) => {
            return Some(Effect {
                go: Arrival::Same,
                prost: Arrival::PresenceLost,
                reason: "a Rust peer reads unset as 0".to_owned(),
            });
        }
        (Cardinality::Explicit, Cardinality::Implicit) => {
            "the receiver reads unset and 0 alike: the sender can tell them apart"
        }
        (Cardinality::Implicit, Cardinality::Explicit) => {
            "the sender does not send 0: the receiver reads it as unset"
        }
        (
            Cardinality::Explicit
            | Cardinality::Implicit
            | Cardinality::Required
            | Cardinality::Repeated
            | Cardinality::Map,
            _,
        ) => return None,
    };
    Some(Effect::both(Arrival::PresenceLost, reason))
}

/// Returns the effect of more values than the receiver expects.
fn of_number_of_values(sent: End<'_>, read: End<'_>) -> Option<Effect> {
    if sent.is_list() && !read.is_list() {
        let reason = "sent as a list, read as one value: only the last one arrives whole";
        return Some(Effect::altered(reason));
    }
    let becomes_map = sent.is_list() && sent.entry().is_none() && read.entry().is_some();
    becomes_map.then(|| {
        Effect::altered("sent as a list, read as a map: entries of the same key replace each other")
    })
}

/// Returns the effect of one or more values.
fn of_values(sent: End<'_>, read: End<'_>) -> Effect {
    let takes_both = read.is_list() && read.is_number();
    let fits =
        sent.sent_format() == read.format() || takes_both && sent.sent_format() == WireType::Length;
    let sent_and_read = format!("sent as {}, read as {}", sent.words(), read.words());
    if !fits {
        // Go treats the field as unknown, prost fails.
        return Effect {
            go: Arrival::Skipped,
            prost: Arrival::Refused,
            reason: format!(
                "{sent_and_read}: a Go peer skips the value, a Rust peer rejects the message"
            ),
        };
    }
    if let (Some(sent_entry), Some(read_entry)) = (sent.entry(), read.entry()) {
        return of_entries((sent, sent_entry), (read, read_entry));
    }
    let (go, prost) = value::arrivals(sent, read);
    let consequence = match (go, prost) {
        (Arrival::Same, Arrival::Same) => return Effect::same(),
        (Arrival::Refused, Arrival::Refused) => "the receiver rejects the message",
        (_, Arrival::Refused) => "a Rust peer rejects the message",
        (_, _) => "some values arrive changed",
    };
    let condition = if (sent.field.kind, read.field.kind) == (n::STRING, n::STRING) {
        "if it is not valid UTF-8, "
    } else {
        ""
    };
    Effect { go, prost, reason: format!("{sent_and_read}: {condition}{consequence}") }
}

/// Returns the worse effect of key and value. An entry whose key or value is skipped arrives with a
/// default instead.
fn of_entries(
    (sent, sent_entry): (End<'_>, &MessageDescriptor),
    (read, read_entry): (End<'_>, &MessageDescriptor),
) -> Effect {
    let parts = sent_entry.fields.iter().filter_map(|part| {
        let other = of_number(read_entry, part.number)?;
        let mut effect = of_values(End::new(sent.schema, part), End::new(read.schema, other));
        if effect.go == Arrival::Skipped {
            effect.go = Arrival::Altered;
        }
        if effect.worst() > Arrival::Same {
            effect.reason = format!("{} of a map {}", part.id.name(), effect.reason);
        }
        Some(effect)
    });
    parts.max_by_key(Effect::worst).unwrap_or_else(Effect::same)
}
