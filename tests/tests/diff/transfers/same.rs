//! Compares two messages field by field although their types differ.

use std::collections::BTreeMap;

use prost_reflect::{DynamicMessage, FieldDescriptor, MapKey, ReflectMessage as _, Value};

/// A value without its type: what a reader could still tell apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Plain {
    Whole(i128),
    /// The bits, so that NaN equals itself.
    Float(u64),
    Bytes(Vec<u8>),
    Message(BTreeMap<u32, Vec<Plain>>),
}

/// Returns true if all fields of `sent` hold the same in `read`. What is unset says the same as its
/// default, and one value the same as a list of it.
pub(super) fn same(sent: &DynamicMessage, read: &DynamicMessage) -> bool {
    plain(sent) == plain(read)
}

fn plain(message: &DynamicMessage) -> BTreeMap<u32, Vec<Plain>> {
    let of = message.descriptor();
    let fields = of.fields();
    let values = fields.map(|field| (field.number(), values(message, &field)));
    values.filter(|(_, values)| !values.is_empty()).collect()
}

fn values(message: &DynamicMessage, field: &FieldDescriptor) -> Vec<Plain> {
    match message.get_field(field).as_ref() {
        Value::List(values) if values.len() == 1 => values
            .iter()
            .map(one)
            .filter(|value| !is_zero(value))
            .collect(),
        Value::List(values) => values.iter().map(one).collect(),
        Value::Map(values) => {
            let mut entries: Vec<Plain> = values.iter().map(entry).collect();
            entries.sort();
            entries
        }
        Value::Message(_) if !message.has_field(field) => Vec::new(),
        value => {
            let value = one(value);
            if is_zero(&value) {
                Vec::new()
            } else {
                vec![value]
            }
        }
    }
}

fn entry((key, value): (&MapKey, &Value)) -> Plain {
    let key = one(&Value::from(key.clone()));
    let parts = [(1, key), (2, one(value))];
    Plain::Message(
        parts
            .into_iter()
            .filter(|(_, part)| !is_zero(part) && *part != Plain::Message(BTreeMap::new()))
            .map(|(number, part)| (number, vec![part]))
            .collect(),
    )
}

fn one(value: &Value) -> Plain {
    match value {
        Value::Bool(value) => Plain::Whole((*value).into()),
        Value::I32(value) | Value::EnumNumber(value) => Plain::Whole((*value).into()),
        Value::I64(value) => Plain::Whole((*value).into()),
        Value::U32(value) => Plain::Whole((*value).into()),
        Value::U64(value) => Plain::Whole((*value).into()),
        Value::F32(value) => Plain::Float(f64::from(*value).to_bits()),
        Value::F64(value) => Plain::Float(value.to_bits()),
        Value::String(value) => Plain::Bytes(value.clone().into_bytes()),
        Value::Bytes(value) => Plain::Bytes(value.to_vec()),
        Value::Message(value) => Plain::Message(plain(value)),
        Value::List(_) | Value::Map(_) => unreachable!("a list holds no lists"),
    }
}

fn is_zero(value: &Plain) -> bool {
    match value {
        Plain::Whole(value) => *value == 0,
        Plain::Float(value) => *value == 0,
        Plain::Bytes(value) => value.is_empty(),
        Plain::Message(_) => false,
    }
}
