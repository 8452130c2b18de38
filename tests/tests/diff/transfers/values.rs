//! Random messages of a type.

use fastrand::Rng;
use prost_reflect::{
    DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, ReflectMessage as _, Value,
};

/// How deep required messages may lie in each other; a type that requires itself has no end.
const DEEPEST: usize = 8;

/// Returns a message whose fields are each set or not; optional messages lie at most `depth` deep.
/// `None` if the type requires itself.
pub(super) fn message(
    of: &MessageDescriptor,
    rng: &mut Rng,
    depth: usize,
) -> Option<DynamicMessage> {
    at_depth(of, rng, (depth, DEEPEST))
}

fn at_depth(of: &MessageDescriptor, rng: &mut Rng, left: (usize, usize)) -> Option<DynamicMessage> {
    let left = (left.0.saturating_sub(1), left.1.checked_sub(1)?);
    let mut message = DynamicMessage::new(of.clone());
    for field in of.fields() {
        let is_required = field.cardinality() == prost_reflect::Cardinality::Required;
        let too_deep = left.0 == 0 && matches!(field.kind(), Kind::Message(_));
        if is_required || (!too_deep && rng.u8(..5) > 0) {
            message.set_field(&field, value(&field, rng, left)?);
        }
    }
    Some(message)
}

fn value(field: &FieldDescriptor, rng: &mut Rng, left: (usize, usize)) -> Option<Value> {
    if field.is_map() {
        map(field, rng, left)
    } else if field.is_list() {
        let values: Option<_> =
            (0..rng.usize(..4)).map(|_| one(&field.kind(), rng, left)).collect();
        values.map(Value::List)
    } else {
        one(&field.kind(), rng, left)
    }
}

fn map(field: &FieldDescriptor, rng: &mut Rng, left: (usize, usize)) -> Option<Value> {
    let kind = field.kind();
    let entry = kind.as_message().expect("a map has entries");
    let (key, value) = (entry.map_entry_key_field(), entry.map_entry_value_field());
    let entries = (0..rng.usize(..4)).map(|_| {
        let key = one(&key.kind(), rng, left)?.into_map_key();
        Some((key.unwrap_or(MapKey::Bool(true)), one(&value.kind(), rng, left)?))
    });
    entries.collect::<Option<_>>().map(Value::Map)
}

fn one(kind: &Kind, rng: &mut Rng, left: (usize, usize)) -> Option<Value> {
    Some(match kind {
        Kind::Double => Value::F64(f64::from(float(rng))),
        Kind::Float => Value::F32(float(rng)),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Value::I32(rng.i32(..) >> shift(rng, 32)),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Value::I64(rng.i64(..) >> shift(rng, 64)),
        Kind::Uint32 | Kind::Fixed32 => Value::U32(rng.u32(..) >> shift(rng, 32)),
        Kind::Uint64 | Kind::Fixed64 => Value::U64(rng.u64(..) >> shift(rng, 64)),
        Kind::Bool => Value::Bool(rng.bool()),
        Kind::String => Value::String(text(rng)),
        Kind::Bytes => {
            Value::Bytes((0..rng.usize(..9)).map(|_| rng.u8(..)).collect::<Vec<_>>().into())
        }
        Kind::Message(of) => Value::Message(at_depth(of, rng, left)?),
        Kind::Enum(of) => {
            let values: Vec<i32> = of.values().map(|value| value.number()).collect();
            Value::EnumNumber(values[rng.usize(..values.len())])
        }
    })
}

/// Small numbers and large ones.
fn shift(rng: &mut Rng, bits: u32) -> u32 {
    if rng.bool() { 0 } else { rng.u32(..bits) }
}

/// Returns a float other than NaN, which is not equal to itself.
fn float(rng: &mut Rng) -> f32 {
    (rng.f32() - 0.5) * 1000.0
}

fn text(rng: &mut Rng) -> String {
    const LETTERS: [char; 8] = ['a', '\n', ' ', '\u{7f}', 'é', '漢', '\u{10ffff}', '\0'];
    let longest = if rng.u8(..16) == 0 { 200 } else { 7 };
    (0..rng.usize(..longest)).map(|_| LETTERS[rng.usize(..LETTERS.len())]).collect()
}

/// Returns the message without the fields that its type does not have, at any depth.
pub(super) fn without_unknown(mut message: DynamicMessage) -> DynamicMessage {
    message.take_unknown_fields().for_each(drop);
    let fields: Vec<_> =
        message.descriptor().fields().filter(|field| message.has_field(field)).collect();
    for field in fields {
        let value = clean(message.get_field(&field).into_owned());
        message.set_field(&field, value);
    }
    message
}

fn clean(value: Value) -> Value {
    match value {
        Value::Message(message) => Value::Message(without_unknown(message)),
        Value::List(values) => Value::List(values.into_iter().map(clean).collect()),
        Value::Map(values) => {
            Value::Map(values.into_iter().map(|(key, held)| (key, clean(held))).collect())
        }
        other => other,
    }
}
