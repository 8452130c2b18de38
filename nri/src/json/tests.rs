//! Tests with a message made for the purpose. `tests/protocol/json.rs` in the repository compares NRI's messages with
//! another implementation.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Strict;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i32)]
enum Color {
    Red = 0,
    Green = 1,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Leaf {
    name: String,
}

/// A message of every type of field that NRI has.
#[derive(Clone, Debug, Default, PartialEq)]
struct All {
    b: bool,
    i32: i32,
    i64: i64,
    u32: u32,
    u64: u64,
    text: String,
    color: i32,
    leaf: Option<Leaf>,
    numbers: Vec<u32>,
    texts: Vec<String>,
    leaves: Vec<Leaf>,
    colors: Vec<i32>,
    by_int: BTreeMap<i32, Leaf>,
    by_text: BTreeMap<String, String>,
}

crate::codec::message! { Leaf, "Leaf" { 1 => name } }
crate::codec::message! { All, "All" {
    14 => by_text, 13 => by_int, 12 => colors, 11 => leaves, 10 => texts, 9 => numbers, 8 => leaf, 7 => color,
    6 => text, 5 => u64, 4 => u32, 3 => i64, 2 => i32, 1 => b,
} }
crate::codec::enumeration! { Color, "Color" { Red "RED", Green "GREEN" } }
super::enumeration! { Color, "Color" { Red "RED", Green "GREEN" } }
super::message! { Leaf, "Leaf" { 1 => name "A_name" } }
super::message! { All, "All" {
    14 => by_text, 13 => by_int, 12 => colors: Color, 11 => leaves, 10 => texts, 9 => numbers, 8 => leaf,
    7 => color: Color, 6 => text, 5 => u64, 4 => u32, 3 => i64, 2 => i32, 1 => b,
} }

fn read(json: Value) -> Result<All, String> {
    serde_json::from_value(json).map_err(|error| error.to_string())
}

fn read_strictly(json: Value) -> Result<All, String> {
    let read = serde_json::from_value::<Strict<All>>(json);
    read.map(|Strict(all)| all)
        .map_err(|error| error.to_string())
}

fn written(json: Value) -> Value {
    serde_json::to_value(read_strictly(json).unwrap()).unwrap()
}

#[test]
fn every_type_is_written_as_it_is_read() {
    let all = json!({
        "b": true, "i32": -1, "i64": "-9223372036854775808", "u32": 4294967295u32,
        "u64": "18446744073709551615", "text": "ä", "color": "GREEN", "leaf": {"AName": "x"}, "numbers": [1, 2],
        "texts": ["", "y"], "leaves": [{}, {"AName": "y"}], "colors": ["RED", 7], "byInt": {"-3": {}},
        "byText": {"": "", "k": "z"},
    });
    assert_eq!(written(all.clone()), all);
    assert_eq!(written(json!({"leaf": {}})), json!({"leaf": {}}));
}

#[test]
fn other_spellings_mean_the_same() {
    let other = json!({
        "i32": "-1", "u32": 3.0, "u64": 5, "i64": "1e3", "color": 1, "leaf": {"A_name": "x"},
        "by_text": {"k": ""}, "text": null, "numbers": null, "b": false,
    });
    let plain = json!({
        "i32": -1, "u32": 3, "u64": "5", "i64": "1000", "color": "GREEN", "leaf": {"AName": "x"},
        "byText": {"k": ""},
    });
    assert_eq!(written(other), plain);
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
        (json!({"text": 1}), "expected a string"),
        (json!({"color": true}), "name or number of a Color"),
        (json!({"leaf": "x"}), "fields of Leaf"),
        (json!({"numbers": 1}), "a list for field `numbers`"),
        (json!({"numbers": [null]}), "a non-negative 32-bit integer"),
        (json!({"byInt": {"x": {}}}), "a 32-bit integer"),
        (json!({"byInt": {"1": {}, "1.0": {}}}), "a key twice"),
        (json!({"byText": []}), "an object for field `byText`"),
        (json!({"by_int": {}, "byInt": {}}), "given twice"),
        (json!([]), "fields of All"),
    ] {
        let error = read(wrong.clone()).unwrap_err();
        assert!(error.contains(expected), "{wrong}: {error}");
    }
}

#[test]
fn what_is_not_known_is_ignored_or_refused() {
    let unknown = json!({"colors": ["RED", "PUCE"], "color": "PUCE", "new": [{}]});
    let read = serde_json::to_value(read(unknown).unwrap()).unwrap();
    assert_eq!(read, json!({"colors": ["RED"]}));
    for (refused, expected) in [
        (json!({"color": "PUCE"}), "a Color"),
        (json!({"leaf": {"new": 1}}), "unknown field `new` of Leaf"),
        (json!({"colors": ["PUCE"]}), "a Color"),
    ] {
        let error = read_strictly(refused.clone()).unwrap_err();
        assert!(error.contains(expected), "{refused}: {error}");
    }
}

#[test]
fn an_enum_by_itself_has_to_be_known() {
    assert_eq!(serde_json::to_value(Color::Green).unwrap(), json!("GREEN"));
    assert_eq!(
        serde_json::from_value::<Color>(json!("GREEN")).unwrap(),
        Color::Green
    );
    assert_eq!(
        serde_json::from_value::<Color>(json!(1)).unwrap(),
        Color::Green
    );
    for wrong in [json!("PUCE"), json!(7), json!(null)] {
        assert!(serde_json::from_value::<Color>(wrong).is_err());
    }
}
