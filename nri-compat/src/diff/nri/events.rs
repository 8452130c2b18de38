//! Events: their numbers and carriers.

use super::semantics::STATE_CHANGE;
use nri_schema::model::{Carrier, Event};

use super::{Context, Sink};

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
    sink.report_declared("NRI_EVENT_NUMBER_CHANGED", new, message);
}

fn removed(cx: &Context<'_>, old: &Event, sink: &mut Sink) {
    let mut events = cx.to.nri.events.iter();
    let consequence = match events.find(|event| event.number == old.number) {
        Some(successor) => format!("subscribe to {} instead", successor.name),
        None => "are dropped with `invalid plugin events`".to_owned(),
    };
    let message = format!(
        "event {} ({}) was removed: plugins that subscribe to it {consequence}",
        old.name, old.number
    );
    let at = cx.to.events_place();
    sink.report("NRI_EVENT_REMOVED", at, &old.full_name, message);
}

/// Reports an event that no longer has its dedicated RPC.
fn rpc_changed(old: &Event, new: &Event, sink: &mut Sink) {
    let now = match (old.carrier, new.carrier) {
        (Carrier::Dedicated, Carrier::StateChange) => STATE_CHANGE,
        (Carrier::Dedicated, Carrier::Nothing) => "no RPC at all",
        _ => return,
    };
    let message = format!(
        "event {} was carried by {} and is now carried by {now}",
        new.name, old.rpc_name
    );
    sink.report_declared("NRI_EVENT_RPC_CHANGED", new, message);
}

fn without_rpc(cx: &Context<'_>, new: &Event, sink: &mut Sink) {
    if new.carrier == Carrier::Nothing && cx.from.nri.event(&new.name).is_none() {
        let message = format!(
            "event {} can be subscribed to, but neither RPC {} nor StateChange carries it",
            new.name, new.rpc_name
        );
        sink.report_declared("NRI_EVENT_WITHOUT_RPC", new, message);
    }
}
