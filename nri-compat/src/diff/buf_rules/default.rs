//! The value of an absent field.

use super::super::sink::Run;
use nri_schema::Schema;
use nri_schema::schema::{Cardinality, EnumValue, Field, number as n};

/// The tag of `default_value` in `FieldDescriptorProto`.
const DEFAULT_VALUE: i32 = 7;

pub(in crate::diff) fn same(run: &mut Run<'_>, old: &Field, new: &Field) {
    let pairs = run.pairs;
    let Some((before, after)) = different((pairs.from, old), (pairs.to, new)) else {
        return;
    };
    let place = pairs.to.part(&new.id, &[DEFAULT_VALUE]);
    let (before, after) = (text(pairs.from, old, &before), text(pairs.to, new, &after));
    let field = super::field(new);
    let message = format!("{field} changed default from {before} to {after}");
    run.report_at(place, &new.id, message);
}

/// Returns true if both fields have defaults that differ.
pub(in crate::diff) fn differ(old: (&Schema, &Field), new: (&Schema, &Field)) -> bool {
    different(old, new).is_some()
}

/// Returns true if the default of the field is not the zero of its type.
pub(in crate::diff) fn is_other_than_zero(schema: &Schema, field: &Field) -> bool {
    value(schema, field).is_some_and(|value| !value.is_zero())
}

fn different(old: (&Schema, &Field), new: (&Schema, &Field)) -> Option<(Value, Value)> {
    let (before, after) = (value(old.0, old.1)?, value(new.0, new.1)?);
    let alike = before.equals(&after) || (before.is_zero() && after.is_zero());
    (!alike).then_some((before, after))
}

/// A default, comparable across types: whether the type may change is checked by another rule.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Bytes(Vec<u8>),
    Whole(i128),
    Single(f32),
    Double(f64),
}

impl Value {
    fn is_zero(&self) -> bool {
        match self {
            Self::Bytes(bytes) => bytes.is_empty(),
            Self::Whole(number) => *number == 0,
            Self::Single(number) => *number == 0.0,
            Self::Double(number) => *number == 0.0,
        }
    }

    /// Returns true if the values have the same meaning: numbers by value, floats of different
    /// width by the narrower one.
    fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bytes(left), Self::Bytes(right)) => left == right,
            (Self::Whole(left), Self::Whole(right)) => left == right,
            (Self::Single(left), Self::Single(right)) => {
                same_float((*left).into(), (*right).into())
            }
            (Self::Double(left), Self::Double(right)) => same_float(*left, *right),
            (Self::Single(narrow), Self::Double(wide))
            | (Self::Double(wide), Self::Single(narrow)) => {
                same_float((*narrow).into(), narrowed(*wide).into())
            }
            (Self::Whole(whole), Self::Single(float))
            | (Self::Single(float), Self::Whole(whole)) => same_whole(*whole, (*float).into()),
            (Self::Whole(whole), Self::Double(float))
            | (Self::Double(float), Self::Whole(whole)) => same_whole(*whole, *float),
            (Self::Bytes(_), _) | (_, Self::Bytes(_)) => false,
        }
    }
}

/// Returns a default as a proto file says it.
fn text(schema: &Schema, field: &Field, value: &Value) -> String {
    match value {
        Value::Bytes(bytes) => format!("\"{}\"", bytes.escape_ascii()),
        Value::Whole(number) if field.kind == n::BOOL => (*number != 0).to_string(),
        Value::Whole(number) if field.kind == n::ENUM => enum_name(schema, field, *number),
        Value::Whole(number) => number.to_string(),
        Value::Single(number) => number.to_string(),
        Value::Double(number) => number.to_string(),
    }
}

fn enum_name(schema: &Schema, field: &Field, number: i128) -> String {
    let mut values = enum_values(schema, field).iter();
    let named = values.find(|value| i128::from(value.number) == number);
    named.map_or_else(|| number.to_string(), |value| value.id.name().to_owned())
}

fn enum_values<'a>(schema: &'a Schema, field: &Field) -> &'a [EnumValue] {
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
fn value(schema: &Schema, field: &Field) -> Option<Value> {
    if matches!(field.cardinality, Cardinality::Repeated | Cardinality::Map) {
        return None;
    }
    let declared = field.default_value.as_deref();
    Some(match field.kind {
        n::MESSAGE | n::GROUP => return None,
        n::STRING => Value::Bytes(declared.unwrap_or_default().as_bytes().to_vec()),
        n::BYTES => Value::Bytes(unescape(declared.unwrap_or_default())),
        n::FLOAT => Value::Single(number(declared, 0.0)),
        n::DOUBLE => Value::Double(number(declared, 0.0)),
        n::BOOL => Value::Whole(i128::from(declared == Some("true"))),
        n::ENUM => Value::Whole(enum_number(schema, field)),
        _ => Value::Whole(number(declared, 0)),
    })
}

fn number<T: std::str::FromStr>(text: Option<&str>, otherwise: T) -> T {
    text.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Returns the number of the named value, or of the first one.
fn enum_number(schema: &Schema, field: &Field) -> i128 {
    let values = enum_values(schema, field);
    let named = field.default_value.as_deref();
    let found = values.iter().find(|value| Some(value.id.name()) == named);
    let value = found.or(values.first());
    value.map_or(0, |value| value.number.into())
}

/// Decodes the C escapes with which descriptors store bytes.
fn unescape(text: &str) -> Vec<u8> {
    let mut rest = text.as_bytes();
    let mut bytes = Vec::with_capacity(rest.len());
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first == b'\\' {
            rest = escape(tail, &mut bytes);
        } else {
            bytes.push(first);
        }
    }
    bytes
}

/// Decodes the escape after a backslash and returns the rest.
fn escape<'a>(rest: &'a [u8], bytes: &mut Vec<u8>) -> &'a [u8] {
    let Some((&kind, tail)) = rest.split_first() else {
        return rest;
    };
    let simple = match kind {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'v' => 11,
        b'x' | b'X' => return digits(tail, 16, 2, bytes),
        b'0'..=b'7' => return digits(rest, 8, 3, bytes),
        other => other,
    };
    bytes.push(simple);
    tail
}

fn digits<'a>(rest: &'a [u8], radix: u32, most: usize, bytes: &mut Vec<u8>) -> &'a [u8] {
    let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
    let count = rest.iter().take(most).take_while(is_digit).count();
    let (digits, tail) = rest.split_at(count);
    let value = |sum: u32, byte: &u8| sum * radix + char::from(*byte).to_digit(radix).unwrap_or(0);
    // Three octal digits may exceed a byte; compilers never write such.
    bytes.push(digits.iter().fold(0, value).to_le_bytes()[0]);
    tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_unescaped() {
        assert_eq!(unescape(r#"a\n\\\"\'\x41\101\0011\?"#), b"a\n\\\"'AA\x011?");
        assert_eq!(unescape("\\"), b"");
        assert_eq!(unescape("\\x"), [0]);
        assert_eq!(unescape("\\777"), [0xff]);
    }

    #[test]
    fn whole_numbers_are_not_rounded() {
        assert!(!Value::Whole(u64::MAX.into()).equals(&Value::Double(u64::MAX as f64)));
        assert!(!Value::Whole(0).equals(&Value::Double(f64::INFINITY)));
    }
}
