//! Fields and enum values: the direction in which they travel, and who does not know them.

use super::semantics::{EVENT, STATE_CHANGE};
use nri_schema::model::{Enum, Field, Message};

use super::{Context, Sink, synchronize};
use crate::rules::ids;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink) {
    for new in cx.to.messages() {
        let name = cx.to.relative(&new.full_name);
        let Some(old) = cx.from.message(name) else {
            continue;
        };
        for field in new.fields.iter().filter(|field| !has(old, field)) {
            added(cx, name, field, sink);
        }
        for field in old.fields.iter().filter(|field| !has(new, field)) {
            removed(cx, name, field, sink);
        }
    }
}

/// Returns true if the message has the field. Peers identify a field by its number; a new name does
/// not affect them.
fn has(message: &Message, field: &Field) -> bool {
    message.fields.iter().any(|other| other.number == field.number)
}

/// Returns true for fields with separate rules.
fn is_reported_elsewhere(message: &str, field: &Field) -> bool {
    synchronize::is_more(message, &field.name)
        || message.strip_suffix("Event") == Some(STATE_CHANGE)
        || (message == "ConfigureResponse" && field.name == "events")
}

fn added(cx: &Context<'_>, message: &str, field: &Field, sink: &mut Sink) {
    if is_reported_elsewhere(message, field) {
        return;
    }
    let flows = &cx.flows_to;
    let (rule, consequence) = if flows.answers.contains(message) {
        let known = cx.facts.known_by(&field.full_name);
        let consequence = format!("older runtimes ignore it silently; {known}");
        (ids::NRI_FIELD_IGNORED_BY_OLDER_RUNTIME, consequence)
    } else if flows.registration.contains(message) {
        let consequence = "older runtimes do not read it".to_owned();
        (ids::NRI_REGISTRATION_FIELD_IGNORED, consequence)
    } else if flows.requests.contains(message) {
        let consequence = "older runtimes do not fill it".to_owned();
        (ids::NRI_FIELD_ABSENT_ON_OLDER_RUNTIME, consequence)
    } else {
        return;
    };
    let (number, name) = (field.number, &field.name);
    let text = format!("field {number} `{name}` of {message} is new: {consequence}");
    sink.report_declared(rule, field, text);
}

fn removed(cx: &Context<'_>, message: &str, field: &Field, sink: &mut Sink) {
    if is_reported_elsewhere(message, field) {
        return;
    }
    let flows = &cx.flows_from;
    let (rule, consequence) =
        if flows.answers.contains(message) || flows.registration.contains(message) {
            (ids::NRI_ANSWER_FIELD_REMOVED, "values that plugins send in it have no effect")
        } else if flows.requests.contains(message) {
            (ids::NRI_REQUEST_FIELD_REMOVED, "plugins that read it find it empty")
        } else {
            return;
        };
    let (number, name) = (field.number, &field.name);
    let text = format!("field {number} `{name}` of {message} was removed: {consequence}");
    sink.report(rule, cx.to.message_place(message), &field.full_name, text);
}

/// Returns the full names of the fields that plugins of `to` may set and runtimes of `from` ignore.
pub(in crate::diff) fn ignored(from: &super::NriSide<'_>, to: &super::NriSide<'_>) -> Vec<String> {
    let flows = super::Flows::new(to);
    let mut ignored = Vec::new();
    for new in to.messages() {
        let name = to.relative(&new.full_name);
        let Some(old) = from.message(name).filter(|_| flows.answers.contains(name)) else {
            continue;
        };
        let is_ignored = |field: &&Field| !has(old, field) && !is_reported_elsewhere(name, field);
        let fields = new.fields.iter().filter(is_ignored);
        ignored.extend(fields.map(|field| field.full_name.clone()));
    }
    ignored
}

/// Reports enum values that one side sends and the other does not know.
pub(super) fn enum_values(cx: &Context<'_>, sink: &mut Sink) {
    let before = cx.from.enums();
    for new in cx.to.enums() {
        let name = cx.to.relative(&new.full_name);
        let same = |old: &&&Enum| cx.from.relative(&old.full_name) == name;
        if let (Some(old), true) = (before.iter().find(same), name != EVENT) {
            values_added(cx, name, old, new, sink);
        }
    }
}

fn values_added(cx: &Context<'_>, name: &str, old: &Enum, new: &Enum, sink: &mut Sink) {
    let (rule, who) = if cx.flows_to.answers.contains(name) {
        (ids::NRI_ENUM_VALUE_UNKNOWN_TO_OLDER_RUNTIME, "runtimes")
    } else if cx.flows_to.requests.contains(name) {
        (ids::NRI_ENUM_VALUE_UNKNOWN_TO_OLDER_PLUGIN, "plugins")
    } else {
        return;
    };
    for value in &new.values {
        let mut before = old.values.iter();
        if before.all(|before| before.number != value.number) {
            let message = format!(
                "value {} `{}` of {name} is new: older {who} do not know what it means",
                value.number, value.name
            );
            sink.report_declared(rule, value, message);
        }
    }
}
