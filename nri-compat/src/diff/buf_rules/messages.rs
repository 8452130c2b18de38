//! Required fields, oneofs and options of a message.

use std::collections::HashSet;

use super::super::sink::Run;
use nri_schema::schema::value;
use nri_schema::schema::{Field, Message, number as n};

/// Paths below a message: options, then the option or `features` and the feature in it.
const NO_STANDARD_DESCRIPTOR_ACCESSOR: [i32; 2] = [7, 2];
const JSON_FORMAT: [i32; 3] = [7, 12, 6];

pub(in crate::diff) fn required(run: &mut Run<'_>, old: &Message, new: &Message) {
    let (before, after) = (required_numbers(old), required_numbers(new));
    let name = new.id.name();
    for field in required_fields(old).filter(|field| !after.contains(&field.number)) {
        let message = format!("message {name:?} lost required field {}", field.number);
        run.report_part(&new.id, &field.id.full, message);
    }
    for field in required_fields(new).filter(|field| !before.contains(&field.number)) {
        let message = format!("message {name:?} gained required field {}", field.number);
        run.report(&field.id, message);
    }
}

fn required_fields(message: &Message) -> impl Iterator<Item = &Field> {
    let fields = message.fields.iter();
    fields.filter(|field| field.label == n::LABEL_REQUIRED)
}

fn required_numbers(message: &Message) -> HashSet<i32> {
    required_fields(message).map(|field| field.number).collect()
}

/// Checks oneofs. The oneof of a proto3 `optional` is not in the source: losing it is a change of
/// cardinality.
pub(in crate::diff) fn oneof(run: &mut Run<'_>, old: &Message, new: &Message) {
    let kept: HashSet<&str> = new.oneofs.iter().map(|oneof| oneof.name.as_str()).collect();
    for oneof in old.oneofs.iter().filter(|oneof| !oneof.synthetic) {
        if !kept.contains(oneof.name.as_str()) {
            let (name, owner) = (&oneof.name, new.id.name());
            let message = format!("oneof {name:?} of message {owner:?} was deleted");
            let element = format!("{}.{name}", new.id.full);
            run.report_part(&new.id, &element, message);
        }
    }
}

pub(in crate::diff) fn accessor(run: &mut Run<'_>, old: &Message, new: &Message) {
    if !old.no_standard_descriptor_accessor && new.no_standard_descriptor_accessor {
        let place = run.pairs.to.part(&new.id, &NO_STANDARD_DESCRIPTOR_ACCESSOR);
        let message =
            "option no_standard_descriptor_accessor of the message changed from false to true";
        run.report_only_at(place, &new.id, message.to_owned());
    }
}

pub(in crate::diff) fn json_format(run: &mut Run<'_>, old: &Message, new: &Message) {
    let (before, after) = (old.features.json_format, new.features.json_format);
    if before == value::JSON_ALLOW && after != value::JSON_ALLOW {
        let place = run.pairs.to.feature(&new.id, &JSON_FORMAT);
        let message = format!("message {:?} lost guaranteed JSON support", new.id.name());
        run.report_at(place, &new.id, message);
    }
}
