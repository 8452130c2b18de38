//! The subscription mask: the bits that a runtime accepts, and the field that holds them.

use super::semantics::{MASK, MAX_EVENT, PLUGIN};
use nri_schema::model::{EnumValue, Event, Field, FieldKind, Label, Message};

use super::side::NriSide;
use super::{Context, Sink, names};
use crate::rules::ids;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink) {
    if !cx.both_have_events() {
        return;
    }
    sentinel_moved(cx, sink);
    sentinel_gap(cx, sink);
    beyond_sentinel(cx, sink);
    grew(cx, sink);
    overflow(cx, sink);
    field_changed(cx, sink);
}

fn sentinel_moved(cx: &Context<'_>, sink: &mut Sink) {
    let (Some(old), Some(new)) = (cx.from.nri.last, cx.to.nri.last) else {
        return;
    };
    if old == new {
        return;
    }
    let mut message = format!("the sentinel LAST moved from {old} to {new}");
    if let Some(Event { name, .. }) = successor(cx) {
        message += &format!("; {old} is {name} now: no break, peers never send LAST");
    }
    sentinel(cx, ids::NRI_EVENT_SENTINEL_MOVED, message, sink);
}

/// Returns the new event that has the former number of LAST.
pub(super) fn successor<'s>(cx: &Context<'s>) -> Option<&'s Event> {
    let old = cx.from.nri.last?;
    let successor = cx.to.nri.events.iter().find(|event| event.number == old);
    successor.filter(|successor| cx.from.nri.event(&successor.name).is_none())
}

fn sentinel(cx: &Context<'_>, rule: &'static str, message: String, sink: &mut Sink) {
    let is_last = |value: &&EnumValue| Some(value.number) == cx.to.nri.last;
    let events = cx.to.events_enum();
    if let Some(last) = events.and_then(|events| events.values.iter().find(is_last)) {
        sink.report_declared(rule, last, message);
    }
}

fn gap(side: &NriSide<'_>) -> Option<(i32, i32)> {
    let last = side.nri.last?;
    let highest = side.nri.events.iter().map(|event| event.number).max()?;
    (last > highest.saturating_add(1)).then_some((highest, last))
}

fn sentinel_gap(cx: &Context<'_>, sink: &mut Sink) {
    let (Some((highest, last)), None) = (gap(&cx.to), gap(&cx.from)) else {
        return;
    };
    let message = format!(
        "LAST is {last}, but the highest event is {highest}: mask {:#x} has bits without an event",
        cx.to.nri.valid_mask
    );
    sentinel(cx, ids::NRI_EVENT_SENTINEL_GAP, message, sink);
}

fn is_beyond(side: &NriSide<'_>, event: &Event) -> bool {
    side.nri.last.is_none_or(|last| event.number >= last)
}

fn beyond_sentinel(cx: &Context<'_>, sink: &mut Sink) {
    for event in newly(cx, is_beyond) {
        let limit = match cx.to.nri.last {
            Some(last) => format!("LAST is {last}"),
            None => "there is no LAST".to_owned(),
        };
        let message = format!(
            "event {} has number {}, but {limit}: runtimes refuse its bit",
            event.name, event.number
        );
        sink.report_declared(ids::NRI_EVENT_BEYOND_SENTINEL, event, message);
    }
}

/// Returns the events of which something is true that was not true of them before.
fn newly<'s>(cx: &Context<'s>, is: fn(&NriSide<'_>, &Event) -> bool) -> Vec<&'s Event> {
    let was = |event: &Event| cx.from.nri.event(&event.name).is_some_and(|old| is(&cx.from, old));
    let events = cx.to.nri.events.iter().filter(|event| is(&cx.to, event) && !was(event));
    events.collect()
}

fn grew(cx: &Context<'_>, sink: &mut Sink) {
    let new: Vec<String> = newly(cx, |_, _| true).iter().map(|event| event.name.clone()).collect();
    let (old_mask, new_mask) = (cx.from.nri.valid_mask, cx.to.nri.valid_mask);
    let Some(events) = cx.to.events_enum() else {
        return;
    };
    if new.is_empty() || new_mask & !old_mask == 0 {
        return;
    }
    let message = format!(
        "the event mask grew from {old_mask:#x} to {new_mask:#x} ({}): an older runtime drops a plugin that \
         subscribes to {}",
        names(&new),
        if new.len() == 1 { "it" } else { "any of them" }
    );
    sink.report_declared(ids::NRI_EVENT_MASK_GREW, events, message);
}

fn overflow(cx: &Context<'_>, sink: &mut Sink) {
    for event in newly(cx, |_, event| event.number > MAX_EVENT) {
        let message = format!(
            "event {} has number {}, but an int32 mask has room for events 1 to {MAX_EVENT}",
            event.name, event.number
        );
        sink.report_declared(ids::NRI_EVENT_MASK_OVERFLOW, event, message);
    }
}

/// The masks of two sides.
#[derive(Clone, Copy)]
pub(in crate::diff) struct Masks<'s> {
    pub(in crate::diff) one: Option<&'s Field>,
    pub(in crate::diff) other: Option<&'s Field>,
}

