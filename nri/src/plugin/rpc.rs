//! Facts about an RPC that do not depend on a plugin.

use crate::api::Event;

/// One RPC of the Plugin service.
#[derive(Debug)]
pub struct Rpc {
    /// The name, such as `RunPodSandbox`, which is also the name of its handler trait.
    pub name: &'static str,
    /// The event that it carries; `None` for Configure, Synchronize, Shutdown and StateChange.
    pub event: Option<Event>,
    /// The event's name in the proto, such as `RUN_POD_SANDBOX`.
    pub event_name: Option<&'static str>,
    /// The first NRI release that has the RPC, such as `v0.12.0`.
    pub since: &'static str,
    /// The first NRI release that has the event. It may be untagged: CRI-O ships two untagged
    /// releases. Older runtimes drop a plugin that subscribes to the event.
    pub event_since: Option<&'static str>,
    /// The field numbers of the request, each with the number of the same field in
    /// StateChangeEvent, for an event that StateChange carries too.
    pub change_fields: Option<&'static [(u32, u32)]>,
    /// The deprecation of the RPC, if it is deprecated.
    pub deprecated: Option<Deprecation>,
}

/// A deprecated interface, described for authors and operators of plugins.
#[derive(Clone, Copy, Debug)]
pub struct Deprecation {
    /// The NRI release that deprecated it, such as `v0.12.0`.
    pub since: &'static str,
    /// The planned removal, such as `containerd 2.7`.
    pub removal: &'static str,
    /// The handler traits to implement instead.
    pub instead: &'static [&'static str],
}
