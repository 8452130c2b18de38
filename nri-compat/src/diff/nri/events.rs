//! Events: their numbers and carriers, and StateChange, which carries those without a dedicated
//! RPC.

use super::semantics::{PLUGIN, STATE_CHANGE};
use nri_schema::model::{Carrier, Event, Field, Rpc};

use super::{Context, Sink};
use crate::rules::ids;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink) {
    if !cx.both_have_events() {
        return;
    }
    for old in &cx.from.nri.events {
        match cx.to.nri.event(&old.name) {
            Some(new) => {
                number_changed(old, new, sink);
                rpc_changed(old, new, sink);
            }
            None => removed(cx, old, sink),
        }
    }
    for new in &cx.to.nri.events {
        without_rpc(cx, new, sink);
    }
}

fn number_changed(old: &Event, new: &Event, sink: &mut Sink) {
    if old.number == new.number {
        return;
    }
    let message = format!(
        "event {} changed its number from {} to {}, its bit in the mask from {:#x} to {:#x}",
        new.name, old.number, new.number, old.bit, new.bit
    );
    sink.report_declared(ids::NRI_EVENT_NUMBER_CHANGED, new, message);
}

fn removed(cx: &Context<'_>, old: &Event, sink: &mut Sink) {
    let consequence = match cx.to.nri.events.iter().find(|event| event.number == old.number) {
        Some(successor) => format!("subscribe to {} instead", successor.name),
        None => "are dropped with `invalid plugin events`".to_owned(),
    };
    let message = format!(
        "event {} ({}) was removed: plugins that subscribe to it {consequence}",
        old.name, old.number
    );
    let at = cx.to.events_enum().and_then(|declared| declared.about.location.clone());
    sink.report(ids::NRI_EVENT_REMOVED, at, &old.full_name, message);
}

/// Reports an event that no longer has its dedicated RPC.
fn rpc_changed(old: &Event, new: &Event, sink: &mut Sink) {
    let now = match (old.carrier, new.carrier) {
        (Carrier::Dedicated, Carrier::StateChange) => STATE_CHANGE,
        (Carrier::Dedicated, Carrier::Nothing) => "no RPC at all",
        _ => return,
    };
    let message =
        format!("event {} was carried by {} and is now carried by {now}", new.name, old.rpc_name);
    sink.report_declared(ids::NRI_EVENT_RPC_CHANGED, new, message);
}

fn without_rpc(cx: &Context<'_>, new: &Event, sink: &mut Sink) {
    if new.carrier == Carrier::Nothing && cx.from.nri.event(&new.name).is_none() {
        let message = format!(
            "event {} can be subscribed to, but neither RPC {} nor StateChange carries it",
            new.name, new.rpc_name
        );
        sink.report_declared(ids::NRI_EVENT_WITHOUT_RPC, new, message);
    }
}

/// Reports events that leave StateChange, changes of its message, and its removal.
pub(super) fn state_change(cx: &Context<'_>, sink: &mut Sink) {
    let Some(old) = cx.from.rpc(PLUGIN, STATE_CHANGE) else {
        return;
    };
    match cx.to.rpc(PLUGIN, STATE_CHANGE) {
        Some(new) => {
            events_left(cx, new, sink);
            message_changed(cx, old, new, sink);
        }
        None => state_change_removed(cx, old, sink),
    }
}

fn events_left(cx: &Context<'_>, state_change: &Rpc, sink: &mut Sink) {
    let planned = cx.facts.planned(&state_change.full_name);
    for event in &cx.to.nri.events {
        let old = cx.from.nri.event(&event.name);
        let was_there = old.is_some_and(|old| old.carrier == Carrier::StateChange);
        if !was_there || event.carrier != Carrier::Dedicated {
            continue;
        }
        let message = format!(
            "{} now has the dedicated RPC {}: receiving it through StateChange is \
                 deprecated{planned}",
            event.name, event.rpc_name
        );
        let rpc = cx.to.rpc(PLUGIN, &event.rpc_name);
        let at = rpc.and_then(|rpc| rpc.about.location.clone());
        sink.report(ids::NRI_EVENT_LEFT_STATE_CHANGE, at, &event.full_name, message);
    }
}

fn message_changed(cx: &Context<'_>, old: &Rpc, new: &Rpc, sink: &mut Sink) {
    let before = cx.from.protocol.message(&old.input);
    let (Some(before), Some(after)) = (before, cx.to.protocol.message(&new.input)) else {
        return;
    };
    for field in &before.fields {
        let now = after.field(&field.name);
        let Some(what) = difference(field, now) else {
            continue;
        };
        let message = format!(
            "`{}` of {} {what}: events through StateChange are misread",
            field.name, before.name
        );
        let at = now.map_or(&after.about.location, |now| &now.about.location).clone();
        let element = format!("{}.{}", after.full_name, field.name);
        sink.report(ids::NRI_STATE_CHANGE_EVENT_CHANGED, at, &element, message);
    }
}

fn difference(old: &Field, new: Option<&Field>) -> Option<String> {
    match new {
        None => Some("is gone".to_owned()),
        Some(new) if new.number != old.number => {
            Some(format!("moved from field {} to field {}", old.number, new.number))
        }
        Some(new) if new.label != old.label => Some("has another cardinality".to_owned()),
        Some(_) => None,
    }
}

fn state_change_removed(cx: &Context<'_>, old: &Rpc, sink: &mut Sink) {
    if cx.to.protocol.service(PLUGIN).is_none() {
        return; // the service as a whole is reported
    }
    let is_due = cx.facts.is_due(&old.full_name);
    let (rule, how) = match cx.facts.outlook(&old.full_name) {
        Some(planned) if is_due => {
            (ids::NRI_INTERFACE_REMOVED_AS_PLANNED, format!("as announced: its {planned}"))
        }
        Some(planned) => (ids::NRI_INTERFACE_REMOVED_EARLY, format!("too early: its {planned}")),
        None => (ids::NRI_INTERFACE_REMOVED_EARLY, "without announcement".to_owned()),
    };
    let message = format!("StateChange was removed {how}");
    sink.report(rule, cx.to.plugin_place(), &old.full_name, message);
}
