//! Tests with a message made for the purpose. `tests/protocol/json.rs` in the repository compares
//! NRI's messages with another implementation.
#![allow(unreachable_pub, reason = "the enums of the API are public")]

use serde_json::{Value, json};

use super::Strict;
use crate::codec::tests::{OurLeaf, Ours};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i32)]
enum Color {
    Red = 0,
    Green = 1,
}

crate::codec::enumeration! { Color, "Color" { Red "RED", Green "GREEN" } }
super::enumeration! { Color, "Color" { Red "RED", Green "GREEN" } }
super::message! { OurLeaf, "Leaf" { 1 => name "A_name" } }
super::message! { Ours, "All" {
    200 => by_int, 16 => by_text, 14 => lines, 13 => limit, 12 => leaves, 11 => leaf, 10 => counts, 9 => ints: Color, 8 => color: Color,
    7 => texts, 6 => text, 5 => size, 4 => count, 3 => long, 2 => int, 1 => flag,
} }

fn read(json: Value) -> Result<Ours, String> {
    serde_json::from_value(json).map_err(|error| error.to_string())
}

fn read_strictly(json: Value) -> Result<Ours, String> {
    let read = serde_json::from_value::<Strict<Ours>>(json);
    read.map(|Strict(all)| all).map_err(|error| error.to_string())
}

fn written(json: Value) -> Value {
    serde_json::to_value(read_strictly(json).unwrap()).unwrap()
}

#[test]
fn every_type_is_written_as_it_is_read() {
    let all = json!({
        "flag": true, "int": -1, "long": "-9223372036854775808", "count": 4294967295u32,
        "size": "18446744073709551615", "text": "ä", "color": "GREEN", "leaf": {"AName": "x"}, "counts": [1, 2],
        "texts": ["", "y"], "leaves": [{}, {"AName": "y"}], "ints": ["RED", 7], "byInt": {"-3": {}},
        "byText": {"": "", "k": "z"}, "limit": {"value": "-1"}, "lines": {"value": ["", "z"]},
    });
    assert_eq!(written(all.clone()), all);
    assert_eq!(written(json!({"leaf": {}})), json!({"leaf": {}}));
    // 0 is not absent.
    let zero = read_strictly(json!({"limit": {"value": 0}, "lines": {}})).unwrap();
    assert_eq!((zero.limit, &zero.lines), (Some(0), &Some(Vec::new())));
    assert_eq!(serde_json::to_value(zero).unwrap(), json!({"limit": {}, "lines": {}}));
    assert_eq!(read_strictly(json!({"limit": null})).unwrap().limit, None);
}

#[test]
fn other_spellings_mean_the_same() {
    let other = json!({
        "int": "-1", "count": 3.0, "size": 5, "long": "1000", "color": 1, "leaf": {"A_name": "x"},
        "by_text": {"k": ""}, "text": null, "counts": null, "flag": false,
    });
    let plain = json!({
        "int": -1, "count": 3, "size": "5", "long": "1000", "color": "GREEN", "leaf": {"AName": "x"},
        "byText": {"k": ""},
    });
    assert_eq!(written(other), plain);
}

#[test]
fn a_value_of_another_type_is_an_error() {
    for (wrong, expected) in [
        (json!({"flag": "true"}), "expected a boolean"),
        (json!({"int": 2147483648u32}), "a 32-bit integer"),
        (json!({"int": 1.5}), "an integer or a string"),
        (json!({"count": -1}), "non-negative"),
        (json!({"size": "18446744073709551616"}), "non-negative"),
        (json!({"long": " 1"}), "a 64-bit integer"),
        (json!({"long": "1e3"}), "a 64-bit integer"),
        (json!({"text": 1}), "expected a string"),
        (json!({"color": true}), "an integer or a string"),
        (json!({"leaf": "x"}), "fields of Leaf"),
        (json!({"counts": 1}), "expected a sequence"),
        (json!({"counts": [null]}), "an integer or a string"),
        (json!({"byInt": {"x": {}}}), "a 32-bit integer"),
        (json!({"byInt": {"1.0": {}}}), "a 32-bit integer"),
        (json!({"byText": []}), "expected an object"),
        (json!({"by_int": {}, "byInt": {}}), "given twice"),
        (json!([]), "fields of All"),
    ] {
        let error = read(wrong.clone()).unwrap_err();
        assert!(error.contains(expected), "{wrong}: {error}");
    }
}

#[test]
fn a_key_twice_is_an_error() {
    let read = serde_json::from_str::<Ours>(r#"{"byInt": {"1": {}, "1": {}}}"#);
    assert!(read.unwrap_err().to_string().contains("a key twice"));
}

#[test]
fn what_is_not_known_is_ignored_or_refused() {
    let unknown = json!({"ints": ["RED", "PUCE"], "color": "PUCE", "new": [{}]});
    let read = serde_json::to_value(read(unknown).unwrap()).unwrap();
    assert_eq!(read, json!({"ints": ["RED"]}));
    for (refused, expected) in [
        (json!({"color": "PUCE"}), "a Color"),
        (json!({"leaf": {"new": 1}}), "unknown field `new` of Leaf"),
        (json!({"ints": ["PUCE"]}), "a Color"),
    ] {
        let error = read_strictly(refused.clone()).unwrap_err();
        assert!(error.contains(expected), "{refused}: {error}");
    }
}

#[test]
fn an_enum_by_itself_has_to_be_known() {
    assert_eq!(serde_json::to_value(Color::Green).unwrap(), json!("GREEN"));
    for green in [json!("GREEN"), json!(1)] {
        let read = serde_json::from_value::<Color>(green);
        assert_eq!(read.unwrap(), Color::Green);
    }
    for wrong in [json!("PUCE"), json!(7), json!(null)] {
        assert!(serde_json::from_value::<Color>(wrong).is_err());
    }
}
