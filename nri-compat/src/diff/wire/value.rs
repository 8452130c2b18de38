//! The outcome for a value that is sent as one type and read as another type of the same format.

use super::end::{End, WireType};
use nri_schema::schema::number as n;
use nri_schema::schema::value::UTF8_NONE;

/// The result of receiving a value, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arrival {
    /// As it was sent.
    Same,
    /// As it was sent, except that one of the peers cannot tell a value of 0 from an unset field.
    PresenceLost,
    /// As another value, or only in part, at least for some values.
    Altered,
    /// Not at all: the receiver skips it.
    Skipped,
    /// Some values make the receiver reject the whole message.
    Refused,
}

/// Returns how one value, or a packed block of values, arrives at each library.
pub(super) fn arrivals(sent: End<'_>, read: End<'_>) -> (Arrival, Arrival) {
    let arrival = match (sent.field.packed, read.is_number()) {
        (true, true) => block_as_block(sent, read),
        (true, false) => block_as_value(sent, read),
        (false, true) if sent.format() == WireType::Length => value_as_block(sent),
        (false, _) => one_as_one(sent, read),
    };
    // Go accepts any bytes as text, unless the schema requires validation; Rust strings are always
    // valid.
    let unchecked_text = read.field.kind == n::STRING && !is_checked(read);
    if arrival != Arrival::Refused || !unchecked_text {
        (arrival, arrival)
    } else if sent.field.kind == n::BYTES {
        (Arrival::Same, Arrival::Refused)
    } else {
        (Arrival::Altered, Arrival::Refused)
    }
}

fn one_as_one(sent: End<'_>, read: End<'_>) -> Arrival {
    match sent.format() {
        WireType::Varint => same_if(is_same_varint(sent, read)),
        WireType::Fixed32 | WireType::Fixed64 => same_if(sent.field.kind == read.field.kind),
        WireType::Length => text_or_message(sent, read),
        WireType::Group => Arrival::Same,
    }
}

fn same_if(fits: bool) -> Arrival {
    if fits { Arrival::Same } else { Arrival::Altered }
}

/// Returns true if a varint arrives unchanged when it is read as another type: every number of the
/// sender fits the type of the receiver. Both libraries keep enum numbers without a name.
fn is_same_varint(sent: End<'_>, read: End<'_>) -> bool {
    match (sent.field.kind, read.field.kind) {
        (before, after) if before == after => true,
        (n::INT32, n::INT64 | n::ENUM)
        | (n::ENUM, n::INT32 | n::INT64)
        | (n::UINT32, n::INT64 | n::UINT64)
        | (n::SINT32, n::SINT64)
        | (n::BOOL, n::INT32 | n::INT64 | n::UINT32 | n::UINT64 | n::ENUM) => true,
        (n::ENUM, n::UINT32 | n::UINT64) => no_negative_value(sent),
        _ => false,
    }
}

fn no_negative_value(sent: End<'_>) -> bool {
    sent.enumeration().is_some_and(|found| found.values.iter().all(|value| value.number >= 0))
}

fn text_or_message(sent: End<'_>, read: End<'_>) -> Arrival {
    match (sent.field.kind, read.field.kind) {
        (n::MESSAGE, n::MESSAGE) | (n::BYTES, n::BYTES) | (n::STRING, n::BYTES) => Arrival::Same,
        (n::STRING, n::STRING) if is_checked(sent) || !is_checked(read) => Arrival::Same,
        _ if is_always_empty(sent) => Arrival::Altered,
        (n::MESSAGE, n::BYTES) => Arrival::Altered,
        _ => Arrival::Refused,
    }
}

/// Returns true if the text of this field is known to be UTF-8.
fn is_checked(end: End<'_>) -> bool {
    end.field.features.utf8_validation != UTF8_NONE
}

/// Returns true if a message has no fields, so that it is sent as an empty block.
fn is_always_empty(sent: End<'_>) -> bool {
    sent.message().is_some_and(|message| message.fields.is_empty())
}

fn block_as_block(sent: End<'_>, read: End<'_>) -> Arrival {
    match (sent.format(), read.format()) {
        (before, after) if before == after => one_as_one(sent, read),
        (WireType::Fixed64, WireType::Fixed32) => Arrival::Altered,
        _ => Arrival::Refused,
    }
}

/// Returns how a block of bools arrives as a value: as valid text, but not as a valid message.
fn block_as_value(sent: End<'_>, read: End<'_>) -> Arrival {
    match (sent.field.kind, read.field.kind) {
        (_, n::BYTES) | (n::BOOL, n::STRING) => Arrival::Altered,
        _ => Arrival::Refused,
    }
}

fn value_as_block(sent: End<'_>) -> Arrival {
    if is_always_empty(sent) { Arrival::Altered } else { Arrival::Refused }
}
