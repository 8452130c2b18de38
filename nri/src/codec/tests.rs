//! Tests of the codec against the derive of prost, with messages made for the purpose. `fuzz` and
//! the tests of the repository compare NRI's messages with other implementations.

use std::collections::BTreeMap;

use proptest::prelude::*;
use prost::Message as _;

use super::{Message as _, wire};

/// A message of every type of field that NRI has.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ours {
    pub(crate) flag: bool,
    pub(crate) int: i32,
    pub(crate) long: i64,
    pub(crate) count: u32,
    pub(crate) size: u64,
    pub(crate) text: String,
    pub(crate) texts: Vec<String>,
    pub(crate) color: i32,
    pub(crate) ints: Vec<i32>,
    pub(crate) counts: Vec<u32>,
    pub(crate) leaf: Option<OurLeaf>,
    pub(crate) leaves: Vec<OurLeaf>,
    pub(crate) limit: Option<i64>,
    pub(crate) lines: Option<Vec<String>>,
    pub(crate) by_text: BTreeMap<String, String>,
    pub(crate) by_int: BTreeMap<i32, OurLeaf>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OurLeaf {
    pub(crate) name: String,
    next: Option<OurEnd>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct OurEnd {}

super::fields! { Ours, "Theirs" {
    200 => by_int, 16 => by_text, 14 => lines, 13 => limit, 12 => leaves, 11 => leaf, 10 => counts, 9 => ints, 8 => color,
    7 => texts, 6 => text, 5 => size, 4 => count, 3 => long, 2 => int, 1 => flag,
} }
super::fields! { OurLeaf, "TheirLeaf" { 2 => next, 1 => name } }
super::fields! { OurEnd, "TheirEnd" {} }

/// The same message with the derive.
#[derive(Clone, PartialEq, prost::Message)]
struct Theirs {
    #[prost(bool, tag = "1")]
    flag: bool,
    #[prost(int32, tag = "2")]
    int: i32,
    #[prost(int64, tag = "3")]
    long: i64,
    #[prost(uint32, tag = "4")]
    count: u32,
    #[prost(uint64, tag = "5")]
    size: u64,
    #[prost(string, tag = "6")]
    text: String,
    #[prost(string, repeated, tag = "7")]
    texts: Vec<String>,
    #[prost(int32, tag = "8")]
    color: i32,
    #[prost(int32, repeated, tag = "9")]
    ints: Vec<i32>,
    #[prost(uint32, repeated, tag = "10")]
    counts: Vec<u32>,
    #[prost(message, optional, tag = "11")]
    leaf: Option<TheirLeaf>,
    #[prost(message, repeated, tag = "12")]
    leaves: Vec<TheirLeaf>,
    #[prost(message, optional, tag = "13")]
    limit: Option<OptionalInt64>,
    #[prost(message, optional, tag = "14")]
    lines: Option<OptionalRepeatedString>,
    #[prost(btree_map = "string, string", tag = "16")]
    by_text: BTreeMap<String, String>,
    #[prost(btree_map = "int32, message", tag = "200")]
    by_int: BTreeMap<i32, TheirLeaf>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct TheirLeaf {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, optional, tag = "2")]
    next: Option<TheirEnd>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct TheirEnd {}

#[derive(Clone, PartialEq, prost::Message)]
struct OptionalInt64 {
    #[prost(int64, tag = "1")]
    value: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
struct OptionalRepeatedString {
    #[prost(string, repeated, tag = "1")]
    value: Vec<String>,
}

fn leaf() -> impl Strategy<Value = TheirLeaf> {
    (".{0,3}", any::<bool>())
        .prop_map(|(name, has_next)| TheirLeaf { name, next: has_next.then_some(TheirEnd {}) })
}

fn theirs() -> impl Strategy<Value = Theirs> {
    use prop::collection::{btree_map, vec};
    let numbers = any::<(bool, i32, i64, i32, u32, u64)>();
    let texts = (".{0,200}", vec(".{0,3}", 0..3));
    let lists = (vec(any::<i32>(), 0..3), vec(any::<u32>(), 0..3), vec(leaf(), 0..3));
    let any_limit = prop::option::of(prop_oneof![Just(0), any::<i64>()])
        .prop_map(|limit| limit.map(|value| OptionalInt64 { value }));
    let any_lines = prop::option::of(vec(".{0,3}", 0..3))
        .prop_map(|lines| lines.map(|value| OptionalRepeatedString { value }));
    let maps = (btree_map(".{0,2}", ".{0,2}", 0..3), btree_map(-1..2, leaf(), 0..3));
    (numbers, texts, prop::option::of(leaf()), lists, (any_limit, any_lines), maps).prop_map(
        |(
            numbers,
            (text, texts),
            leaf,
            (ints, counts, leaves),
            (limit, lines),
            (by_text, by_int),
        )| {
            let (flag, int, long, color, count, size) = numbers;
            Theirs {
                flag,
                int,
                long,
                count,
                size,
                text,
                texts,
                color,
                ints,
                counts,
                leaf,
                leaves,
                limit,
                lines,
                by_text,
                by_int,
            }
        },
    )
}

/// Fields of any kind, some of them damaged, in any order.
fn fields() -> impl Strategy<Value = Vec<u8>> {
    let whole = theirs().prop_map(|message| message.encode_to_vec());
    let odd = prop::collection::vec(any::<u8>(), 0..12);
    // Numbers that are not packed, groups, unknown fields, and a field of another type.
    let known = prop::sample::select(vec![
        vec![9 << 3, 5],
        vec![0xa3, 1, 8, 1, 0xa4, 1],
        vec![0xa5, 1, 1, 2, 3, 4],
        vec![6 << 3, 1],
        vec![6 << 3 | 2, 1, 0xff],
        vec![11 << 3 | 2, 2, 1 << 3 | 2, 9],
        // Optional values: 0, two in a row, and one with an unknown field.
        vec![13 << 3 | 2, 0],
        vec![13 << 3 | 2, 4, 1 << 3, 5, 1 << 3, 6],
        vec![14 << 3 | 2, 3, 2 << 3, 1, 1 << 3 | 2],
    ]);
    let parts = prop_oneof![4 => whole, 1 => odd, 2 => known];
    prop::collection::vec(parts, 0..4).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn messages_are_encoded_as_the_derive_does(message in theirs()) {
        let theirs = message.encode_to_vec();
        let ours = Ours::decode(&*theirs).unwrap();
        prop_assert_eq!(ours.encoded_len(), theirs.len());
        prop_assert_eq!(ours.encode_to_vec(), theirs);
    }

    #[test]
    fn the_same_is_accepted_and_means_the_same(encoded in fields()) {
        let (ours, theirs) = (Ours::decode(&*encoded), Theirs::decode(&*encoded));
        match theirs {
            Ok(theirs) => prop_assert_eq!(ours.unwrap().encode_to_vec(), theirs.encode_to_vec()),
            Err(_) => prop_assert!(ours.is_err()),
        }
    }

    #[test]
    fn fields_are_found_as_messages_have_them(encoded in fields()) {
        let found: Result<Vec<_>, _> = wire::fields(&encoded).collect();
        prop_assert_eq!(found.is_ok(), OurEnd::decode(&encoded).is_ok());
        let parts: Vec<_> = found.unwrap_or_default().iter().map(|field| field.encoded).collect();
        prop_assert!(parts.is_empty() || parts.concat() == encoded);
    }
}

#[test]
fn errors_are_those_of_the_derive() {
    for encoded in [
        &[6 << 3, 1][..],
        &[6 << 3 | 2, 1, 0xff],
        &[6 << 3 | 2, 9],
        &[11 << 3 | 2, 2, 1 << 3, 1],
        &[12 << 3 | 2, 3, 1 << 3 | 2, 1, 0xff],
        &[13 << 3 | 2, 2, 1 << 3 | 2, 0],
        &[14 << 3 | 2, 3, 1 << 3 | 2, 1, 0xff],
        &[2 << 3 | 2, 1, 1],
        &[1 << 3, 0xff],
        &[0],
        &[20 << 3 & 0x7f | 7],
        &[0xa4, 1],
    ] {
        let theirs = Theirs::decode(encoded).unwrap_err().to_string();
        assert_eq!(Ours::decode(encoded).unwrap_err().to_string(), theirs, "{encoded:?}");
    }
}
