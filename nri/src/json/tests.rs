//! Tests of every field type, with a schema made for the purpose, because the schema of NRI has
//! only some types. `tests/protocol/json.rs` in the repository compares NRI's messages with another
//! implementation.

use serde_core::de::DeserializeSeed;
use serde_json::{Value, json};

use super::read::{ReadMessage, Unknown};
use super::schema::{Enum, Field, Kind, Message, Shape};
use super::write;

static COLOR: Enum = Enum {
    name: "Color",
    values: &[("RED", 0), ("GREEN", 1), ("LIME", 1)],
};

static LEAF: Message = Message {
    name: "Leaf",
    fields: &[field("a_name", "aName", 1, Shape::Single, Kind::String)],
};

static ALL: Message = Message {
    name: "All",
    fields: &[
        field("b", "b", 1, Shape::Single, Kind::Bool),
        field("i32", "i32", 2, Shape::Single, Kind::Int32),
        field("i64", "i64", 3, Shape::Single, Kind::Int64),
        field("u32", "u32", 4, Shape::Single, Kind::Uint32),
        field("u64", "u64", 5, Shape::Single, Kind::Uint64),
        field("s32", "s32", 6, Shape::Single, Kind::Sint32),
        field("s64", "s64", 7, Shape::Single, Kind::Sint64),
        field("f32", "f32", 8, Shape::Single, Kind::Fixed32),
        field("f64", "f64", 9, Shape::Single, Kind::Fixed64),
        field("sf32", "sf32", 10, Shape::Single, Kind::Sfixed32),
        field("sf64", "sf64", 11, Shape::Single, Kind::Sfixed64),
        field("float", "float", 12, Shape::Single, Kind::Float),
        field("double", "double", 13, Shape::Single, Kind::Double),
        field("text", "text", 14, Shape::Single, Kind::String),
        field("blob", "blob", 15, Shape::Single, Kind::Bytes),
        field("color", "color", 16, Shape::Single, Kind::Enum(&COLOR)),
        field("leaf", "leaf", 17, Shape::Single, Kind::Message(&LEAF)),
        field("numbers", "numbers", 18, Shape::List, Kind::Sint64),
        field("leaves", "leaves", 19, Shape::List, Kind::Message(&LEAF)),
        field("colors", "colors", 20, Shape::List, Kind::Enum(&COLOR)),
        field(
            "by_bool",
            "byBool",
            21,
            Shape::Map(Kind::Bool),
            Kind::Uint32,
        ),
        field(
            "by_int",
            "byInt",
            22,
            Shape::Map(Kind::Int32),
            Kind::Enum(&COLOR),
        ),
        field(
            "by_text",
            "byText",
            23,
            Shape::Map(Kind::String),
            Kind::Message(&LEAF),
        ),
    ],
};

const fn field(
    name: &'static str,
    json_name: &'static str,
    number: u32,
    shape: Shape,
    kind: Kind,
) -> Field {
    Field {
        name,
        json_name,
        number,
        shape,
        kind,
    }
}

fn read(json: Value, unknown: Unknown) -> Result<Vec<u8>, String> {
    let message = &ALL;
    let seed = ReadMessage { message, unknown };
    seed.deserialize(json).map_err(|error| error.to_string())
}

fn written(json: Value) -> Value {
    let bytes = read(json, Unknown::Refuse).unwrap();
    write::tests::encoded(&ALL, &bytes)
}

#[test]
fn every_type_is_written_as_it_is_read() {
    let all = json!({
        "b": true, "i32": -1, "i64": "-9223372036854775808", "u32": 4294967295u32,
        "u64": "18446744073709551615", "s32": -2147483648, "s64": "-5", "f32": 7, "f64": "8",
        "sf32": -9, "sf64": "-10", "float": 1.5, "double": -0.25, "text": "ä", "blob": "+/8=",
        "color": "GREEN", "leaf": {"aName": "x"}, "numbers": ["1", "-2"], "leaves": [{}, {"aName": "y"}],
        "colors": ["RED", 7], "byBool": {"false": 1, "true": 2}, "byInt": {"-3": "RED"},
        "byText": {"": {}, "k": {"aName": "z"}},
    });
    assert_eq!(written(all.clone()), all);
}

#[test]
fn other_spellings_mean_the_same() {
    let other = json!({
        "i32": "-1", "u32": 3.0, "u64": 5, "s64": "1e3", "float": "Infinity", "double": "NaN",
        "blob": "-_8", "color": 1, "leaf": {"a_name": "x"}, "by_bool": {"true": "2"}, "text": null,
        "numbers": null,
    });
    let plain = json!({
        "i32": -1, "u32": 3, "u64": "5", "s64": "1000", "float": "Infinity", "double": "NaN",
        "blob": "+/8=", "color": "GREEN", "leaf": {"aName": "x"}, "byBool": {"true": 2},
    });
    assert_eq!(written(other), plain);
    assert_eq!(written(json!({"color": "LIME"})), json!({"color": "GREEN"}));
}

#[test]
fn a_value_of_another_type_is_an_error() {
    for (wrong, expected) in [
        (json!({"b": "true"}), "expected true or false"),
        (json!({"i32": 2147483648u32}), "a 32-bit integer"),
        (json!({"i32": 1.5}), "a 32-bit integer"),
        (json!({"u32": -1}), "non-negative"),
        (json!({"u64": "18446744073709551616"}), "non-negative"),
        (json!({"i64": " 1"}), "a 64-bit integer"),
        (json!({"float": 1e39}), "range of a float"),
        (json!({"text": 1}), "expected a string"),
        (json!({"blob": "?"}), "base64"),
        (json!({"color": true}), "name or number of a Color"),
        (json!({"leaf": "x"}), "fields of Leaf"),
        (json!({"numbers": 1}), "a list for field `numbers`"),
        (json!({"numbers": [null]}), "a 64-bit integer"),
        (json!({"byInt": {"x": "RED"}}), "a 32-bit integer"),
        (json!({"byInt": {"1": "RED", "1.0": "RED"}}), "a key twice"),
        (json!({"byBool": []}), "an object for field `byBool`"),
        (json!({"by_int": {}, "byInt": {}}), "given twice"),
        (json!([]), "fields of All"),
    ] {
        let error = read(wrong.clone(), Unknown::Ignore).unwrap_err();
        assert!(error.contains(expected), "{wrong}: {error}");
    }
}

#[test]
fn what_is_not_known_is_ignored_or_refused() {
    let unknown =
        json!({"colors": ["RED", "PUCE"], "color": "PUCE", "byInt": {"1": "PUCE"}, "new": [{}]});
    let bytes = read(unknown, Unknown::Ignore).unwrap();
    assert_eq!(
        write::tests::encoded(&ALL, &bytes),
        json!({"colors": ["RED"]})
    );
    for refused in [
        json!({"color": "PUCE"}),
        json!({"leaf": {"new": 1}}),
        json!({"colors": ["PUCE"]}),
    ] {
        assert!(read(refused.clone(), Unknown::Refuse).is_err(), "{refused}");
    }
}

#[test]
fn packed_lists_are_unpacked() {
    // Field 18, packed: 1 and -2 as zigzag.
    let packed = [0x92, 0x01, 2, 2, 3];
    assert_eq!(
        write::tests::encoded(&ALL, &packed),
        json!({"numbers": ["1", "-2"]})
    );
}
