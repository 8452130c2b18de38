//! Required fields, oneofs and options of a message.

use std::collections::HashSet;

use super::super::features::value;
use super::super::pairs::{Pair, Pairs};
use super::super::schema::element::{Field, Message, number as n};
use super::super::sink::Sink;

/// Paths below a message: options, then the option or `features` and the feature in it.
const NO_STANDARD_DESCRIPTOR_ACCESSOR: [i32; 2] = [7, 2];
const JSON_FORMAT: [i32; 3] = [7, 12, 6];

pub(in super::super) fn required(
    pairs: &Pairs<'_>,
    Pair { old, new }: Pair<'_, Message>,
    sink: &mut Sink,
) {
    let (before, after) = (required_numbers(old), required_numbers(new));
    let name = new.id.name();
    for field in required_fields(old).filter(|field| !after.contains(&field.number)) {
        let message = format!("message {name:?} lost required field {}", field.number);
        sink.add(pairs.declared(&new.id), &field.id.full, message);
    }
    for field in required_fields(new).filter(|field| !before.contains(&field.number)) {
        let message = format!("message {name:?} gained required field {}", field.number);
        sink.add(pairs.declared(&field.id), &field.id.full, message);
    }
}

fn required_fields(message: &Message) -> impl Iterator<Item = &Field> {
    message
        .fields
        .iter()
        .filter(|field| field.label == n::LABEL_REQUIRED)
}

fn required_numbers(message: &Message) -> HashSet<i32> {
    required_fields(message).map(|field| field.number).collect()
}

/// Checks oneofs. The oneof of a proto3 `optional` is not in the source: losing it is a change of
/// cardinality.
pub(in super::super) fn oneof(
    pairs: &Pairs<'_>,
    Pair { old, new }: Pair<'_, Message>,
    sink: &mut Sink,
) {
    let kept: HashSet<&str> = new.oneofs.iter().map(|oneof| oneof.name.as_str()).collect();
    for oneof in old.oneofs.iter().filter(|oneof| !oneof.synthetic) {
        if !kept.contains(oneof.name.as_str()) {
            let message = format!(
                "oneof {:?} of message {:?} was deleted",
                oneof.name,
                new.id.name()
            );
            let element = format!("{}.{}", new.id.full, oneof.name);
            sink.add(pairs.declared(&new.id), &element, message);
        }
    }
}

pub(in super::super) fn accessor(
    pairs: &Pairs<'_>,
    Pair { old, new }: Pair<'_, Message>,
    sink: &mut Sink,
) {
    if !old.no_standard_descriptor_accessor && new.no_standard_descriptor_accessor {
        let place = pairs.to.part(&new.id, &NO_STANDARD_DESCRIPTOR_ACCESSOR);
        let message =
            "option no_standard_descriptor_accessor of the message changed from false to true";
        sink.add(
            pairs.place(place, &new.id),
            &new.id.full,
            message.to_owned(),
        );
    }
}

pub(in super::super) fn json_format(
    pairs: &Pairs<'_>,
    Pair { old, new }: Pair<'_, Message>,
    sink: &mut Sink,
) {
    let (before, after) = (old.features.json_format, new.features.json_format);
    if before == value::JSON_ALLOW && after != value::JSON_ALLOW {
        let place = pairs
            .to
            .feature(&new.id, &JSON_FORMAT)
            .or_else(|| pairs.to.declared(&new.id));
        let message = format!("message {:?} lost guaranteed JSON support", new.id.name());
        sink.add(pairs.place(place, &new.id), &new.id.full, message);
    }
}
