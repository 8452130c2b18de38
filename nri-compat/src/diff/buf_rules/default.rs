//! The value of an absent field.

use super::super::sink::RuleRun;
use nri_schema::Schema;
use nri_schema::schema::{Cardinality, EnumValueDescriptor, FieldDescriptor, number as n};

/// The tag of `default_value` in `FieldDescriptorProto`.
const DEFAULT_VALUE: i32 = 7;

pub(in crate::diff) fn same(run: &mut RuleRun<'_>, old: &FieldDescriptor, new: &FieldDescriptor) {
    let pairs = run.pairs;
    let Some((before, after)) = different((pairs.from, old), (pairs.to, new)) else {
        return;
    };
    let place = pairs.to.part(&new.id, &[DEFAULT_VALUE]);
    let (was, now) = (text(pairs.from, old, &before), text(pairs.to, new, &after));
    super::changed(run, new, place, "default", [&was, &now]);
}

/// Returns true if both fields have defaults that differ.
pub(in crate::diff) fn differ(
    old: (&Schema, &FieldDescriptor),
    new: (&Schema, &FieldDescriptor),
) -> bool {
    different(old, new).is_some()
}

/// Returns true if the default of the field is not the zero of its type.
pub(in crate::diff) fn is_other_than_zero(schema: &Schema, field: &FieldDescriptor) -> bool {
    value(schema, field).is_some_and(|value| !value.is_zero())
}

fn different(
    old: (&Schema, &FieldDescriptor),
    new: (&Schema, &FieldDescriptor),
) -> Option<(DefaultValue, DefaultValue)> {
    let (before, after) = (value(old.0, old.1)?, value(new.0, new.1)?);
    let alike = before.equals(&after) || (before.is_zero() && after.is_zero());
    (!alike).then_some((before, after))
}

/// A default, comparable across types: whether the type may change is checked by another rule.
#[derive(Clone, Debug, PartialEq)]
enum DefaultValue {
    /// A string or bytes, in the C escapes with which descriptors store bytes.
    Escaped(String),
    Whole(i128),
    /// A float, and true if it has 64 bits.
    Float(f64, bool),
}

impl DefaultValue {
    fn is_zero(&self) -> bool {
        match self {
            Self::Escaped(text) => text.is_empty(),
            Self::Whole(number) => *number == 0,
            Self::Float(number, _) => *number == 0.0,
        }
    }

    /// Returns true if the values have the same meaning: numbers by value, floats of different
    /// width by the narrower one.
    fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Escaped(left), Self::Escaped(right)) => left == right,
            (Self::Whole(left), Self::Whole(right)) => left == right,
            (Self::Float(left, true), Self::Float(right, true)) => same_float(*left, *right),
            (Self::Float(left, _), Self::Float(right, _)) => {
                same_float(narrowed(*left).into(), narrowed(*right).into())
            }
            (Self::Whole(whole), Self::Float(float, _))
            | (Self::Float(float, _), Self::Whole(whole)) => same_whole(*whole, *float),
            (Self::Escaped(_), _) | (_, Self::Escaped(_)) => false,
        }
    }
}

/// Returns a default as a proto file says it.
fn text(schema: &Schema, field: &FieldDescriptor, value: &DefaultValue) -> String {
    match value {
        DefaultValue::Escaped(text) => format!("\"{text}\""),
        DefaultValue::Whole(number) if field.kind == n::BOOL => (*number != 0).to_string(),
        DefaultValue::Whole(number) if field.kind == n::ENUM => enum_name(schema, field, *number),
        DefaultValue::Whole(number) => number.to_string(),
        DefaultValue::Float(number, true) => number.to_string(),
        DefaultValue::Float(number, false) => narrowed(*number).to_string(),
    }
}

fn enum_name(schema: &Schema, field: &FieldDescriptor, number: i128) -> String {
    let named = enum_values(schema, field).iter().find(|value| i128::from(value.number) == number);
    named.map_or_else(|| number.to_string(), |value| value.id.name().to_owned())
}

fn enum_values<'a>(schema: &'a Schema, field: &FieldDescriptor) -> &'a [EnumValueDescriptor] {
    let declared = schema.enumeration(&field.type_name);
    declared.map_or(&[], |declared| &declared.values)
}

fn same_float(left: f64, right: f64) -> bool {
    left == right || (left.is_nan() && right.is_nan())
}

/// Returns true if a whole number equals a float. Defaults have at most 64 bits, so the conversion
/// is exact where it matters.
#[allow(clippy::cast_possible_truncation)]
fn same_whole(whole: i128, float: f64) -> bool {
    float.fract() == 0.0 && float.abs() < 1e30 && float as i128 == whole
}

#[allow(clippy::cast_possible_truncation)]
fn narrowed(wide: f64) -> f32 {
    wide as f32
}

/// Returns the default of a field, declared or implied; `None` where a field can have none.
fn value(schema: &Schema, field: &FieldDescriptor) -> Option<DefaultValue> {
    if matches!(field.cardinality, Cardinality::Repeated | Cardinality::Map) {
        return None;
    }
    let declared = field.default_value.as_deref();
    Some(match field.kind {
        n::MESSAGE | n::GROUP => return None,
        n::STRING => {
            let text = declared.unwrap_or_default().as_bytes();
            DefaultValue::Escaped(text.escape_ascii().to_string())
        }
        n::BYTES => DefaultValue::Escaped(declared.unwrap_or_default().to_owned()),
        n::FLOAT => DefaultValue::Float(number::<f32>(declared, 0.0).into(), false),
        n::DOUBLE => DefaultValue::Float(number(declared, 0.0), true),
        n::BOOL => DefaultValue::Whole(i128::from(declared == Some("true"))),
        n::ENUM => DefaultValue::Whole(enum_number(schema, field)),
        _ => DefaultValue::Whole(number(declared, 0)),
    })
}

fn number<T: std::str::FromStr>(text: Option<&str>, otherwise: T) -> T {
    text.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Returns the number of the named value, or of the first one.
fn enum_number(schema: &Schema, field: &FieldDescriptor) -> i128 {
    let values = enum_values(schema, field);
    let named = field.default_value.as_deref();
    let found = values.iter().find(|value| Some(value.id.name()) == named);
    let value = found.or(values.first());
    value.map_or(0, |value| value.number.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_not_rounded() {
        assert!(
            !DefaultValue::Whole(u64::MAX.into())
                .equals(&DefaultValue::Float(u64::MAX as f64, true))
        );
        assert!(!DefaultValue::Whole(0).equals(&DefaultValue::Float(f64::INFINITY, true)));
    }
}
