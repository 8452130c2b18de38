//! RPCs: added, removed, with other messages, or no longer unary.

use super::semantics::{PLUGIN, STATE_CHANGE};
use nri_schema::model::{Rpc, Service};

use super::side::Side;
use super::{Context, Sink};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink) {
    if !cx.both_serve() {
        return;
    }
    for service in cx.to.services() {
        for new in &service.rpcs {
            match cx.from.rpc(&service.name, &new.name) {
                Some(old) => changed(cx, service, old, new, sink),
                None => added(cx, service, new, sink),
            }
        }
    }
    for service in cx.from.services() {
        for old in &service.rpcs {
            removed(cx, service, old, sink);
        }
    }
}

fn added(cx: &Context<'_>, service: &Service, new: &Rpc, sink: &mut Sink) {
    let at = new.about.location.clone();
    let name = &new.name;
    if service.name != PLUGIN {
        let message = format!(
            "{}.{name} is new: an older runtime answers UNIMPLEMENTED",
            service.name
        );
        return sink.report("NRI_CALL_ADDED", at, &new.full_name, message);
    }
    let event = cx.to.event_of(name);
    if event.is_some_and(|event| cx.facts.falls_back(&cx.to, &event.name)) {
        let message = format!(
            "{name} is new: an older plugin answers UNIMPLEMENTED and gets the event as StateChange instead"
        );
        return sink.report("NRI_RPC_ADDED_WITH_FALLBACK", at, &new.full_name, message);
    }
    let who = match event {
        Some(_) => "subscribes with mask 0",
        None => "gets the call",
    };
    let message = format!(
        "{name} is new and has no fallback: an older plugin that {who} answers UNIMPLEMENTED and fails the request"
    );
    sink.report(
        "NRI_RPC_ADDED_WITHOUT_FALLBACK",
        at,
        &new.full_name,
        message,
    );
}

fn removed(cx: &Context<'_>, service: &Service, old: &Rpc, sink: &mut Sink) {
    let Some(kept) = cx.to.service(&service.name) else {
        return;
    };
    let of_event = |event: &nri_schema::model::Event| cx.to.event(&event.name).is_some();
    let is_reported_elsewhere = service.name == PLUGIN
        && (old.name == STATE_CHANGE || cx.from.event_of(&old.name).is_some_and(of_event));
    if is_reported_elsewhere || kept.rpc(&old.name).is_some() {
        return;
    }
    let consequence = if service.name == PLUGIN {
        "runtimes no longer call it"
    } else {
        "plugins that call it get UNIMPLEMENTED"
    };
    let message = format!("{}.{} was removed: {consequence}", service.name, old.name);
    sink.report_declared("NRI_RPC_REMOVED", &kept.about, &old.full_name, message);
}

fn changed(cx: &Context<'_>, service: &Service, old: &Rpc, new: &Rpc, sink: &mut Sink) {
    let at = new.about.location.clone();
    let name = format!("{}.{}", service.name, new.name);
    let (before, after) = (messages(&cx.from, old), messages(&cx.to, new));
    if before != after {
        let message = format!(
            "{name} took {} and returned {}, and now takes {} and returns {}",
            before.0, before.1, after.0, after.1
        );
        sink.report(
            "NRI_RPC_PAIRING_BROKEN",
            at.clone(),
            &new.full_name,
            message,
        );
    }
    let streams = |rpc: &Rpc| (rpc.client_streaming, rpc.server_streaming);
    if streams(old) != streams(new) {
        let now = match streams(new) {
            (false, false) => "is unary again",
            _ => "is now a stream, but NRI's ttrpc only supports unary calls",
        };
        sink.report(
            "NRI_RPC_BECAME_STREAM",
            at,
            &new.full_name,
            format!("{name} {now}"),
        );
    }
}

fn messages<'r>(side: &Side<'_>, rpc: &'r Rpc) -> (&'r str, &'r str) {
    (side.relative(&rpc.input), side.relative(&rpc.output))
}
