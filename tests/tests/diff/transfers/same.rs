//! Compares two messages field by field although their types differ.

use std::collections::BTreeMap;

use prost_reflect::{
    Cardinality, DynamicMessage, FieldDescriptor, MapKey, ReflectMessage as _, Value,
};

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

/// Returns true if the reader of `read` can tell 0 from unset in each field in which the sender of
/// `sent` can, and finds no field unset that the sender regards as 0. Both have the same values.
pub(super) fn same_presence(sent: &DynamicMessage, read: &DynamicMessage) -> bool {
    let of = sent.descriptor();
    of.fields().all(|field| {
        let Some(other) = read.descriptor().get_field(field.number()) else {
            return true;
        };
        match (sent.get_field(&field).as_ref(), read.get_field(&other).as_ref()) {
            (Value::Message(within), Value::Message(inside)) => {
                !sent.has_field(&field) || !read.has_field(&other) || same_presence(within, inside)
            }
            (Value::List(sent), Value::List(read)) => {
                let mut pairs = sent.iter().zip(read);
                pairs.all(|pair| match pair {
                    (Value::Message(within), Value::Message(inside)) => {
                        same_presence(within, inside)
                    }
                    _ => true,
                })
            }
            (Value::Map(_) | Value::List(_), _) | (_, Value::Map(_) | Value::List(_)) => true,
            _ if field.cardinality() == Cardinality::Required => true,
            _ => presence(sent, &field) == presence(read, &other),
        }
    })
}

/// Returns true if a field holds a value, and `None` if it holds 0 and the type cannot tell this
/// from unset. prost has a plain value for a required field.
fn presence(message: &DynamicMessage, field: &FieldDescriptor) -> Option<bool> {
    let is_set = message.has_field(field);
    let tells = field.supports_presence() && field.cardinality() != Cardinality::Required;
    (is_set || tells).then_some(is_set)
}

fn plain(message: &DynamicMessage) -> BTreeMap<u32, Vec<Plain>> {
    let of = message.descriptor();
    let fields = of.fields();
    let values = fields.map(|field| (field.number(), values(message, &field)));
    values.filter(|(_, values)| !values.is_empty()).collect()
}

fn values(message: &DynamicMessage, field: &FieldDescriptor) -> Vec<Plain> {
    match message.get_field(field).as_ref() {
        Value::List(values) if values.len() == 1 => {
            values.iter().map(one).filter(|value| !is_zero(value)).collect()
        }
        Value::List(values) => values.iter().map(one).collect(),
        Value::Map(values) => {
            let mut entries: Vec<Plain> = values.iter().map(entry).collect();
            entries.sort();
            entries
        }
        Value::Message(_) if !message.has_field(field) => Vec::new(),
        value => {
            let value = one(value);
            if is_zero(&value) { Vec::new() } else { vec![value] }
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