/// The relation between the masks of two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::diff) enum Relation {
    /// Neither side has a mask.
    Absent,
    /// The same field, with a type of the same encoding for bits 0 to 30.
    SameBits,
    /// The same field with another encoding.
    Retyped,
    /// Fields with different numbers, or only one side has one: a runtime reads 0.
    Apart,
}

impl<'s> Masks<'s> {
    /// Finds the masks: the field `events` in the answer to `Configure`, or on a side without it
    /// the field with the number that it has on the other side, because names are not on the wire.
    pub(in crate::diff) fn new(one: &NriSide<'s>, other: &NriSide<'s>) -> Self {
        let (own, beside) = (named_mask(one), named_mask(other));
        Self {
            one: own.or_else(|| mask_like(one, beside)),
            other: beside.or_else(|| mask_like(other, own)),
        }
    }

    pub(in crate::diff) fn relation(self) -> Relation {
        match (self.one, self.other) {
            (None, None) => Relation::Absent,
            (Some(one), Some(other)) if one.number == other.number => {
                let is_same = (&one.kind, one.label) == (&other.kind, other.label);
                if is_same || is_plain(one) && is_plain(other) {
                    Relation::SameBits
                } else {
                    Relation::Retyped
                }
            }
            (Some(_), Some(_)) | (Some(_), None) | (None, Some(_)) => Relation::Apart,
        }
    }
}

/// Returns the answer to `Configure`.
fn configured<'s>(side: &NriSide<'s>) -> Option<&'s Message> {
    let output = &side.rpc(PLUGIN, "Configure")?.output;
    side.protocol.message(output)
}

/// Returns the field with the number of the mask of the other side.
fn mask_like<'s>(side: &NriSide<'s>, other: Option<&Field>) -> Option<&'s Field> {
    let number = other?.number;
    configured(side)?.fields.iter().find(|field| field.number == number)
}

fn named_mask<'s>(side: &NriSide<'s>) -> Option<&'s Field> {
    configured(side)?.field("events")
}

fn is_plain(field: &Field) -> bool {
    let carries_bits =
        matches!(&field.kind, FieldKind::Scalar("int32" | "int64" | "uint32" | "uint64"));
    carries_bits && field.label == Label::Single
}

fn field_changed(cx: &Context<'_>, sink: &mut Sink) {
    let masks = Masks::new(&cx.from, &cx.to);
    let Some(old) = masks.one else {
        return;
    };
    let relation = masks.relation();
    let message = match (relation, masks.other) {
        (Relation::Absent, _) | (Relation::SameBits, None) => return,
        (Relation::SameBits, Some(new)) if new.kind == old.kind => return,
        (Relation::SameBits, Some(_)) => {
            "the subscription mask has another type; both types carry the same bits".to_owned()
        }
        (Relation::Retyped, _) => {
            "the subscription mask has another type: the other side misreads it".to_owned()
        }
        (Relation::Apart, Some(new)) => format!(
            "the subscription mask moved from field {} to field {}: the other side reads 0, every event",
            old.number, new.number
        ),
        (Relation::Apart, None) => {
            "the subscription mask was removed: the other side reads 0, every event".to_owned()
        }
    };
    let about = masks.other.map(|new| &new.about).or_else(|| Some(&configured(&cx.to)?.about));
    let at = about.and_then(|about| about.location.clone());
    sink.report(ids::NRI_MASK_FIELD_CHANGED, at, &cx.to.full(MASK), message);
    if let (Relation::SameBits, Some(violation)) = (relation, sink.violations.last_mut()) {
        violation.is_harmless = true;
    }
}
