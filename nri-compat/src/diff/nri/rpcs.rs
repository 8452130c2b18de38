//! Package, services and RPCs: added, removed, with other messages, or no longer unary; and the
//! functions of WebAssembly plugins, one per RPC.

use super::semantics::{HOST_FUNCTIONS, PLUGIN, STATE_CHANGE};
use nri_schema::model::{Rpc, Service};

use super::side::NriSide;
use super::{Context, Sink, names};
use crate::rules::ids;
use crate::wasm_export::wasm_export;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink) {
    if !cx.both_serve() {
        return;
    }
    for service in &cx.to.protocol.services {
        for new in &service.rpcs {
            match cx.from.rpc(&service.name, &new.name) {
                Some(old) => changed(cx, service, old, new, sink),
                None => added(cx, service, new, sink),
            }
        }
    }
    for service in &cx.from.protocol.services {
        for old in &service.rpcs {
            removed(cx, service, old, sink);
        }
    }
}

fn added(cx: &Context<'_>, service: &Service, new: &Rpc, sink: &mut Sink) {
    let name = &new.name;
    if service.name != PLUGIN {
        let service = &service.name;
        let message = format!("{service}.{name} is new: an older runtime answers UNIMPLEMENTED");
        return sink.report_declared(ids::NRI_CALL_ADDED, new, message);
    }
    let event = cx.to.event_of(name);
    if event.is_some_and(|event| cx.facts.falls_back(&cx.to, &event.name)) {
        let message = format!(
            "{name} is new: an older plugin answers UNIMPLEMENTED and gets the event as StateChange instead"
        );
        return sink.report_declared(ids::NRI_RPC_ADDED_WITH_FALLBACK, new, message);
    }
    let who = match event {
        Some(_) => "subscribes with mask 0",
        None => "gets the call",
    };
    let message = format!(
        "{name} is new and has no fallback: an older plugin that {who} answers UNIMPLEMENTED and fails the request"
    );
    sink.report_declared(ids::NRI_RPC_ADDED_WITHOUT_FALLBACK, new, message);
}

fn removed(cx: &Context<'_>, service: &Service, old: &Rpc, sink: &mut Sink) {
    let Some(kept) = cx.to.protocol.service(&service.name) else {
        return;
    };
    let is_plugin = service.name == PLUGIN;
    let event = cx.from.event_of(&old.name).filter(|_| is_plugin);
    let has_event = event.is_some_and(|event| cx.to.nri.event(&event.name).is_some());
    let is_reported_elsewhere = is_plugin && old.name == STATE_CHANGE || has_event;
    if is_reported_elsewhere || kept.rpc(&old.name).is_some() {
        return;
    }
    let consequence = if is_plugin {
        "runtimes no longer call it"
    } else {
        "plugins that call it get UNIMPLEMENTED"
    };
    let message = format!("{}.{} was removed: {consequence}", service.name, old.name);
    let at = kept.about.location.clone();
    sink.report(ids::NRI_RPC_REMOVED, at, &old.full_name, message);
}

fn changed(cx: &Context<'_>, service: &Service, old: &Rpc, new: &Rpc, sink: &mut Sink) {
    let name = format!("{}.{}", service.name, new.name);
    let (before, after) = (messages(&cx.from, old), messages(&cx.to, new));
    if before != after {
        let message = format!(
            "{name} took {} and returned {}, and now takes {} and returns {}",
            before.0, before.1, after.0, after.1
        );
        sink.report_declared(ids::NRI_RPC_PAIRING_BROKEN, new, message);
    }
    let streams = |rpc: &Rpc| (rpc.client_streaming, rpc.server_streaming);
    if streams(old) != streams(new) {
        let now = match streams(new) {
            (false, false) => "is unary again",
            _ => "is now a stream, but NRI's ttrpc only supports unary calls",
        };
        sink.report_declared(ids::NRI_RPC_BECAME_STREAM, new, format!("{name} {now}"));
    }
}

fn messages<'r>(side: &NriSide<'_>, rpc: &'r Rpc) -> (&'r str, &'r str) {
    (side.relative(&rpc.input), side.relative(&rpc.output))
}

/// Reports the names by which peers find each other, if they changed.
pub(super) fn services(cx: &Context<'_>, sink: &mut Sink) {
    package(cx, sink);
    for old in &cx.from.protocol.services {
        if cx.to.protocol.service(&old.name).is_none() {
            let message = format!(
                "service {} was removed: calls to {} get UNIMPLEMENTED",
                old.name, old.full_name
            );
            sink.report(ids::NRI_SERVICE_REMOVED, None, &old.full_name, message);
        }
    }
}

fn package(cx: &Context<'_>, sink: &mut Sink) {
    let (old, new) = (&cx.from.protocol.package, &cx.to.protocol.package);
    if old != new {
        let change = match (old.as_str(), new.as_str()) {
            (old, "") => format!("package {old} was removed"),
            ("", new) => format!("package {new} was added"),
            (old, new) => format!("package {old} became {new}"),
        };
        let message =
            format!("{change}: neither side finds the other's services, so no plugin registers");
        let element = if new.is_empty() { old } else { new };
        let at = cx.to.plugin_place();
        sink.report(ids::NRI_PACKAGE_CHANGED, at, element, message);
    }
}

/// Reports the functions that a WebAssembly plugin has to export, as there is no fallback.
pub(super) fn wasm_exports(cx: &Context<'_>, sink: &mut Sink) {
    // Runtimes load WebAssembly since the protocol has functions for modules to import.
    if cx.from.protocol.service(HOST_FUNCTIONS).is_none() || !cx.both_serve() {
        return;
    }
    let Some(plugin) = cx.to.protocol.service(PLUGIN) else {
        return;
    };
    let new: Vec<String> = plugin
        .rpcs
        .iter()
        .filter(|rpc| cx.from.rpc(PLUGIN, &rpc.name).is_none())
        .map(|rpc| wasm_export(&rpc.name))
        .collect();
    if !new.is_empty() {
        let functions = names(&new);
        let message = format!("a WebAssembly plugin does not load unless it exports {functions}");
        sink.report_declared(ids::NRI_WASM_EXPORT_REQUIRED, plugin, message);
    }
}
