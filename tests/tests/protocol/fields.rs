//! The table of fields and their releases in `nri` against the eleven protos.

use std::collections::{BTreeMap, BTreeSet};

use nri::api::fields::FIELDS;
use nri_protos::REVISIONS;
use nri_tests::outline::{Element, Kind, outline};

/// Message and field.
type Key = (String, String);
/// Number, type, whether it is a map.
type Shape = (u32, String, bool);
type Fields = BTreeMap<Key, Shape>;

/// From a line such as `field Hook.timeout = 4 OptionalInt json=timeout`; of a map, the type of its
/// values.
fn field(line: &str) -> Option<(Key, Shape)> {
    let (name, rest) = line.strip_prefix("field ")?.split_once(" = ")?;
    let (number, rest) = rest.split_once(' ')?;
    let (message, field) = name.rsplit_once('.')?;
    let map = rest.strip_prefix("map<").and_then(|map| map.split_once('>')?.0.split_once(", "));
    let of = map.map_or_else(|| rest.split(' ').next().unwrap_or_default(), |(_, value)| value);
    let value = (number.parse().ok()?, of.to_owned(), map.is_some());
    Some(((message.to_owned(), field.to_owned()), value))
}

fn fields(elements: &[Element]) -> Fields {
    let lines =
        elements.iter().filter(|element| element.kind == Kind::Field).map(|element| &element.line);
    lines.map(|line| field(line).unwrap_or_else(|| panic!("not read: {line}"))).collect()
}

/// Returns the messages that plugins and runtimes send: requests and answers of both services.
fn messages_sent(elements: &[Element]) -> BTreeSet<String> {
    let rpcs =
        elements.iter().filter(|element| element.kind == Kind::Rpc).map(|element| &element.line);
    let inside = |text: &str| text.split(')').next().unwrap_or_default().to_owned();
    let services = ["rpc Plugin.", "rpc Runtime."];
    rpcs.filter(|line| services.iter().any(|service| line.starts_with(service)))
        .flat_map(|line| line.split('(').skip(1).map(inside))
        .collect()
}

/// Returns all messages that these hold, directly or not.
fn reachable(fields: &Fields, mut found: BTreeSet<String>) -> BTreeSet<String> {
    loop {
        let held = fields
            .iter()
            .filter(|((message, _), _)| found.contains(message))
            .map(|(_, (_, of, _))| of);
        let grown: BTreeSet<String> = found.iter().chain(held).cloned().collect();
        if grown == found {
            return found;
        }
        found = grown;
    }
}

#[test]
fn the_table_has_every_field_that_is_newer_than_its_message() {
    let revisions: Vec<_> = REVISIONS
        .iter()
        .map(|revision| (revision.name, outline(revision.proto).unwrap()))
        .collect();
    let by_revision: Vec<_> =
        revisions.iter().map(|(name, elements)| (*name, fields(elements))).collect();
    let newest = &by_revision.last().unwrap().1;
    let since = |key: &Key| {
        let having = by_revision.iter().rev().take_while(|(_, fields)| fields.contains_key(key));
        having.last().map(|(name, _)| *name).unwrap()
    };
    let sent = reachable(newest, messages_sent(&revisions.last().unwrap().1));
    let first_with = |message: &String| {
        let first =
            by_revision.iter().find(|(_, fields)| fields.keys().any(|key| key.0 == *message));
        first.map(|(name, _)| *name)
    };
    let is_newer = |key: &&Key| sent.contains(&key.0) && Some(since(key)) != first_with(&key.0);

    let table: BTreeMap<_, _> =
        FIELDS.iter().map(|row| ((row.message.to_owned(), row.name.to_owned()), row)).collect();
    assert_eq!(table.len(), FIELDS.len(), "a field is there twice");
    for key in newest.keys().filter(is_newer) {
        assert!(table.contains_key(key), "{}.{} is missing, since {}", key.0, key.1, since(key));
    }
    for (key, row) in &table {
        let (number, of, is_map) =
            newest.get(key).unwrap_or_else(|| panic!("{key:?} is in no proto"));
        assert_eq!((row.number, row.is_map, row.since), (*number, *is_map, since(key)), "{key:?}");
        let leads_on = FIELDS.iter().any(|other| other.message == of);
        assert_eq!(row.of, leads_on.then_some(of.as_str()), "{key:?}");
    }
}

#[test]
fn every_message_of_the_table_can_be_reached_through_it() {
    let revision = REVISIONS.last().unwrap();
    let elements = outline(revision.proto).unwrap();
    let mut reached = messages_sent(&elements);
    for _ in FIELDS {
        reached.extend(
            FIELDS
                .iter()
                .filter(|row| reached.contains(row.message))
                .filter_map(|row| row.of.map(str::to_owned))
                .collect::<Vec<_>>(),
        );
    }
    let lost: Vec<_> = FIELDS.iter().filter(|row| !reached.contains(row.message)).collect();
    assert!(lost.is_empty(), "{lost:?}");
}
