//! Random messages of the newest protocol.

use std::sync::LazyLock;

use prost_reflect::{
    DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, Value,
};

/// Returns the descriptors of the newest release: always the same ones, so that messages can be
/// compared.
///
/// # Panics
///
/// Panics if the embedded protos cannot be read.
#[must_use]
pub fn newest() -> DescriptorPool {
    static NEWEST: LazyLock<DescriptorPool> = LazyLock::new(|| of_release("latest"));
    NEWEST.clone()
}

/// Returns the descriptors of a release, such as `v0.6.1`.
///
/// # Panics
///
/// Panics if there is no such release.
#[must_use]
pub fn of_release(release: &str) -> DescriptorPool {
    let history = nri_schema::History::embedded().expect("the embedded protos are valid");
    let compiled = history.compiled_for(release).expect("the release exists");
    compiled.pool.clone()
}

/// Returns a random message with about two thirds of its fields, by seed.
#[must_use]
pub fn random(descriptor: &MessageDescriptor, seed: u64) -> DynamicMessage {
    filled(descriptor, &mut fastrand::Rng::with_seed(seed), 0)
}

fn filled(descriptor: &MessageDescriptor, rng: &mut fastrand::Rng, depth: u32) -> DynamicMessage {
    let mut message = DynamicMessage::new(descriptor.clone());
    for field in descriptor.fields() {
        if rng.u32(..3) > 0 {
            message.set_field(&field, value(&field, rng, depth));
        }
    }
    message
}

fn value(field: &FieldDescriptor, rng: &mut fastrand::Rng, depth: u32) -> Value {
    let many = rng.usize(..=3);
    if field.is_map() {
        let Kind::Message(entry) = field.kind() else {
            unreachable!("the entry of a map is a message");
        };
        let (key, kind) = (entry.map_entry_key_field(), entry.map_entry_value_field());
        let entries =
            (0..many).map(|_| (map_key(&key.kind(), rng), single(&kind.kind(), rng, depth)));
        return Value::Map(entries.collect());
    }
    if field.is_list() {
        return Value::List((0..many).map(|_| single(&field.kind(), rng, depth)).collect());
    }
    single(&field.kind(), rng, depth)
}

fn map_key(kind: &Kind, rng: &mut fastrand::Rng) -> MapKey {
    match kind {
        Kind::String => MapKey::String(text(rng)),
        Kind::Int32 => MapKey::I32(rng.i32(..)),
        other => unreachable!("NRI has no map from {other:?}"),
    }
}

fn single(kind: &Kind, rng: &mut fastrand::Rng, depth: u32) -> Value {
    let edge = rng.u32(..3);
    match kind {
        Kind::Bool => Value::Bool(rng.bool()),
        Kind::String => Value::String(text(rng)),
        Kind::Int32 => Value::I32([rng.i32(..), i32::MIN, i32::MAX][edge as usize]),
        Kind::Int64 => Value::I64([rng.i64(..), i64::MIN, i64::MAX][edge as usize]),
        Kind::Uint32 => Value::U32([rng.u32(..), 0, u32::MAX][edge as usize]),
        Kind::Uint64 => Value::U64([rng.u64(..), 0, u64::MAX][edge as usize]),
        // Now and then a number that has no name.
        Kind::Enum(known) => Value::EnumNumber(match known.values().nth(rng.usize(..8)) {
            Some(value) => value.number(),
            None => rng.i32(..),
        }),
        Kind::Message(message) if depth < 6 => Value::Message(filled(message, rng, depth + 1)),
        Kind::Message(message) => Value::Message(DynamicMessage::new(message.clone())),
        other => unreachable!("NRI has no field of {other:?}"),
    }
}

fn text(rng: &mut fastrand::Rng) -> String {
    let length = rng.usize(..6);
    (0..length).map(|_| rng.char('\0'..'\u{ffff}')).collect()
}
