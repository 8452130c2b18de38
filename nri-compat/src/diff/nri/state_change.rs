//! StateChange: events that leave it, changes of its message, its removal.

use super::semantics::{PLUGIN, STATE_CHANGE};
use nri_schema::model::{Carrier, Field, Rpc};

use super::side::by_state_change;
use super::{Context, Sink};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink) {
    let Some(old) = cx.from.rpc(PLUGIN, STATE_CHANGE) else {
        return;
    };
    match cx.to.rpc(PLUGIN, STATE_CHANGE) {
        Some(new) => {
            events_left(cx, new, sink);
            message_changed(cx, old, new, sink);
        }
        None => removed(cx, old, sink),
    }
}

fn events_left(cx: &Context<'_>, state_change: &Rpc, sink: &mut Sink) {
    let planned = cx.facts.planned(&state_change.full_name);
    for event in &cx.to.nri.events {
        let was_there = cx.from.nri.event(&event.name).is_some_and(by_state_change);
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
        sink.report("NRI_EVENT_LEFT_STATE_CHANGE", at, &event.full_name, message);
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
        let at = now
            .map_or(&after.about.location, |now| &now.about.location)
            .clone();
        let element = format!("{}.{}", after.full_name, field.name);
        sink.report("NRI_STATE_CHANGE_EVENT_CHANGED", at, &element, message);
    }
}

fn difference(old: &Field, new: Option<&Field>) -> Option<String> {
    match new {
        None => Some("is gone".to_owned()),
        Some(new) if new.number != old.number => Some(format!(
            "moved from field {} to field {}",
            old.number, new.number
        )),
        Some(new) if new.label != old.label => Some("has another cardinality".to_owned()),
        Some(_) => None,
    }
}

fn removed(cx: &Context<'_>, old: &Rpc, sink: &mut Sink) {
    if cx.to.protocol.service(PLUGIN).is_none() {
        return; // the service as a whole is reported
    }
    let is_due = cx.facts.is_due(&old.full_name);
    let (rule, how) = match cx.facts.outlook(&old.full_name) {
        Some(planned) if is_due => (
            "NRI_INTERFACE_REMOVED_AS_PLANNED",
            format!("as announced: its {planned}"),
        ),
        Some(planned) => (
            "NRI_INTERFACE_REMOVED_EARLY",
            format!("too early: its {planned}"),
        ),
        None => (
            "NRI_INTERFACE_REMOVED_EARLY",
            "without announcement".to_owned(),
        ),
    };
    let message = format!("StateChange was removed {how}");
    sink.report(rule, cx.to.plugin_place(), &old.full_name, message);
}
