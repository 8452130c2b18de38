//! Package and services: the names by which peers find each other.

use super::{Context, Sink};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink) {
    package(cx, sink);
    for old in cx.from.services() {
        if cx.to.service(&old.name).is_none() {
            let message = format!(
                "service {} was removed: calls to {} get UNIMPLEMENTED",
                old.name, old.full_name
            );
            sink.report("NRI_SERVICE_REMOVED", None, &old.full_name, message);
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
        sink.report("NRI_PACKAGE_CHANGED", at, element, message);
    }
}
