//! Conversion between dedicated requests and StateChangeEvent, which have the same fields with
//! different numbers.
//!
//! Works on the encoded message, so nothing is decoded twice. Only top-level field keys change.

use crate::api::Event;
use crate::codec::DecodeError;
use crate::codec::wire::{WireType, fields as raw_fields, put_key, put_varint};

/// The number of `event` in StateChangeEvent.
const EVENT_FIELD: u32 = 1;

/// Returns the event number in a StateChangeEvent; 0 if it has none.
pub(super) fn event_number(change: &[u8]) -> Result<i32, DecodeError> {
    let mut event = 0;
    for field in raw_fields(change) {
        let field = field?;
        if let (EVENT_FIELD, Some(number)) = (field.number, field.varint()) {
            event = number as i32;
        }
    }
    Ok(event)
}

/// Converts a StateChangeEvent to the dedicated request. `fields`: (number in the request, number
/// in StateChangeEvent).
pub(super) fn from_change(change: &[u8], fields: &[(u32, u32)]) -> Result<Vec<u8>, DecodeError> {
    let mut request = Vec::with_capacity(change.len());
    renumber(change, &mut request, |from| {
        fields
            .iter()
            .find(|(_, change)| *change == from)
            .map(|(own, _)| *own)
    })?;
    Ok(request)
}

/// Converts a dedicated request to a StateChangeEvent.
pub fn to_change(
    request: &[u8],
    event: Event,
    fields: &[(u32, u32)],
) -> Result<Vec<u8>, DecodeError> {
    let mut change = Vec::with_capacity(request.len() + 2);
    put_key(EVENT_FIELD, WireType::Varint, &mut change);
    put_varint(event as u64, &mut change);
    renumber(request, &mut change, |from| {
        fields
            .iter()
            .find(|(own, _)| *own == from)
            .map(|(_, change)| *change)
    })?;
    Ok(change)
}

/// Copies the fields that have a new number, and drops the others.
fn renumber(
    from: &[u8],
    to: &mut Vec<u8>,
    number: impl Fn(u32) -> Option<u32>,
) -> Result<(), DecodeError> {
    for field in raw_fields(from) {
        let field = field?;
        if let Some(number) = number(field.number) {
            put_key(number, field.wire_type, to);
            to.extend_from_slice(field.value);
        }
    }
    Ok(())
}
