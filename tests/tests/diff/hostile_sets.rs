//! Malformed descriptor sets: the checker may reject them, but must not panic.

use fastrand::Rng;
use nri_compat::diff::{self, breaking};
use nri_schema::Schema;
use nri_tests::{compile, fixtures};

/// Changes, drops, repeats or inserts a few bytes.
fn damage(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..rng.usize(1..4) {
        if bytes.is_empty() {
            return;
        }
        let at = rng.usize(..bytes.len());
        match rng.u8(..8) {
            0 => bytes[at] = rng.u8(..),
            1..=4 => bytes[at] ^= 1 << rng.u8(..8),
            5 => bytes.insert(at, [0, 1, 0x7f, 0x80, 0xff][rng.usize(..5)]),
            6 => drop(bytes.remove(at)),
            _ => bytes.truncate(at + bytes.len() / 2),
        }
    }
}

#[test]
fn damaged_sets_are_refused_or_compared() {
    let mut rng = Rng::with_seed(1);
    let (mut refused, mut compared) = (0, 0);
    for rule in fixtures::names(&fixtures::root()) {
        let set = compile::set(&fixtures::root().join(&rule).join("previous")).unwrap();
        let whole = Schema::decode(&set).unwrap();
        for _ in 0..150 {
            let mut damaged = set.clone();
            damage(&mut damaged, &mut rng);
            match Schema::decode(&damaged) {
                Ok(decoded) => {
                    compared += 1;
                    let schema = diff::adjusted(decoded, |_| Some("\t\u{e9} a\n".repeat(5)));
                    breaking(&schema, &whole, &[]);
                    breaking(&whole, &schema, &[]);
                    assert_eq!(breaking(&schema, &schema, &[]), []);
                }
                Err(error) => {
                    refused += 1;
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
    assert!(refused > 300 && compared > 300, "{refused} refused, {compared} compared");
}

#[test]
fn what_is_wrong_with_a_set_is_told() {
    // field 1 of the set: a file with a name (1), an import (3), a message (4), a syntax (12), an
    // edition (14)
    let set = |file: &[u8]| [&[0x0a, u8::try_from(file.len()).unwrap()], file].concat();
    let file = |rest: &[u8]| set(&[b"\x0a\x01a", rest].concat());
    assert_eq!(message(&set(b"")), "a file has no name");
    assert_eq!(message(&file(b"\x1a\x01b")), "a: imports b, which the set does not contain");
    assert_eq!(message(&file(b"\x22\x00")), "a: a message has no name");
    assert_eq!(message(&file(b"\x62\x01x")), "a: unknown syntax \"x\"");
    assert_eq!(message(&file(b"\x62\x08editions\x70\x07")), "a: unknown edition 7");
    assert_eq!(message(&[file(b""), file(b"")].concat()), "a is declared twice");
    assert_eq!(message(&file(b"\x22\x03\x0a\x01M\x22\x03\x0a\x01M")), "a: M is declared twice");
    assert_eq!(
        message(&file(b"\x22\x0e\x0a\x01M\x12\x09\x0a\x01f\x28\x0b\x32\x02.T")),
        "a: field M.f has no type, or one that the set does not declare"
    );
    assert_eq!(
        message(&file(b"\x22\x0c\x0a\x01M\x12\x07\x0a\x01f\x28\x05\x48\x03")),
        "a: field M.f is in a oneof that its message does not have"
    );
    let field = |name| [b"\x12\x07\x0a\x01".as_slice(), name, b"\x18\x01\x28\x05"].concat();
    let fields = [b"\x22\x15\x0a\x01M", field(b"f").as_slice(), &field(b"g")].concat();
    assert_eq!(message(&file(&fields)), "a: M has two fields with number 1");
    assert!(message(b"\xff").starts_with("not a FileDescriptorSet: "));
}

/// Returns the error about a set, after the file in which it is.
fn message(set: &[u8]) -> String {
    let error = Schema::decode(set).unwrap_err();
    match error.file() {
        Some(file) => format!("{file}: {error}"),
        None => error.to_string(),
    }
}
