//! Conversion between dedicated requests and StateChangeEvent, which have the same fields with
//! different numbers.
//!
//! Works on the encoded message, so nothing is decoded twice. Only top-level field keys change.

use prost::DecodeError;
use prost::encoding::{
    DecodeContext, WireType, decode_key, decode_varint, encode_key, encode_varint, skip_field,
};

use crate::api::Event;

/// The number of `event` in StateChangeEvent.
const EVENT_FIELD: u32 = 1;

/// Returns the event number in a StateChangeEvent; 0 if it has none.
pub(super) fn event_number(mut change: &[u8]) -> Result<i32, DecodeError> {
    let mut event = 0;
    while !change.is_empty() {
        let (field, wire_type) = decode_key(&mut change)?;
        if field == EVENT_FIELD && wire_type == WireType::Varint {
            event = decode_varint(&mut change)? as i32;
        } else {
            skip_field(wire_type, field, &mut change, DecodeContext::default())?;
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
    encode_key(EVENT_FIELD, WireType::Varint, &mut change);
    encode_varint(event as u64, &mut change);
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
    mut from: &[u8],
    to: &mut Vec<u8>,
    number: impl Fn(u32) -> Option<u32>,
) -> Result<(), DecodeError> {
    while !from.is_empty() {
        let (field, wire_type) = decode_key(&mut from)?;
        let value = from;
        skip_field(wire_type, field, &mut from, DecodeContext::default())?;
        if let Some(number) = number(field) {
            encode_key(number, wire_type, to);
            to.extend(value.iter().take(value.len() - from.len()));
        }
    }
    Ok(())
}
