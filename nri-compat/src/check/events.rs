//! The events of the protocol, by the names of their RPCs.

use heck::ToShoutySnakeCase as _;

use crate::facts::EVENTS;

/// Returns the names of the RPCs of all events, in the order of the event numbers.
pub fn names() -> &'static [&'static str] {
    &EVENTS
}

/// Returns the events for which `is_wanted` is true, in the order of the event numbers.
pub(crate) fn in_order(is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let wanted = EVENTS.into_iter().filter(|event| is_wanted(event));
    wanted.map(str::to_owned).collect()
}

/// Returns the name of the event in the protos: `RUN_POD_SANDBOX` for `RunPodSandbox`.
pub fn proto_name(rpc: &str) -> String {
    rpc.to_shouty_snake_case()
}
